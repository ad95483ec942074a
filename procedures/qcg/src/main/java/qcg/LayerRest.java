package qcg;

import java.text.Normalizer;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import qcg.algorithm.QuestionVector;

/** What is left of a question without its names, and the pages of these, which are compared with all of it. */
record LayerRest(QuestionVector vector, String words, Set<Node> pages) {
    private static final Pattern MARKS = Pattern.compile("\\p{M}");

    /** Of a question with these names: this is left of its vector, and its words without those of the names. */
    static LayerRest of(List<LayerName> names, QuestionVector vector, String words) {
        Set<String> named = names.stream()
                .flatMap(name -> Stream.of(name.name().split(" ")))
                .collect(Collectors.toSet());
        String left = Arrays.stream(words.split(" "))
                .filter(word -> !named.contains(MARKS.matcher(Normalizer.normalize(word, Normalizer.Form.NFKD)).replaceAll("")))
                .collect(Collectors.joining(" "));
        return new LayerRest(vector, left, names.stream().map(LayerName::page).collect(Collectors.toSet()));
    }

    /** Those of some chunks that are pages of names, or those that are none. */
    List<Node> of(Collection<Node> chunks, boolean pagesOfNames) {
        return chunks.stream().filter(chunk -> pages.contains(chunk) == pagesOfNames).toList();
    }
}
