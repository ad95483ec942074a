package qcg.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import qcg.algorithm.PathSearch.Edge;
import qcg.algorithm.PathSearch.Id;

class PathSearchTest {
    private final Map<String, List<Edge<String, String>>> edges = new HashMap<>();
    private final Counter counter = new Counter();

    private class Counter implements PathSearch.Network<String, String> {
        private int extensions;
        private int complete;

        @Override
        public List<Edge<String, String>> from(String node) {
            return edges.getOrDefault(node, List.of());
        }

        @Override
        public void extension() {
            extensions++;
        }

        @Override
        public void complete() {
            complete++;
        }
    }

    private void edge(String id, String from, String to, double score) {
        edges.computeIfAbsent(from, node -> new ArrayList<>()).add(new Edge<>(id, Id.of(id), score, to));
    }

    private List<String> found(PathSearch<String, String> search, List<String> sources, List<String> targets) {
        return search.between(new LinkedHashSet<>(sources), Set.copyOf(targets), counter).stream()
                .map(trail -> String.join("", trail.relationships()) + " " + trail.score())
                .toList();
    }

    private void diamond() {
        edge("a", "1", "2", 0.5);
        edge("b", "1", "3", 0.75);
        edge("c", "2", "4", 1.0);
        edge("d", "3", "4", 0.25);
        edge("e", "1", "4", 0.125);
    }

    @Test
    void everyPathGoesOnWithItsBest() {
        diamond();
        assertEquals(List.of("bd 0.5"), found(new PathSearch<>(1, 3), List.of("1"), List.of("4")));
        assertEquals(2, counter.extensions);
        assertEquals(List.of("ac 0.75", "bd 0.5"), found(new PathSearch<>(2, 3), List.of("1"), List.of("4")));
        List<String> all = List.of("ac 0.75", "bd 0.5", "e 0.125");
        assertEquals(all, found(new PathSearch<>(3, 3), List.of("1"), List.of("4")));
    }

    @Test
    void aPathLeadsThroughAnotherTarget() {
        diamond();
        assertEquals(
                List.of("ac 0.75", "b 0.75", "a 0.5", "bd 0.5"),
                found(new PathSearch<>(2, 3), List.of("1"), List.of("2", "3", "4")));
    }

    @Test
    void tiesAreBrokenByIdsAlongThePath() {
        edge("z", "1", "2", 0.5);
        edge("y", "1", "2", 0.5);
        edge("x", "1", "2", 0.5);
        assertEquals(List.of("x 0.5", "y 0.5"), found(new PathSearch<>(2, 1), List.of("1"), List.of("2")));
        edge("q", "2", "3", 0.5);
        assertEquals(List.of("xq 0.5", "yq 0.5", "zq 0.5"), found(new PathSearch<>(99, 2), List.of("1"), List.of("3")));
    }

    @Test
    void noNodeIsOnAPathTwice() {
        edge("a", "1", "1", 1.0);
        edge("b", "1", "2", 0.5);
        edge("c", "2", "1", 0.5);
        edge("d", "2", "3", 0.5);
        assertEquals(List.of("b 0.5", "bd 0.5"), found(new PathSearch<>(99, 9), List.of("1"), List.of("1", "2", "3")));
        assertEquals(2, counter.complete);
    }

    @Test
    void aPathIsNoLongerThanAllowed() {
        diamond();
        assertEquals(List.of("e 0.125"), found(new PathSearch<>(9, 1), List.of("1"), List.of("4")));
        assertEquals(List.of("e 0.125"), found(new PathSearch<>(99, 1), List.of("1"), List.of("4")));
    }

    @Test
    void pathsOfAllSourcesAreOrderedTogether() {
        diamond();
        assertEquals(
                List.of("c 1.0", "ac 0.75", "bd 0.5", "d 0.25", "e 0.125"),
                found(new PathSearch<>(3, 3), List.of("3", "2", "1"), List.of("4")));
    }

    @Test
    void aSearchCanBeStopped() {
        diamond();
        Counter full = new Counter() {
            @Override
            public void extension() {
                throw new IllegalStateException("enough");
            }
        };
        PathSearch<String, String> search = new PathSearch<>(3, 3);
        assertThrows(IllegalStateException.class, () -> search.between(Set.of("1"), Set.of("4"), full));
    }
}
