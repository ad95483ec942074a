package qcg;

import java.util.Arrays;
import java.util.List;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.QuestionVector;

/** The atom-entity graph of one state with the vectors of its atoms. */
record AtomSnapshot(EntityNetwork network, int dimension, float[] vectors) implements Part.Copy {
    /** The graph as the transaction sees it; what others delete meanwhile is left out. */
    static AtomSnapshot of(Corpus corpus, Transaction transaction, Part.Size size) {
        List<Node> atoms = EntityNetwork.atoms(corpus, transaction);
        int dimension = (int) size.dimension();
        float[] vectors = new float[Math.multiplyExact(atoms.size(), dimension)];
        for (int atom = 0; atom < atoms.size(); atom++) {
            readVector(atoms.get(atom), vectors, atom * dimension, dimension);
        }
        return new AtomSnapshot(EntityNetwork.of(atoms, corpus, transaction), dimension, vectors);
    }

    /** Bytes that a graph of such a size takes. */
    static long bytes(Part.Size size) {
        return size.atoms() * size.dimension() * Float.BYTES + EntityNetwork.bytes(size);
    }

    @Override
    public long bytes() {
        return (long) vectors.length * Float.BYTES + network.bytes();
    }

    /** The cosine of every atom with the question; no number where an atom has no vector of that dimension. */
    double[] cosines(QuestionVector question) {
        double[] found = new double[network.atoms()];
        for (int atom = 0; atom < found.length; atom++) {
            found[atom] = question.dimension() == dimension ? question.cosineOfUnit(vectors, atom * dimension) : Double.NaN;
        }
        return found;
    }

    private static void readVector(Node atom, float[] vectors, int begin, int dimension) {
        double[] stored = Vectors.of(Present.property(atom, "embedding"));
        boolean fits = stored != null && stored.length == dimension;
        double length = fits ? Math.sqrt(Arrays.stream(stored).map(value -> value * value).sum()) : 0;
        for (int position = 0; position < dimension; position++) {
            vectors[begin + position] = length > 0 ? (float) (stored[position] / length) : Float.NaN;
        }
    }
}
