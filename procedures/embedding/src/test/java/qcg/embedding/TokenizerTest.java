package qcg.embedding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenizerTest {
    @ParameterizedTest
    @ValueSource(strings = {"a\uD83C", "a\uDF89b", "a\uD83Cb"})
    void halfACharacterIsRefused(String text) {
        Exception error = assertThrows(IllegalArgumentException.class, () -> Tokenizer.checked(text));
        assertEquals("The text contains an unpaired surrogate (U+%04X) at offset 1; correct it first.".formatted((int) text.charAt(1)),
                error.getMessage());
    }

    @Test
    void wholeCharactersPass() {
        assertEquals("a\uD83C\uDF89\u0000", Tokenizer.checked("a\uD83C\uDF89\u0000"));
    }
}
