package qcg.method.lp;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.LinkModel;
import qcg.request.Call;
import qcg.request.Permission;
import qcg.request.Vectors;
import qcg.store.Present;
import qcg.store.Types;

/**
 * The atoms' vectors in a predictor: as they are stored, or computed from embeddings and neighbours; each once. An atom that
 * another transaction has deleted is a `NotFoundException`; a neighbour that it has deleted takes no part.
 */
public final class AtomVectors {
    /** A neighbour and the score of what joins it. */
    public record Neighbour(Node node, double score) {}

    private static final String STORED = "linkVector";

    private final Call<?> call;
    private final LinkModel model;
    private final Label atoms;
    private final Permission permission;
    private final ProcedureMemoryTracker memory;
    private final Map<Node, List<Neighbour>> neighbours = new HashMap<>();
    private final List<Map<Node, float[]>> vectors = new ArrayList<>();

    /** The vectors for a call, of what it permits. */
    public AtomVectors(Call<?> call, LinkModel model, Permission permission, ProcedureMemoryTracker memory) {
        this.call = call;
        this.model = model;
        this.atoms = call.corpus().mark("Atom");
        this.permission = permission;
        this.memory = memory;
        for (int layer = 0; layer <= model.shape().layers(); layer++) {
            vectors.add(new HashMap<>());
        }
    }

    /** The vector of an atom. */
    public float[] of(Node atom) {
        return at(model.shape().layers(), atom);
    }

    /** The embedding of an atom. */
    public float[] embedding(Node atom) {
        return at(0, atom);
    }

    /** The mean or the sum of the neighbours' vectors, but for one of them (null to leave out none). */
    public float[] common(Node atom, Node without) {
        if (model.shape().common() == LinkModel.Common.NONE) {
            return new float[0];
        }
        float[] found = new float[model.shape().hidden()];
        int number = 0;
        for (Neighbour neighbour : neighbours(atom)) {
            float[] vector = neighbour.node.equals(without) ? null : Present.read(() -> of(neighbour.node), null);
            if (vector != null) {
                add(found, vector, 1);
                number++;
            }
        }
        if (model.shape().common() == LinkModel.Common.MEAN && number > 1) {
            scale(found, 1f / number);
        }
        return found;
    }

    /** The permitted atoms that an atom is joined with. */
    public List<Neighbour> neighbours(Node atom) {
        List<Neighbour> known = neighbours.get(atom);
        if (known == null) {
            known = new ArrayList<>();
            for (Relationship joined : Present.relationships(atom, Direction.BOTH, call.guard(), Types.SIMILAR_TO)) {
                Node other = joined.getOtherNode(atom);
                boolean takesPart = Present.read(() -> other.hasLabel(atoms), false) && permission.ofNode(other);
                if (takesPart && Present.property(joined, "score") instanceof Number score) {
                    known.add(new Neighbour(other, score.doubleValue()));
                }
            }
            memory.allocateHeap(32L * (known.size() + 2));
            neighbours.put(atom, known);
        }
        return known;
    }

    private float[] at(int layer, Node atom) {
        float[] known = vectors.get(layer).get(atom);
        if (known == null) {
            call.guard().check();
            known = layer == 0 ? read(atom, "embedding", model.shape().dimension()) : null;
            // What is stored was made of all neighbours.
            boolean mayRead = !permission.isRestricted() && atom.hasProperty(STORED);
            if (layer > 0 && layer == model.shape().layers() && mayRead) {
                known = read(atom, STORED, model.shape().hidden());
            }
            known = known == null ? passed(layer, atom) : known;
            memory.allocateHeap(4L * known.length + 64);
            vectors.get(layer).put(atom, known);
        }
        return known;
    }

    private float[] passed(int layer, Node atom) {
        float[] own = at(layer - 1, atom);
        float[] mean = new float[own.length];
        double total = 0;
        for (Neighbour neighbour : neighbours(atom)) {
            float[] vector = Present.read(() -> at(layer - 1, neighbour.node), null);
            if (vector != null) {
                add(mean, vector, (float) neighbour.score);
                total += neighbour.score;
            }
        }
        if (total > 0) {
            scale(mean, (float) (1 / total));
        }
        return model.pass(layer - 1, own, mean);
    }

    private float[] read(Node atom, String property, int dimension) {
        double[] values = Vectors.of(atom.getProperty(property, null));
        if (values == null || values.length != dimension) {
            throw call.refusal(
                    "the property %s of the atom %s has %s, but the link predictor needs %d numbers."
                            + " `qcg train link-predictor` trains one for the present graph.",
                    property,
                    atom.getProperty("id", atom.getElementId()),
                    values == null ? "no vector" : values.length,
                    dimension);
        }
        return Vectors.floats(values);
    }

    private static void add(float[] sum, float[] values, float factor) {
        for (int place = 0; place < sum.length; place++) {
            sum[place] += factor * values[place];
        }
    }

    private static void scale(float[] values, float factor) {
        for (int place = 0; place < values.length; place++) {
            values[place] *= factor;
        }
    }
}
