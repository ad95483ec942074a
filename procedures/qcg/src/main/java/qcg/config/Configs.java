// Written by procedures/options.py from the settings of the Python package; `make plugins` keeps it current.
package qcg.config;

import java.util.List;

/** What Python declares: the configurations as records, and how corpora are named; options.tsv has the ranges. */
public final class Configs {
    public static final String CORPUS_DEFAULT = "default";
    public static final String CORPUS_MARK = "Qcg";
    public static final String CORPUS_NAME = "[a-z][a-z0-9]*(?:_[a-z0-9]+)*";
    public static final String CORPUS_OWN = "\\b(?:Qcg[A-Z]|qcg_[a-z])\\w*|(?<=[:|])RELATED_TO\\b";
    public static final int CORPUS_LONGEST = 30;

    public record AtomicConfig(
            long passages, long candidateFactor, long contextTokens, Object where, double atomWeight,
            long atomSeeds, double entityFloor, long entitySeeds, double damping, boolean synonyms,
            long atoms, String propagation, double tolerance, String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "atomWeight 0.1, atomSeeds 0, entityFloor 0.3, entitySeeds 20, damping 0.3, synonyms true, atoms "
                + "25, propagation 'push' | 'gds', tolerance 1e-8, contextTokens 6000, where null, passages 5, "
                + "candidateFactor 4, corpus 'default'";
    }

    public record BaseConfig(
            long passages, long candidateFactor, long contextTokens, Object where, String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "contextTokens 6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record BeamConfig(
            long maxLength, List<String> relationshipTypes, String direction, String vectorProperty,
            List<String> permitted, String idProperty, long beamWidth, String corpus)
            implements Config {
        public static final String KEYS = "maxLength 3, relationshipTypes ['RELATED_TO'], direction 'outgoing' | 'incoming' | "
                + "'undirected', vectorProperty 'embedding', permitted null, idProperty 'id', beamWidth 3, corpus "
                + "'default'";
    }

    public record GraphragGlobalConfig(
            long passages, long candidateFactor, long contextTokens, long level, long reports,
            String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "level 1, reports 5, contextTokens 6000, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record GraphragLocalConfig(
            long passages, long candidateFactor, long contextTokens, long entities, String ranking,
            long relations, String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "entities 10, ranking 'entity' | 'relation', relations 100, contextTokens 6000, passages 5, "
                + "candidateFactor 4, corpus 'default'";
    }

    public record HybridConfig(
            long passages, long candidateFactor, long contextTokens, Object where, long hits,
            double windowWeight, double fulltextWeight, String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "hits 100, windowWeight 1.0, fulltextWeight 1.0, contextTokens 6000, where null, passages 5, "
                + "candidateFactor 4, corpus 'default'";
    }

    public record KgCqrConfig(
            long passages, long candidateFactor, long contextTokens, Object where, long triples,
            String completion, long beamWidth, long pathLength, String direction, long addedTriples,
            String context, double alpha, String search, long layerCandidates, double vectorWeight,
            double tripleWeight, String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "triples 20, completion 'beam' | 'all' | 'none', beamWidth 3, pathLength 3, direction 'outgoing' "
                + "| 'undirected', addedTriples 20, context 'joined' | 'none', alpha 0.7, search 'vector' | "
                + "'fulltext' | 'layers', layerCandidates 50, vectorWeight 1.0, tripleWeight 1.0, contextTokens "
                + "6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record LayersConfig(
            long passages, long candidateFactor, long contextTokens, Object where, long hits,
            double queryWeight, double windowWeight, double atomWeight, double tripleWeight,
            double fulltextWeight, double expandedWeight, double dateWeight, double walkWeight,
            long walkSeeds, double nameShare, double pageShare, double chainWeight, double aboutPower,
            double relationSharpness, long furtherChunks, boolean restAlone, long maxEntityDegree,
            String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "hits 100, queryWeight 1.0, windowWeight 1.0, atomWeight 1.0, tripleWeight 1.0, fulltextWeight "
                + "1.0, expandedWeight 1.0, dateWeight 2.0, walkWeight 3.0, walkSeeds 3, nameShare 0.9, pageShare "
                + "0.7, chainWeight 10.0, aboutPower 2.0, relationSharpness 10.0, furtherChunks 10, restAlone "
                + "true, maxEntityDegree 1000, contextTokens 6000, where null, passages 5, candidateFactor 4, "
                + "corpus 'default'";
    }

    public record LinkConfig(
            long atoms, String selection, long reasons, List<String> permitted, String corpus)
            implements Config {
        public static final String KEYS = "atoms 0, selection 'top' | 'threshold', reasons 3, permitted null, corpus 'default'";
    }

    public record LpConfig(
            long passages, long candidateFactor, long contextTokens, Object where, long candidates,
            long atoms, String selection, long reasons, String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "candidates 200, atoms 25, selection 'top' | 'threshold', reasons 3, contextTokens 6000, where "
                + "null, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record PageRankConfig(
            double damping, double tolerance, boolean synonyms, boolean atomsAlone, long best,
            String corpus)
            implements Config {
        public static final String KEYS = "damping 0.3, tolerance 1e-8, synonyms true, atomsAlone false, best 0, corpus 'default'";
    }

    public record QcgConfig(
            long passages, long candidateFactor, long contextTokens, Object where, long queries,
            double minimumScore, long hops, long neighbours, String aggregation, String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "queries 15, minimumScore 1.0, hops 1, neighbours 3, aggregation 'mean' | 'max' | 'sum', "
                + "contextTokens 6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record SnapshotConfig(
            String corpus)
            implements Config {
        public static final String KEYS = "corpus 'default'";
    }

    public record VectorConfig(
            long passages, long candidateFactor, long contextTokens, Object where, String scoring,
            String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "scoring 'windows' | 'mean', contextTokens 6000, where null, passages 5, candidateFactor 4, "
                + "corpus 'default'";
    }

    private Configs() {}
}
