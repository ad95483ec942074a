// Written by procedures/options.py from the settings of the Python package; `make plugins` keeps it current.
package qcg.config;

import java.util.List;
import java.util.Map;

/** The configurations of the procedures as records: of each key its range and its meaning, as Python declares them. */
public final class Configs {
    public static final String CORPUS_DEFAULT = "default";
    public static final String CORPUS_MARK = "Qcg";
    public static final String CORPUS_NAME = "[a-z][a-z0-9]*(?:_[a-z0-9]+)*";
    public static final String CORPUS_OWN = "\\b(?:Qcg[A-Z]|qcg_[a-z])\\w*|(?<=[:|])RELATED_TO\\b";
    public static final int CORPUS_LONGEST = 30;

    public record AllPathsConfig(
            @Key(standard = "3", minimum = 1, maximum = 10, meaning = "Maximum number of triples per path (L).") long maxLength,
            @Key(standard = {"RELATED_TO"}, minimum = 1, meaning = "Relationship types to follow.") List<String> relationshipTypes,
            @Key(standard = "outgoing", choices = {"outgoing", "incoming", "undirected"}, meaning = "Direction in which triples are followed.") String direction,
            @Key(standard = "embedding", meaning = "Property with the vector of a relationship.") String vectorProperty,
            @Key(meaning = "Ids of the documents that may be used; null for all.") List<String> permitted,
            @Key(standard = "id", meaning = "Property that identifies a relationship; if missing, the element id.") String idProperty,
            @Key(standard = "10000000", minimum = 1, meaning = "Maximum number of path extensions; more is an error.") long maxExpansions,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements PathConfig {
        public static final String KEYS = "maxExpansions 10000000, maxLength 3, relationshipTypes ['RELATED_TO'], direction 'outgoing' | "
                + "'incoming' | 'undirected', vectorProperty 'embedding', permitted null, idProperty 'id', corpus "
                + "'default'";
    }

    public record AtomicConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "0.1", minimum = 0.0, maximum = 100.0, meaning = "Weight of the nearest atom as a seed (λ); an entity's weight is its cosine.") double atomWeight,
            @Key(standard = "0", minimum = 0, maximum = 100000, meaning = "Number of nearest atoms used as seeds; 0 = all of up to 50,000, the nearest 100 of more.") long atomSeeds,
            @Key(standard = "0.3", minimum = -1.0, maximum = 1.0, meaning = "Minimum cosine of a seed entity; if none reaches it, the nearest entity is used.") double entityFloor,
            @Key(standard = "20", minimum = 0, maximum = 1000, meaning = "Maximum number of seed entities.") long entitySeeds,
            @Key(standard = "0.3", minimum = 0.0, maximum = 0.99, meaning = "Damping: probability that the walk follows a relationship instead of restarting.") double damping,
            @Key(standard = "true", meaning = "Follow SYNONYM_OF.") boolean synonyms,
            @Key(standard = "25", minimum = 1, maximum = 1000, meaning = "Number of atoms kept per question and in total (K).") long atoms,
            @Key(standard = "push", choices = {"push", "gds"}, meaning = "Personalized PageRank: push (forward push on an in-memory copy, plug-in qcg), rounds (in Cypher, no plug-in required) or gds (GDS on a projection, plug-in qcg).") String propagation,
            @Key(standard = "1e-8", minimum = 1e-15, maximum = 1.0, meaning = "Maximum error of push per unit of a node's weighted degree.") double tolerance,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "atomWeight 0.1, atomSeeds 0, entityFloor 0.3, entitySeeds 20, damping 0.3, synonyms true, atoms "
                + "25, propagation 'push' | 'gds', tolerance 1e-8, contextTokens 6000, where null, passages 5, "
                + "candidateFactor 4, corpus 'default'";
    }

    public record BaseConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "contextTokens 6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record BeamConfig(
            @Key(standard = "3", minimum = 1, maximum = 10, meaning = "Maximum number of triples per path (L).") long maxLength,
            @Key(standard = {"RELATED_TO"}, minimum = 1, meaning = "Relationship types to follow.") List<String> relationshipTypes,
            @Key(standard = "outgoing", choices = {"outgoing", "incoming", "undirected"}, meaning = "Direction in which triples are followed.") String direction,
            @Key(standard = "embedding", meaning = "Property with the vector of a relationship.") String vectorProperty,
            @Key(meaning = "Ids of the documents that may be used; null for all.") List<String> permitted,
            @Key(standard = "id", meaning = "Property that identifies a relationship; if missing, the element id.") String idProperty,
            @Key(standard = "3", minimum = 1, maximum = 10000, meaning = "Beam width: triples followed per partial path (W).") long beamWidth,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements PathConfig {
        public static final String KEYS = "beamWidth 3, maxLength 3, relationshipTypes ['RELATED_TO'], direction 'outgoing' | 'incoming' | "
                + "'undirected', vectorProperty 'embedding', permitted null, idProperty 'id', corpus 'default'";
    }

    public record GraphragGlobalConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(standard = "1", minimum = 0, meaning = "Level of the communities (C0 is the root).") long level,
            @Key(standard = "5", minimum = 1, meaning = "Number of reports that retrieval returns and that `similar` reads.") long reports,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "level 1, reports 5, contextTokens 6000, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record GraphragLocalConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(standard = "10", minimum = 1, maximum = 1000, meaning = "Number of entities nearest to the question.") long entities,
            @Key(standard = "entity", choices = {"entity", "relation"}, meaning = "Order of chunks: by their nearest entity, then by how many relations they state; or by their best relation.") String ranking,
            @Key(standard = "100", minimum = 1, maximum = 1000, meaning = "Maximum number of relations, of claims and of reports.") long relations,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "entities 10, ranking 'entity' | 'relation', relations 100, contextTokens 6000, passages 5, "
                + "candidateFactor 4, corpus 'default'";
    }

    public record HybridConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "100", minimum = 1, maximum = 1000, meaning = "Number of nearest entries per layer; at least the number of candidates.") long hits,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the best window's cosine.") double windowWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of BM25 relative to the question's best score.") double fulltextWeight,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "hits 100, windowWeight 1.0, fulltextWeight 1.0, contextTokens 6000, where null, passages 5, "
                + "candidateFactor 4, corpus 'default'";
    }

    public record KgCqrConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "20", minimum = 1, maximum = 1000, meaning = "Number of nearest triples that start the subgraph (k); the paper gives no value.") long triples,
            @Key(standard = "beam", choices = {"beam", "all", "none"}, meaning = "How paths between the subgraph's entities are found.") String completion,
            @Key(standard = "3", minimum = 1, maximum = 1000, meaning = "Beam width: triples followed per partial path (W).") long beamWidth,
            @Key(standard = "3", minimum = 1, maximum = 6, meaning = "Maximum number of triples per path (L).") long pathLength,
            @Key(standard = "outgoing", choices = {"outgoing", "undirected"}, meaning = "Direction in which triples are followed.") String direction,
            @Key(standard = "20", minimum = 0, maximum = 1000, meaning = "Maximum number of triples added by paths (K).") long addedTriples,
            @Key(standard = "joined", choices = {"joined", "none"}, meaning = "The context: the triples' texts joined, a language model's summary of them, or none.") String context,
            @Key(standard = "0.7", minimum = 0, maximum = 1, meaning = "Weight of the question in the fused vector (α); 1 = vector search.") double alpha,
            @Key(standard = "vector", choices = {"vector", "fulltext", "layers"}, meaning = "Search for chunks by the fused vector, by BM25 with the context, or by best window and best triple.") String search,
            @Key(standard = "50", minimum = 2, maximum = 1000, meaning = "Number of chunks per layer (search=layers).") long layerCandidates,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the best window (search=layers).") double vectorWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the best triple (search=layers).") double tripleWeight,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "triples 20, completion 'beam' | 'all' | 'none', beamWidth 3, pathLength 3, direction 'outgoing' "
                + "| 'undirected', addedTriples 20, context 'joined' | 'none', alpha 0.7, search 'vector' | "
                + "'fulltext' | 'layers', layerCandidates 50, vectorWeight 1.0, tripleWeight 1.0, contextTokens "
                + "6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record LayersConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "100", minimum = 1, maximum = 1000, meaning = "Number of nearest entries per layer; at least the number of candidates.") long hits,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the cosine of a chunk's best query.") double queryWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the cosine of its best window.") double windowWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the cosine of its best atom.") double atomWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the cosine of its best triple.") double tripleWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of BM25 relative to the question's best score.") double fulltextWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of BM25 over the text with its queries, atoms and triples, relative to the best score.") double expandedWeight,
            @Key(standard = "2.0", minimum = 0.0, meaning = "Weight of a day of the question that a chunk names, or its document is of.") double dateWeight,
            @Key(standard = "3.0", minimum = 0.0, meaning = "Weight of the walk over entities, if it starts at the best chunks.") double walkWeight,
            @Key(standard = "3", minimum = 1, maximum = 1000, meaning = "Number of chunks at which the walk starts.") long walkSeeds,
            @Key(standard = "0.9", minimum = 0.0, maximum = 1.0, meaning = "Share of the walk that starts at the pages of names in the question; 0 = off.") double nameShare,
            @Key(standard = "0.7", minimum = 0.0, maximum = 1.0, meaning = "Minimum share of the mentions of a name that its page holds.") double pageShare,
            @Key(standard = "10.0", minimum = 0.0, meaning = "Weight of the walk over entities, if it starts at names.") double chainWeight,
            @Key(standard = "2.0", minimum = 0.0, meaning = "When the question names an entity, weight chunks by (how much they are about an entity) to this power.") double aboutPower,
            @Key(standard = "10.0", minimum = 0.0, meaning = "When the question names an entity, weight entities by exp(x · cosine of their best triple); 0 = off.") double relationSharpness,
            @Key(standard = "10", minimum = 0, maximum = 1000, meaning = "When the question names an entity, number of chunks from which half of the walk continues; 0 = off.") long furtherChunks,
            @Key(standard = "true", meaning = "When the question names an entity, compare other chunks with the question without its names.") boolean restAlone,
            @Key(standard = "1000", minimum = 1, meaning = "Maximum number of chunks of an entity that the walk follows.") long maxEntityDegree,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "hits 100, queryWeight 1.0, windowWeight 1.0, atomWeight 1.0, tripleWeight 1.0, fulltextWeight "
                + "1.0, expandedWeight 1.0, dateWeight 2.0, walkWeight 3.0, walkSeeds 3, nameShare 0.9, pageShare "
                + "0.7, chainWeight 10.0, aboutPower 2.0, relationSharpness 10.0, furtherChunks 10, restAlone "
                + "true, maxEntityDegree 1000, contextTokens 6000, where null, passages 5, candidateFactor 4, "
                + "corpus 'default'";
    }

    public record LinkConfig(
            @Key(standard = "0", minimum = 0, meaning = "Atoms at most; 0 for all.") long atoms,
            @Key(standard = "top", choices = {"top", "threshold"}, meaning = "Keep the best atoms, or only atoms that reach the predictor's threshold (σ ≥ 0.5 with recipe=paper).") String selection,
            @Key(standard = "3", minimum = 0, maximum = 100, meaning = "Number of neighbours shown per atom.") long reasons,
            @Key(meaning = "Ids of the documents that may be used; null for all.") List<String> permitted,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements Config {
        public static final String KEYS = "atoms 0, selection 'top' | 'threshold', reasons 3, permitted null, corpus 'default'";
    }

    public record LpConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "200", minimum = 0, maximum = 100000, meaning = "Number of nearest atoms that the predictor ranks; 0 = all.") long candidates,
            @Key(standard = "25", minimum = 1, maximum = 100000, meaning = "Maximum number of atoms (k).") long atoms,
            @Key(standard = "top", choices = {"top", "threshold"}, meaning = "Keep the best atoms, or only atoms that reach the predictor's threshold (σ ≥ 0.5 with recipe=paper).") String selection,
            @Key(standard = "3", minimum = 0, maximum = 100, meaning = "Number of neighbours shown per atom.") long reasons,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "candidates 200, atoms 25, selection 'top' | 'threshold', reasons 3, contextTokens 6000, where "
                + "null, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record PageRankConfig(
            @Key(standard = "0.3", minimum = 0.0, maximum = 0.99, meaning = "Damping: probability that the walk follows a relationship instead of restarting.") double damping,
            @Key(standard = "1e-8", minimum = 1e-15, maximum = 1.0, meaning = "Maximum error of push per unit of a node's weighted degree.") double tolerance,
            @Key(standard = "true", meaning = "Follow SYNONYM_OF.") boolean synonyms,
            @Key(standard = "false", meaning = "Return atoms only, no entities.") boolean atomsAlone,
            @Key(standard = "0", minimum = 0, meaning = "Number of nodes with the highest scores, ties included; 0 = all.") long best,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements Config {
        public static final String KEYS = "damping 0.3, tolerance 1e-8, synonyms true, atomsAlone false, best 0, corpus 'default'";
    }

    public record QcgConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "15", minimum = 1, maximum = 1000, meaning = "Maximum number of queries nearest to the question (n).") long queries,
            @Key(standard = "1.0", minimum = 0.0, maximum = 2.0, meaning = "Minimum cosine + 1 of a query hit (γ).") double minimumScore,
            @Key(standard = "1", minimum = 0, maximum = 100, meaning = "Number of hops along SIMILAR_TO (h).") long hops,
            @Key(standard = "3", minimum = 1, maximum = 100, meaning = "Number of nearest neighbours followed per query (k).") long neighbours,
            @Key(standard = "mean", choices = {"mean", "max", "sum"}, meaning = "How a chunk's score is computed from its queries' cosines.") String aggregation,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "queries 15, minimumScore 1.0, hops 1, neighbours 3, aggregation 'mean' | 'max' | 'sum', "
                + "contextTokens 6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    }

    public record SnapshotConfig(
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements Config {
        public static final String KEYS = "corpus 'default'";
    }

    public record VectorConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Number of passages (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates from the vector index per hit; more miss less.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Maximum tokens of all passages together.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "windows", choices = {"windows", "mean"}, meaning = "Score a chunk by its best window or by its own vector (the windows' mean).") String scoring,
            @Key(standard = "default", meaning = "Corpus to search.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "scoring 'windows' | 'mean', contextTokens 6000, where null, passages 5, candidateFactor 4, "
                + "corpus 'default'";
    }

    /** The configuration of each procedure that has one. */
    public static final Map<String, Class<? extends Record>> ALL = Map.ofEntries(
            Map.entry("qcg.evidence.atomic", AtomicConfig.class),
            Map.entry("qcg.evidence.kgCqr", KgCqrConfig.class),
            Map.entry("qcg.links.score", LinkConfig.class),
            Map.entry("qcg.pageRank.push", PageRankConfig.class),
            Map.entry("qcg.paths.all", AllPathsConfig.class),
            Map.entry("qcg.paths.beam", BeamConfig.class),
            Map.entry("qcg.retrieve.atomic", AtomicConfig.class),
            Map.entry("qcg.retrieve.d2q", BaseConfig.class),
            Map.entry("qcg.retrieve.d2qFiltered", BaseConfig.class),
            Map.entry("qcg.retrieve.fulltext", BaseConfig.class),
            Map.entry("qcg.retrieve.graphragGlobal", GraphragGlobalConfig.class),
            Map.entry("qcg.retrieve.graphragLocal", GraphragLocalConfig.class),
            Map.entry("qcg.retrieve.hybrid", HybridConfig.class),
            Map.entry("qcg.retrieve.kgCqr", KgCqrConfig.class),
            Map.entry("qcg.retrieve.layers", LayersConfig.class),
            Map.entry("qcg.retrieve.lp", LpConfig.class),
            Map.entry("qcg.retrieve.qcg", QcgConfig.class),
            Map.entry("qcg.retrieve.vector", VectorConfig.class),
            Map.entry("qcg.snapshot", SnapshotConfig.class));

    private Configs() {}
}
