package qcg.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import qcg.algorithm.Proposals.Named;
import qcg.algorithm.Proposals.Proposal;
import qcg.algorithm.SharedWalk.Seed;

/** Chunk 1 names gym and pool; gym is named by 1 and 2, pool by 1, 3 and 4; the town is a hub. */
class SharedWalkTest {
    private static final Map<String, List<String>> ENTITIES = Map.of("1", List.of("gym", "pool"), "5", List.of("town"));
    private static final Map<String, List<String>> CHUNKS =
            Map.of("gym", List.of("1", "2"), "pool", List.of("1", "3", "4"), "town", List.of());
    private int reached;
    private double gym = 1;
    private double second = 1;

    private SharedWalk<String, String, String> walk() {
        Sharing<String, String, String> graph = new Sharing<>() {
            @Override
            public List<Leaving<String, String>> from(String chunk) {
                return ENTITIES.getOrDefault(chunk, List.of()).stream()
                        .map(entity -> new Leaving<>(entity, entity.equals("gym") ? gym : 1, "about " + entity))
                        .toList();
            }

            @Override
            public List<Arriving<String>> to(String entity) {
                return CHUNKS.get(entity).stream()
                        .map(chunk -> new Arriving<>(chunk, chunk.equals("2") ? second : 1))
                        .toList();
            }
        };
        return new SharedWalk<>(graph, Comparator.naturalOrder(), () -> reached++);
    }

    private static double scored(double share) {
        return Math.log(1 + 1e6 * share) / Math.log(1 + 1e6);
    }

    @Test
    void halfStaysAndHalfIsPartedAmongEntitiesAndTheirChunks() {
        SharedWalk<String, String, String> walk = walk();
        walk.from(SharedWalk.promising(List.of(new Proposal<>("1", 2.0))));
        assertEquals(scored(0.5 + 0.25 / 2 + 0.25 / 3), walk.of("1").score(), 1e-12);
        assertEquals(scored(0.25 / 2), walk.of("2").score(), 1e-12);
        assertEquals(scored(0.25 / 3), walk.of("4").score(), 1e-12);
        assertEquals("gym", walk.of("2").entity());
        assertEquals("1", walk.of("2").seed().chunk());
        assertEquals("about gym", walk.of("2").stated());
        assertNull(walk.of("1").entity());
        assertNull(walk.of("5"));
        assertEquals(List.of("1", "2", "3"), walk.best(3, Comparator.naturalOrder()));
        assertEquals(4, reached);
    }

    @Test
    void aSeedThatPromisesMoreBeginsMoreOftenAndHubsAreNotFollowed() {
        SharedWalk<String, String, String> walk = walk();
        walk.from(SharedWalk.promising(
                List.of(new Proposal<>("1", 1.0), new Proposal<>("5", 1.0 - SharedWalk.TEMPERATURE))));
        double second = Math.exp(-1) / (1 + Math.exp(-1));
        assertEquals(scored(second / 2), walk.of("5").score(), 1e-12);
    }

    @Test
    void whatWeighsMoreIsGoneMoreOftenAndANameIsTheWayToItsPage() {
        gym = 3;
        second = 9;
        SharedWalk<String, String, String> walk = walk();
        walk.from(List.of(new Seed<>("1", 0.8, "name"), new Seed<>("5", 0.2, null)));
        assertEquals(scored(0.4 * 0.75 * 0.9), walk.of("2").score(), 1e-12);
        assertEquals("name", walk.of("2").seed().name());
        assertEquals("name", walk.of("1").entity());
        assertNull(walk.of("1").seed());
        assertNull(walk.of("5").entity());
    }

    @Test
    void halfOfWhatCameToTheFirstChunksGoesOnOnceMore() {
        SharedWalk<String, String, String> walk = walk();
        walk.from(SharedWalk.promising(List.of(new Proposal<>("1", 2.0))));
        double came = 0.25 / 2 + 0.25 / 3;
        walk.further(1, Comparator.naturalOrder());
        assertEquals(scored(0.5 + came / 2 + came / 4 / 2 + came / 4 / 3), walk.of("1").score(), 1e-12);
        assertEquals(scored(0.25 / 2 + came / 4 / 2), walk.of("2").score(), 1e-12);
    }

    @Test
    void aProposalPromisesByHowMuchItIsAheadOfTheLast() {
        List<Named<String, String>> indexes = List.of(
                new Named<>("atom", Map.of("1", 0.9, "2", 0.5, "3", 0.4)),
                new Named<>("words", Map.of("2", 8.0, "3", 4.0)));
        Proposals<String, String> proposed = new Proposals<>(
                indexes, Map.of("atom", 1.0, "words", 0.5), "words"::equals, 2, Comparator.naturalOrder());
        assertEquals(
                List.of(new Proposal<>("1", 0.9 - 0.5), new Proposal<>("2", 0.25), new Proposal<>("3", 0.0)),
                proposed.first(3));
        assertEquals(8.0, proposed.unit("words"));
        assertEquals(0.4, proposed.named("atom").get("3")); // named, though it is not among the two proposed
        assertEquals(List.of("1", "2", "3"), proposed.chunks());
    }
}
