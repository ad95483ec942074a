package qcg.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import qcg.algorithm.PathSearch.Id;

class ValuesTest {
    @Test
    void theCosineDoesNotDependOnLengths() {
        QuestionVector question = new QuestionVector(new double[] {3, 4});
        assertEquals(1.0, question.cosine(new double[] {30, 40}), 1e-15);
        assertEquals(-0.6, question.cosine(new double[] {-2, 0}), 1e-15);
        assertTrue(Double.isNaN(question.cosine(new double[] {0, 0})));
        assertTrue(Double.isNaN(question.cosine(new double[] {Double.NaN, 1})));
    }

    @Test
    void theRestOfAQuestionSharesNothingWithItsNames() {
        QuestionVector rest = new QuestionVector(new double[] {3, 4}).without(new double[] {2, 0});
        assertEquals(0.0, rest.cosine(new double[] {1, 0}), 1e-15);
        assertEquals(1.0, rest.cosine(new double[] {0, 5}), 1e-15);
        assertEquals(1.0, rest.without(new double[] {0, 1}).cosine(new double[] {0, 5}), 1e-15);
        assertEquals(1.0, rest.without(new double[] {0, 0}).cosine(new double[] {0, 5}), 1e-15);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, Double.NaN, Double.POSITIVE_INFINITY})
    void aVectorWithoutDirectionIsRefused(double value) {
        assertThrows(IllegalArgumentException.class, () -> new QuestionVector(new double[] {value, 0}));
    }

    @Test
    void numbersComeBeforeTextAndByTheirSize() {
        List<Id> sorted = List.of(Id.of("10"), Id.of(10L), Id.of("9"), Id.of(9)).stream().sorted().toList();
        assertEquals(List.of(Id.of(9), Id.of(10L), Id.of("10"), Id.of("9")), sorted);
    }

    @Test
    void theNearestNameIsMeant() {
        List<String> known = List.of("beamWidth", "maxLength", "direction");
        assertEquals("Did you mean 'beamWidth'?", Spelling.hint("beamWith", known));
        assertEquals("Did you mean 'maxLength'?", Spelling.hint("maxlength", known));
        assertEquals("Known are: beamWidth, direction, maxLength.", Spelling.hint("zzz", known));
        assertEquals(3, Spelling.distance("kitten", "sitting"));
    }
}
