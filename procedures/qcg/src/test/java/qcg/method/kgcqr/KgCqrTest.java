package qcg.method.kgcqr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KgCqrTest {
    private static Map<String, Object> triple(String id) {
        return Map.of("id", id, "chunk", "c", "added", false);
    }

    @Test
    void aTripleThatTheSearchHasFoundIsShownOnce() {
        Map<String, Object> step = Map.of("label", "RELATED_TO", "id", "found");
        Map<String, Object> row = Map.of("id", "c", "text", "", "tokenCount", 1L, "paths", List.of(List.of(step)));
        KgCqr found = new KgCqr(List.of(row), List.of(triple("found"), triple("other")), List.of(), "", null);
        List<?> other = List.of(Map.of("label", "RELATED_TO", "id", "other"));
        assertEquals(List.of(other, List.of(step)), found.within(9).get(0).get("paths"));
    }
}
