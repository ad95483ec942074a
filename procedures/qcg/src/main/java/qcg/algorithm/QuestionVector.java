package qcg.algorithm;

/** The embedding of a question, to be compared with stored vectors of any length. */
public final class QuestionVector {
    private static final double LEAST = 1e-3; // of a question that is nothing but a name

    private final double[] values;
    private final double length;

    /** Refuses a vector that has no direction. */
    public QuestionVector(double[] values) {
        this.values = values.clone();
        this.length = Math.sqrt(product(values, values));
        if (!(length > 0 && Double.isFinite(length))) {
            throw new IllegalArgumentException(
                    "the question's vector has no direction: it is empty, all zeros, or holds what is no number.");
        }
    }

    /** How many values there are. */
    public int dimension() {
        return values.length;
    }

    /** Its values, of unit length. */
    public double[] values() {
        double[] unit = values.clone();
        for (int place = 0; place < unit.length; place++) {
            unit[place] /= length;
        }
        return unit;
    }

    /** The cosine with another vector of the same dimension; no number where that one has no direction. */
    public double cosine(double[] other) {
        double otherLength = Math.sqrt(product(other, other));
        boolean usable = otherLength > 0 && Double.isFinite(otherLength);
        return usable ? product(values, other) / (length * otherLength) : Double.NaN;
    }

    /** The cosine with a vector of unit length and the same dimension that stands in an array from a place on. */
    public double cosineOfUnit(float[] others, int begin) {
        double first = 0; // four sums, which the processor adds to at the same time
        double second = 0;
        double third = 0;
        double fourth = 0;
        int place = 0;
        for (; place + 3 < values.length; place += 4) {
            first += values[place] * others[begin + place];
            second += values[place + 1] * others[begin + place + 1];
            third += values[place + 2] * others[begin + place + 2];
            fourth += values[place + 3] * others[begin + place + 3];
        }
        for (; place < values.length; place++) {
            first += values[place] * others[begin + place];
        }
        return (first + second + third + fourth) / length;
    }

    /** The question without what it shares with a name, of whatever length; itself where nothing would be left. */
    public QuestionVector without(double[] name) {
        double square = product(name, name);
        if (name.length != values.length || !(square > 0)) {
            return this;
        }
        double shared = product(values, name) / square;
        double[] rest = values.clone();
        for (int place = 0; place < rest.length; place++) {
            rest[place] -= shared * name[place];
        }
        return Math.sqrt(product(rest, rest)) > LEAST * length ? new QuestionVector(rest) : this;
    }

    private static double product(double[] left, double[] right) {
        double sum = 0;
        for (int place = 0; place < left.length; place++) {
            sum += left[place] * right[place];
        }
        return sum;
    }
}
