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
            @Key(standard = "3", minimum = 1, maximum = 10, meaning = "Triples of a path at most (L).") long maxLength,
            @Key(standard = {"RELATED_TO"}, minimum = 1, meaning = "Types that are followed.") List<String> relationshipTypes,
            @Key(standard = "outgoing", choices = {"outgoing", "incoming", "undirected"}, meaning = "Which way triples are followed.") String direction,
            @Key(standard = "embedding", meaning = "Property of a relationship that holds its vector.") String vectorProperty,
            @Key(meaning = "Ids of the documents that may be used; null for all.") List<String> permitted,
            @Key(standard = "id", meaning = "Property that tells relationships apart; where it is missing, the element id.") String idProperty,
            @Key(standard = "false", meaning = "Whether the corpus's copy in memory is searched; faster, but only what stages write is sure to be in it.") boolean snapshot,
            @Key(standard = "10000000", minimum = 1, meaning = "Extensions of paths that are looked at; more is an error.") long maxExpansions,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements PathConfig {
        public static final String KEYS = "maxExpansions 10000000, "
                + "maxLength 3, "
                + "relationshipTypes ['RELATED_TO'], "
                + "direction 'outgoing' | 'incoming' | 'undirected', "
                + "vectorProperty 'embedding', "
                + "permitted null, "
                + "idProperty 'id', "
                + "snapshot false, "
                + "corpus 'default'";
    }

    public record AtomicConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "0.1", minimum = 0.0, maximum = 100.0, meaning = "What the nearest atom weighs as a seed (λ); an entity weighs its cosine.") double atomWeight,
            @Key(standard = "0", minimum = 0, maximum = 100000, meaning = "Nearest atoms that are seeds; 0 for all.") long atomSeeds,
            @Key(standard = "0.3", minimum = -1.0, maximum = 1.0, meaning = "Least cosine of an entity that is a seed; if none has it, the nearest is.") double entityFloor,
            @Key(standard = "20", minimum = 0, maximum = 1000, meaning = "Entities that are seeds at most.") long entitySeeds,
            @Key(standard = "0.3", minimum = 0.0, maximum = 0.99, meaning = "Probability that the walk follows a relationship; else it begins anew.") double damping,
            @Key(standard = "true", meaning = "Whether the walk follows SYNONYM_OF.") boolean synonyms,
            @Key(standard = "25", minimum = 1, maximum = 1000, meaning = "Atoms kept per question, and of all (K).") long atoms,
            @Key(standard = "push", choices = {"push", "gds"}, meaning = "Personalized PageRank by forward push on a copy of the graph in the server's memory (plug-in qcg), by rounds of Cypher (also on a server without the plug-in), or by GDS on a projection (plug-in qcg).") String propagation,
            @Key(standard = "1e-8", minimum = 1e-15, maximum = 1.0, meaning = "By how much push may fall short, per unit of a node's weighted degree.") double tolerance,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "atomWeight 0.1, "
                + "atomSeeds 0, "
                + "entityFloor 0.3, "
                + "entitySeeds 20, "
                + "damping 0.3, "
                + "synonyms true, "
                + "atoms 25, "
                + "propagation 'push' | 'gds', "
                + "tolerance 1e-8, "
                + "contextTokens 6000, "
                + "where null, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record BaseConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "contextTokens 6000, "
                + "where null, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record BeamConfig(
            @Key(standard = "3", minimum = 1, maximum = 10, meaning = "Triples of a path at most (L).") long maxLength,
            @Key(standard = {"RELATED_TO"}, minimum = 1, meaning = "Types that are followed.") List<String> relationshipTypes,
            @Key(standard = "outgoing", choices = {"outgoing", "incoming", "undirected"}, meaning = "Which way triples are followed.") String direction,
            @Key(standard = "embedding", meaning = "Property of a relationship that holds its vector.") String vectorProperty,
            @Key(meaning = "Ids of the documents that may be used; null for all.") List<String> permitted,
            @Key(standard = "id", meaning = "Property that tells relationships apart; where it is missing, the element id.") String idProperty,
            @Key(standard = "false", meaning = "Whether the corpus's copy in memory is searched; faster, but only what stages write is sure to be in it.") boolean snapshot,
            @Key(standard = "3", minimum = 1, maximum = 10000, meaning = "Triples that a partial path goes on with (W).") long beamWidth,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements PathConfig {
        public static final String KEYS = "beamWidth 3, "
                + "maxLength 3, "
                + "relationshipTypes ['RELATED_TO'], "
                + "direction 'outgoing' | 'incoming' | 'undirected', "
                + "vectorProperty 'embedding', "
                + "permitted null, "
                + "idProperty 'id', "
                + "snapshot false, "
                + "corpus 'default'";
    }

    public record GraphragGlobalConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(standard = "1", minimum = 0, meaning = "Level of the communities (C0 is the root).") long level,
            @Key(standard = "5", minimum = 1, meaning = "Reports that retrieval returns, and that the choice `similar` reads.") long reports,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "level 1, "
                + "reports 5, "
                + "contextTokens 6000, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record GraphragLocalConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(standard = "10", minimum = 1, maximum = 1000, meaning = "Entities that the question hits.") long entities,
            @Key(standard = "entity", choices = {"entity", "relation"}, meaning = "Order of chunks: by their nearest entity, then by how many relations they state; or by their best relation.") String ranking,
            @Key(standard = "100", minimum = 1, maximum = 1000, meaning = "Relations, claims and reports that are taken, each.") long relations,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "entities 10, "
                + "ranking 'entity' | 'relation', "
                + "relations 100, "
                + "contextTokens 6000, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record HybridConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "100", minimum = 1, maximum = 1000, meaning = "Entries nearest to the question that each layer brings, at least the candidates.") long hits,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the best window's cosine.") double windowWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of BM25, as a share of the question's best.") double fulltextWeight,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "hits 100, "
                + "windowWeight 1.0, "
                + "fulltextWeight 1.0, "
                + "contextTokens 6000, "
                + "where null, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record KgCqrConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "20", minimum = 1, maximum = 1000, meaning = "Nearest triples that the subgraph begins with (k); the paper has no value.") long triples,
            @Key(standard = "beam", choices = {"beam", "all", "none"}, meaning = "How paths between the subgraph's entities are found.") String completion,
            @Key(standard = "3", minimum = 1, maximum = 1000, meaning = "Triples that a partial path goes on with (W).") long beamWidth,
            @Key(standard = "3", minimum = 1, maximum = 6, meaning = "Triples of a path at most (L).") long pathLength,
            @Key(standard = "outgoing", choices = {"outgoing", "undirected"}, meaning = "Which way triples are followed.") String direction,
            @Key(standard = "20", minimum = 0, maximum = 1000, meaning = "Triples that paths add at most (K).") long addedTriples,
            @Key(standard = "joined", choices = {"joined", "none"}, meaning = "The context: the triples' texts joined, a language model's summary of them, or none.") String context,
            @Key(standard = "0.7", minimum = 0, maximum = 1, meaning = "Share of the question in the fused vector (α); 1 is the plain retriever.") double alpha,
            @Key(standard = "vector", choices = {"vector", "fulltext", "layers"}, meaning = "How chunks are found: by the fused vector, by BM25 with the context, or by best window and best triple.") String search,
            @Key(standard = "50", minimum = 2, maximum = 1000, meaning = "Chunks that each of the two layers proposes (search = layers).") long layerCandidates,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the best window (search = layers).") double vectorWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the best triple (search = layers).") double tripleWeight,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "triples 20, "
                + "completion 'beam' | 'all' | 'none', "
                + "beamWidth 3, "
                + "pathLength 3, "
                + "direction 'outgoing' | 'undirected', "
                + "addedTriples 20, "
                + "context 'joined' | 'none', "
                + "alpha 0.7, "
                + "search 'vector' | 'fulltext' | 'layers', "
                + "layerCandidates 50, "
                + "vectorWeight 1.0, "
                + "tripleWeight 1.0, "
                + "contextTokens 6000, "
                + "where null, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record LayersConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "100", minimum = 1, maximum = 1000, meaning = "Entries nearest to the question that each layer brings, at least the candidates.") long hits,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the cosine of a chunk's best query.") double queryWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the cosine of its best window.") double windowWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the cosine of its best atom.") double atomWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of the cosine of its best triple.") double tripleWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of BM25, as a share of the question's best.") double fulltextWeight,
            @Key(standard = "1.0", minimum = 0.0, meaning = "Weight of BM25 over the text with its queries, atoms and triples, as a share of the best.") double expandedWeight,
            @Key(standard = "2.0", minimum = 0.0, meaning = "Weight of a day of the question that a chunk names, or its document is of.") double dateWeight,
            @Key(standard = "3.0", minimum = 0.0, meaning = "Weight of being reached over entities that the most promising chunks name.") double walkWeight,
            @Key(standard = "3", minimum = 1, maximum = 1000, meaning = "Chunks that the walk begins at.") long walkSeeds,
            @Key(standard = "0.9", minimum = 0.0, maximum = 1.0, meaning = "Share of the walk that begins at the pages of names in the question; 0 looks for no names.") double nameShare,
            @Key(standard = "0.7", minimum = 0.0, maximum = 1.0, meaning = "Share of what chunks say about a name that one must hold to be its page.") double pageShare,
            @Key(standard = "10.0", minimum = 0.0, meaning = "Weight of being reached where the walk begins at names.") double chainWeight,
            @Key(standard = "2.0", minimum = 0.0, meaning = "With names: the walk prefers chunks by how much they are about an entity, to this power.") double aboutPower,
            @Key(standard = "10.0", minimum = 0.0, meaning = "With names: the walk prefers entities by e to so many cosines of their triple; 0 none.") double relationSharpness,
            @Key(standard = "10", minimum = 0, maximum = 1000, meaning = "With names: chunks from which half of the walk goes on once more; 0 none.") long furtherChunks,
            @Key(standard = "true", meaning = "With names: whether all chunks but their pages are compared with the question without its names.") boolean restAlone,
            @Key(standard = "1000", minimum = 1, meaning = "Entities that more chunks name are not followed.") long maxEntityDegree,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "hits 100, "
                + "queryWeight 1.0, "
                + "windowWeight 1.0, "
                + "atomWeight 1.0, "
                + "tripleWeight 1.0, "
                + "fulltextWeight 1.0, "
                + "expandedWeight 1.0, "
                + "dateWeight 2.0, "
                + "walkWeight 3.0, "
                + "walkSeeds 3, "
                + "nameShare 0.9, "
                + "pageShare 0.7, "
                + "chainWeight 10.0, "
                + "aboutPower 2.0, "
                + "relationSharpness 10.0, "
                + "furtherChunks 10, "
                + "restAlone true, "
                + "maxEntityDegree 1000, "
                + "contextTokens 6000, "
                + "where null, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record LinkConfig(
            @Key(standard = "0", minimum = 0, meaning = "Atoms at most; 0 for all.") long atoms,
            @Key(standard = "top", choices = {"top", "threshold"}, meaning = "Keep the best atoms, or those of them that reach the predictor's threshold (σ ≥ 0.5 in the strict form).") String selection,
            @Key(standard = "3", minimum = 0, maximum = 100, meaning = "Neighbours shown that raised an atom.") long reasons,
            @Key(meaning = "Ids of the documents that may be used; null for all.") List<String> permitted,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements Config {
        public static final String KEYS = "atoms 0, "
                + "selection 'top' | 'threshold', "
                + "reasons 3, "
                + "permitted null, "
                + "corpus 'default'";
    }

    public record LpConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "200", minimum = 0, maximum = 100000, meaning = "Nearest atoms that the predictor ranks; 0 for all.") long candidates,
            @Key(standard = "25", minimum = 1, maximum = 100000, meaning = "Atoms kept at most (k).") long atoms,
            @Key(standard = "top", choices = {"top", "threshold"}, meaning = "Keep the best atoms, or those of them that reach the predictor's threshold (σ ≥ 0.5 in the strict form).") String selection,
            @Key(standard = "3", minimum = 0, maximum = 100, meaning = "Neighbours shown that raised an atom.") long reasons,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "candidates 200, "
                + "atoms 25, "
                + "selection 'top' | 'threshold', "
                + "reasons 3, "
                + "contextTokens 6000, "
                + "where null, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record PageRankConfig(
            @Key(standard = "0.3", minimum = 0.0, maximum = 0.99, meaning = "Probability that the walk follows a relationship; else it begins anew.") double damping,
            @Key(standard = "1e-8", minimum = 1e-15, maximum = 1.0, meaning = "By how much push may fall short, per unit of a node's weighted degree.") double tolerance,
            @Key(standard = "true", meaning = "Whether the walk follows SYNONYM_OF.") boolean synonyms,
            @Key(standard = "false", meaning = "Whether atoms alone are returned, and no entities.") boolean atomsAlone,
            @Key(standard = "0", minimum = 0, meaning = "Only this many nodes with the highest scores, and those that tie with the last; 0 for all.") long best,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements Config {
        public static final String KEYS = "damping 0.3, "
                + "tolerance 1e-8, "
                + "synonyms true, "
                + "atomsAlone false, "
                + "best 0, "
                + "corpus 'default'";
    }

    public record QcgConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "15", minimum = 1, maximum = 1000, meaning = "Queries that the question hits at most (n).") long queries,
            @Key(standard = "1.0", minimum = 0.0, maximum = 2.0, meaning = "Least cosine + 1 of a query that counts as hit (γ).") double minimumScore,
            @Key(standard = "1", minimum = 0, maximum = 2, meaning = "Hops along SIMILAR_TO (h).") long hops,
            @Key(standard = "3", minimum = 1, maximum = 100, meaning = "Nearest neighbours of a query that are followed (k).") long neighbours,
            @Key(standard = "mean", choices = {"mean", "max", "sum"}, meaning = "A chunk's score from its queries' cosines.") String aggregation,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "queries 15, "
                + "minimumScore 1.0, "
                + "hops 1, "
                + "neighbours 3, "
                + "aggregation 'mean' | 'max' | 'sum', "
                + "contextTokens 6000, "
                + "where null, "
                + "passages 5, "
                + "candidateFactor 4, "
                + "corpus 'default'";
    }

    public record SnapshotConfig(
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements Config {
        public static final String KEYS = "corpus 'default'";
    }

    public record VectorConfig(
            @Key(standard = "5", minimum = 1, maximum = 1000, meaning = "Passages returned at most (K).") long passages,
            @Key(standard = "4", minimum = 1, maximum = 100, meaning = "Candidates per wanted hit taken from a vector index, then scored exactly.") long candidateFactor,
            @Key(standard = "6000", minimum = 1, meaning = "Tokens of all passages together at most.") long contextTokens,
            @Key(meaning = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}.") Object where,
            @Key(standard = "windows", choices = {"windows", "mean"}, meaning = "Score a chunk by its best window, or by its own vector (the windows' mean).") String scoring,
            @Key(standard = "default", meaning = "Which of the database's corpora is asked.") String corpus)
            implements RetrieveConfig {
        public static final String KEYS = "scoring 'windows' | 'mean', "
                + "contextTokens 6000, "
                + "where null, "
                + "passages 5, "
                + "candidateFactor 4, "
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
