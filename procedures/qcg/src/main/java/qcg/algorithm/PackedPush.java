package qcg.algorithm;

/** Personalized PageRank by forward push on a graph in arrays; what {@link ForwardPush} promises holds here too. */
public final class PackedPush {
    private final PackedGraph graph;
    private final double damping;
    private final double tolerance;
    private final boolean whole;
    private final double[] ranks;
    private final double[] rests;
    private final double[] degrees;
    private final int[] queue; // a ring: no node waits twice
    private final boolean[] waits;
    private int first;
    private int waiting;

    private PackedPush(PackedGraph graph, double damping, double tolerance, boolean whole) {
        this.graph = graph;
        this.damping = damping;
        this.tolerance = tolerance;
        this.whole = whole;
        this.ranks = new double[graph.nodes()];
        this.rests = new double[graph.nodes()];
        this.degrees = new double[graph.nodes()];
        this.queue = new int[graph.nodes()];
        this.waits = new boolean[graph.nodes()];
    }

    /**
     * The score of every node.
     *
     * @param seeds what the walk begins with at each node
     * @param whole whether edges of the second kind are followed
     * @param work is told of every push
     */
    public static double[] scores(
            PackedGraph graph, double[] seeds, double damping, double tolerance, boolean whole, Runnable work) {
        PackedPush push = new PackedPush(graph, damping, tolerance, whole);
        push.spread(seeds, work);
        for (int node = 0; node < graph.nodes(); node++) {
            push.ranks[node] += (1 - damping) * push.rests[node];
        }
        return push.ranks;
    }

    private void spread(double[] seeds, Runnable work) {
        for (int node = 0; node < seeds.length; node++) {
            if (seeds[node] > 0) {
                receive(node, seeds[node]);
            }
        }
        while (waiting > 0) {
            int node = queue[first];
            first = first + 1 == queue.length ? 0 : first + 1;
            waiting--;
            waits[node] = false;
            work.run();
            pass(node);
        }
    }

    private void receive(int node, double amount) {
        rests[node] += amount;
        if (!waits[node] && rests[node] > tolerance * degree(node)) {
            waits[node] = true;
            int last = first + waiting++;
            queue[last >= queue.length ? last - queue.length : last] = node;
        }
    }

    private void pass(int node) {
        double amount = rests[node];
        rests[node] = 0;
        ranks[node] += (1 - damping) * amount;
        double share = damping * amount / degrees[node];
        for (int edge = graph.begin(node); edge < graph.end(node, whole); edge++) {
            receive(graph.neighbour(edge), share * graph.weight(edge));
        }
    }

    /** Summed up where the walk comes to; a small part of a large graph. */
    private double degree(int node) {
        if (degrees[node] == 0) {
            for (int edge = graph.begin(node); edge < graph.end(node, whole); edge++) {
                degrees[node] += graph.weight(edge);
            }
        }
        return degrees[node];
    }
}
