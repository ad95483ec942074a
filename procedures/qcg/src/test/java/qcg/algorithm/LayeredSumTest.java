package qcg.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import qcg.algorithm.LayeredSum.Hit;
import qcg.algorithm.LayeredSum.Kind;
import qcg.algorithm.LayeredSum.Layer;
import qcg.algorithm.LayeredSum.Scored;

class LayeredSumTest {
    private final Map<String, Map<String, Double>> stored = new HashMap<>();
    private final List<String> reads = new ArrayList<>();

    private void stored(String layer, String chunk, double score) {
        stored.computeIfAbsent(layer, fresh -> new HashMap<>()).put(chunk, score);
    }

    private Hit<String, String> read(String layer, String chunk) {
        reads.add(layer + chunk);
        Double score = stored.getOrDefault(layer, Map.of()).get(chunk);
        return score == null ? null : new Hit<>(layer + " of " + chunk, null, score);
    }

    private static Layer<String, String, String> bounded(String name, double weight, Map<String, Double> named) {
        return new Layer<>(name, Kind.BOUNDED, weight, Map.of(), named);
    }

    private static Layer<String, String, String> given(String name, double weight, Map<String, Double> scores) {
        Map<String, Hit<String, String>> hits = new HashMap<>();
        scores.forEach((chunk, score) -> hits.put(chunk, new Hit<>(chunk, null, score)));
        return new Layer<>(name, Kind.GIVEN, weight, hits, Map.of());
    }

    private List<Scored<String, String, String>> best(
            long most, List<String> chunks, List<Layer<String, String, String>> layers) {
        return new LayeredSum<String, String, String>(chunks, layers, this::read, Comparator.naturalOrder()).best(most);
    }

    @Test
    void whatAnIndexDidNotNameIsBoundedByTheLeastThatItNamed() {
        stored("q", "a", 0.9);
        stored("q", "b", 0.8);
        stored("q", "c", 0.7); // the index named a and b alone, so c is 0.8 at most
        var found = best(1, List.of("c", "b", "a"), List.of(bounded("q", 1, Map.of("a", 0.9, "b", 0.8))));
        assertEquals("a", found.get(0).chunk());
        assertEquals(List.of("qa"), reads); // 0.9 is more than what b and c can have
    }

    @Test
    void whatCanStillComeAmongTheBestIsRead() {
        stored("q", "a", 0.9);
        stored("q", "b", 0.8);
        stored("q", "c", 0.7);
        var words = given("w", 0.5, Map.of("c", 1.0));
        var found = best(1, List.of("a", "b", "c"), List.of(bounded("q", 1, Map.of("a", 0.9, "b", 0.8)), words));
        assertEquals("c", found.get(0).chunk()); // 0.7 + 0.5; the bound is 0.8 + 0.5
        assertEquals(1.2, found.get(0).score(), 1e-12);
        assertEquals(List.of("qc"), reads);
    }

    @Test
    void withoutAnythingNamedTheBoundIsThatOfACosine() {
        stored("q", "a", 0.2);
        stored("q", "b", 0.4);
        assertEquals("b", best(1, List.of("a", "b"), List.of(bounded("q", 1, Map.of()))).get(0).chunk());
        assertEquals(2, reads.size());
    }

    @Test
    void aChunkWithoutAnEntryCountsAsTheWorstButWithoutAWordAsNothing() {
        stored("q", "a", 0.9);
        stored("q", "b", 0.3);
        var layers = List.of(
                bounded("q", 1, Map.of("a", 0.9, "b", 0.3)),
                given("w", 1, Map.of("bare", 0.5)),
                given("none", 1, Map.of()));
        var found = best(3, List.of("a", "b", "bare"), layers);
        assertEquals(List.of("a", "bare", "b"), found.stream().map(Scored::chunk).toList());
        assertEquals(0.8, found.get(1).score(), 1e-12);
        assertEquals(List.of("w", "q"), found.get(1).parts().stream().map(LayeredSum.Part::layer).toList());
        assertNull(found.get(1).parts().get(1).hit());
        assertEquals(0.0, found.get(2).parts().get(1).share());
    }

    @Test
    void whatIsReadOutrightNeedsNoIndex() {
        stored("x", "a", 0.1);
        stored("x", "b", 0.6);
        var layer = new Layer<String, String, String>("x", Kind.READ, 2, Map.of(), Map.of());
        assertEquals(List.of("b", "a"), best(2, List.of("a", "b"), List.of(layer)).stream().map(Scored::chunk).toList());
        assertEquals(2, reads.size()); // each once
    }

    @Test
    void equalOnesComeInTheirOrder() {
        stored("q", "a", 0.5);
        stored("q", "b", 0.5);
        assertEquals("a", best(1, List.of("b", "a"), List.of(bounded("q", 1, Map.of("a", 0.5, "b", 0.5)))).get(0).chunk());
    }

    /** Indexes name the nearest of what they hold, so fewer are the first of more, though less is read. */
    @Test
    void fewerAreTheFirstOfMore() {
        Random random = new Random(17);
        for (int round = 0; round < 200; round++) {
            stored.clear();
            List<String> chunks = IntStream.range(0, 40).mapToObj("c%02d"::formatted).toList();
            List<Layer<String, String, String>> layers = new ArrayList<>();
            for (String name : List.of("q", "a", "t")) {
                chunks.stream().filter(chunk -> random.nextInt(4) > 0).forEach(chunk -> stored(name, chunk, random.nextDouble()));
                layers.add(bounded(name, random.nextDouble() * 2, nearest(name, 10)));
            }
            layers.add(given("w", random.nextDouble(), Map.of("c01", random.nextDouble(), "c05", random.nextDouble())));
            List<Scored<String, String, String>> all = best(chunks.size(), chunks, layers);
            int whole = reads.size();
            reads.clear();
            assertEquals(all.subList(0, 3), best(3, chunks, layers));
            assertTrue(reads.size() <= whole);
            assertFalse(reads.isEmpty());
            reads.clear();
        }
    }

    private Map<String, Double> nearest(String layer, int most) {
        Map<String, Double> named = new HashMap<>();
        stored.get(layer).entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(most)
                .forEach(entry -> named.put(entry.getKey(), entry.getValue()));
        return named;
    }
}
