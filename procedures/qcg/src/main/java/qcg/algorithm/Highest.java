package qcg.algorithm;

import java.util.PriorityQueue;
import java.util.stream.DoubleStream;

/** The highest of many scores. */
public final class Highest {
    private Highest() {}

    /** The least of so many highest scores, or of all where there are fewer; infinity where there are none. */
    public static double least(DoubleStream scores, int number) {
        PriorityQueue<Double> highest = new PriorityQueue<>();
        scores.forEach(score -> {
            if (highest.size() < number) {
                highest.add(score);
            } else if (number > 0 && score > highest.peek()) {
                highest.poll();
                highest.add(score);
            }
        });
        return highest.isEmpty() ? Double.POSITIVE_INFINITY : highest.peek();
    }
}
