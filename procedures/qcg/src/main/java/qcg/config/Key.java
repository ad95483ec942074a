package qcg.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What the key of a configuration may be, and what it means. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
    /** The value without the key; of a list its items. Nothing for a key that may be left out, and is null then. */
    String[] standard() default {};

    /** The least number, or the fewest items of a list. */
    double minimum() default Double.NEGATIVE_INFINITY;

    /** The greatest number. */
    double maximum() default Double.POSITIVE_INFINITY;

    /** The texts that are possible; any that is not empty where there are none. */
    String[] choices() default {};

    /** What it means. */
    String meaning();
}
