// Written by procedures/options.py from the settings of the Python package; `make plugins` keeps it current.
package qcg;

import java.util.List;
import java.util.Map;

/** The options of the procedures, by what declares them in Python, and their descriptions. */
final class Declared {
    static final String CORPUS_DEFAULT = "default";
    static final String CORPUS_NAME = "[a-z][a-z0-9]*(?:_[a-z0-9]+)*";
    static final String CORPUS_OWN = "\\b(?:Qcg[A-Z]|qcg_[a-z])\\w*|(?<=[:|])RELATED_TO\\b";
    static final int CORPUS_LONGEST = 30;

    static final String ALL_PATHS_KEYS = "maxExpansions 10000000, "
            + "maxLength 3, "
            + "relationshipTypes ['RELATED_TO'], "
            + "direction 'outgoing' | 'incoming' | 'undirected', "
            + "vectorProperty 'embedding', "
            + "permitted null, "
            + "idProperty 'id', "
            + "snapshot false, "
            + "corpus 'default'";
    static final Options ALL_PATHS = Options.of(
            Option.whole("maxLength", 3L, 1L, 10L, "Triples of a path at most (L)."),
            Option.texts("relationshipTypes", List.of("RELATED_TO"), 1L, "Types that are followed."),
            Option.text("direction", "outgoing", List.of("outgoing", "incoming", "undirected"), "Which way triples are followed."),
            Option.text("vectorProperty", "embedding", List.of(), "Property of a relationship that holds its vector."),
            Option.maybe("permitted", "LIST<STRING>", "Ids of the documents that may be used; null for all."),
            Option.text("idProperty", "id", List.of(), "Property that tells relationships apart; where it is missing, the element id."),
            Option.flag("snapshot", false, "Whether the corpus's copy in memory is searched; faster, but only what stages write is sure to be in it."),
            Option.whole("maxExpansions", 10000000L, 1L, null, "Extensions of paths that are looked at; more is an error."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String ATOMIC_KEYS = "atomWeight 0.1, "
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
    static final Options ATOMIC = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.maybe("where", "MAP", "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."),
            Option.real("atomWeight", 0.1, 0.0, 100.0, "What the nearest atom weighs as a seed (λ); an entity weighs its cosine."),
            Option.whole("atomSeeds", 0L, 0L, 100000L, "Nearest atoms that are seeds; 0 for all."),
            Option.real("entityFloor", 0.3, -1.0, 1.0, "Least cosine of an entity that is a seed; if none has it, the nearest is."),
            Option.whole("entitySeeds", 20L, 0L, 1000L, "Entities that are seeds at most."),
            Option.real("damping", 0.3, 0.0, 0.99, "Probability that the walk follows a relationship; else it begins anew."),
            Option.flag("synonyms", true, "Whether the walk follows SYNONYM_OF."),
            Option.whole("atoms", 25L, 1L, 1000L, "Atoms kept per question, and of all (K)."),
            Option.text("propagation", "push", List.of("push", "gds"), "Personalized PageRank by forward push on a copy of the graph in the server's memory (plug-in qcg), by rounds of Cypher (also on a server without the plug-in), or by GDS on a projection (plug-in qcg)."),
            Option.real("tolerance", 1e-8, 1e-15, 1.0, "By how much push may fall short, per unit of a node's weighted degree."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String BEAM_KEYS = "beamWidth 3, "
            + "maxLength 3, "
            + "relationshipTypes ['RELATED_TO'], "
            + "direction 'outgoing' | 'incoming' | 'undirected', "
            + "vectorProperty 'embedding', "
            + "permitted null, "
            + "idProperty 'id', "
            + "snapshot false, "
            + "corpus 'default'";
    static final Options BEAM = Options.of(
            Option.whole("maxLength", 3L, 1L, 10L, "Triples of a path at most (L)."),
            Option.texts("relationshipTypes", List.of("RELATED_TO"), 1L, "Types that are followed."),
            Option.text("direction", "outgoing", List.of("outgoing", "incoming", "undirected"), "Which way triples are followed."),
            Option.text("vectorProperty", "embedding", List.of(), "Property of a relationship that holds its vector."),
            Option.maybe("permitted", "LIST<STRING>", "Ids of the documents that may be used; null for all."),
            Option.text("idProperty", "id", List.of(), "Property that tells relationships apart; where it is missing, the element id."),
            Option.flag("snapshot", false, "Whether the corpus's copy in memory is searched; faster, but only what stages write is sure to be in it."),
            Option.whole("beamWidth", 3L, 1L, 10000L, "Triples that a partial path goes on with (W)."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String GRAPHRAG_GLOBAL_KEYS = "level 1, "
            + "reports 5, "
            + "contextTokens 6000, "
            + "passages 5, "
            + "candidateFactor 4, "
            + "corpus 'default'";
    static final Options GRAPHRAG_GLOBAL = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.whole("level", 1L, 0L, null, "Level of the communities (C0 is the root)."),
            Option.whole("reports", 5L, 1L, null, "Reports that retrieval returns, and that the choice `similar` reads."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String GRAPHRAG_LOCAL_KEYS = "entities 10, "
            + "ranking 'entity' | 'relation', "
            + "relations 100, "
            + "contextTokens 6000, "
            + "passages 5, "
            + "candidateFactor 4, "
            + "corpus 'default'";
    static final Options GRAPHRAG_LOCAL = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.whole("entities", 10L, 1L, 1000L, "Entities that the question hits."),
            Option.text("ranking", "entity", List.of("entity", "relation"), "Order of chunks: by their nearest entity, then by how many relations they state; or by their best relation."),
            Option.whole("relations", 100L, 1L, 1000L, "Relations, claims and reports that are taken, each."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String HYBRID_KEYS = "hits 100, "
            + "windowWeight 1.0, "
            + "fulltextWeight 1.0, "
            + "contextTokens 6000, "
            + "where null, "
            + "passages 5, "
            + "candidateFactor 4, "
            + "corpus 'default'";
    static final Options HYBRID = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.maybe("where", "MAP", "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."),
            Option.whole("hits", 100L, 1L, 1000L, "Entries nearest to the question that each layer brings, at least the candidates."),
            Option.real("windowWeight", 1.0, 0.0, null, "Weight of the best window's cosine."),
            Option.real("fulltextWeight", 1.0, 0.0, null, "Weight of BM25, as a share of the question's best."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String KG_CQR_KEYS = "triples 20, "
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
    static final Options KG_CQR = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.maybe("where", "MAP", "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."),
            Option.whole("triples", 20L, 1L, 1000L, "Nearest triples that the subgraph begins with (k); the paper has no value."),
            Option.text("completion", "beam", List.of("beam", "all", "none"), "How paths between the subgraph's entities are found."),
            Option.whole("beamWidth", 3L, 1L, 1000L, "Triples that a partial path goes on with (W)."),
            Option.whole("pathLength", 3L, 1L, 6L, "Triples of a path at most (L)."),
            Option.text("direction", "outgoing", List.of("outgoing", "undirected"), "Which way triples are followed."),
            Option.whole("addedTriples", 20L, 0L, 1000L, "Triples that paths add at most (K)."),
            Option.text("context", "joined", List.of("joined", "none"), "The context: the triples' texts joined, a language model's summary of them, or none."),
            Option.real("alpha", 0.7, 0.0, 1.0, "Share of the question in the fused vector (α); 1 is the plain retriever."),
            Option.text("search", "vector", List.of("vector", "fulltext", "layers"), "How chunks are found: by the fused vector, by BM25 with the context, or by best window and best triple."),
            Option.whole("layerCandidates", 50L, 2L, 1000L, "Chunks that each of the two layers proposes (search = layers)."),
            Option.real("vectorWeight", 1.0, 0.0, null, "Weight of the best window (search = layers)."),
            Option.real("tripleWeight", 1.0, 0.0, null, "Weight of the best triple (search = layers)."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String LAYERS_KEYS = "hits 100, "
            + "queryWeight 1.0, "
            + "windowWeight 1.0, "
            + "atomWeight 1.0, "
            + "tripleWeight 1.0, "
            + "fulltextWeight 1.0, "
            + "expandedWeight 1.0, "
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
    static final Options LAYERS = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.maybe("where", "MAP", "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."),
            Option.whole("hits", 100L, 1L, 1000L, "Entries nearest to the question that each layer brings, at least the candidates."),
            Option.real("queryWeight", 1.0, 0.0, null, "Weight of the cosine of a chunk's best query."),
            Option.real("windowWeight", 1.0, 0.0, null, "Weight of the cosine of its best window."),
            Option.real("atomWeight", 1.0, 0.0, null, "Weight of the cosine of its best atom."),
            Option.real("tripleWeight", 1.0, 0.0, null, "Weight of the cosine of its best triple."),
            Option.real("fulltextWeight", 1.0, 0.0, null, "Weight of BM25, as a share of the question's best."),
            Option.real("expandedWeight", 1.0, 0.0, null, "Weight of BM25 over the text with its queries, atoms and triples, as a share of the best."),
            Option.real("walkWeight", 3.0, 0.0, null, "Weight of being reached over entities that the most promising chunks name."),
            Option.whole("walkSeeds", 3L, 1L, 1000L, "Chunks that the walk begins at."),
            Option.real("nameShare", 0.9, 0.0, 1.0, "Share of the walk that begins at the pages of names in the question; 0 looks for no names."),
            Option.real("pageShare", 0.7, 0.0, 1.0, "Share of what chunks say about a name that one must hold to be its page."),
            Option.real("chainWeight", 10.0, 0.0, null, "Weight of being reached where the walk begins at names."),
            Option.real("aboutPower", 2.0, 0.0, null, "With names: the walk prefers chunks by how much they are about an entity, to this power."),
            Option.real("relationSharpness", 10.0, 0.0, null, "With names: the walk prefers entities by e to so many cosines of their triple; 0 none."),
            Option.whole("furtherChunks", 10L, 0L, 1000L, "With names: chunks from which half of the walk goes on once more; 0 none."),
            Option.flag("restAlone", true, "With names: whether all chunks but their pages are compared with the question without its names."),
            Option.whole("maxEntityDegree", 1000L, 1L, null, "Entities that more chunks name are not followed."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String LINK_KEYS = "atoms 0, "
            + "selection 'top' | 'threshold', "
            + "reasons 3, "
            + "permitted null, "
            + "corpus 'default'";
    static final Options LINK = Options.of(
            Option.whole("atoms", 0L, 0L, null, "Atoms at most; 0 for all."),
            Option.text("selection", "top", List.of("top", "threshold"), "Keep the best atoms, or those of them that reach the predictor's threshold (σ ≥ 0.5 in the strict form)."),
            Option.whole("reasons", 3L, 0L, 100L, "Neighbours shown that raised an atom."),
            Option.maybe("permitted", "LIST<STRING>", "Ids of the documents that may be used; null for all."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String LP_KEYS = "candidates 200, "
            + "atoms 25, "
            + "selection 'top' | 'threshold', "
            + "reasons 3, "
            + "contextTokens 6000, "
            + "where null, "
            + "passages 5, "
            + "candidateFactor 4, "
            + "corpus 'default'";
    static final Options LP = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.maybe("where", "MAP", "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."),
            Option.whole("candidates", 200L, 0L, 100000L, "Nearest atoms that the predictor ranks; 0 for all."),
            Option.whole("atoms", 25L, 1L, 100000L, "Atoms kept at most (k)."),
            Option.text("selection", "top", List.of("top", "threshold"), "Keep the best atoms, or those of them that reach the predictor's threshold (σ ≥ 0.5 in the strict form)."),
            Option.whole("reasons", 3L, 0L, 100L, "Neighbours shown that raised an atom."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String PAGE_RANK_KEYS = "damping 0.3, "
            + "tolerance 1e-8, "
            + "synonyms true, "
            + "atomsAlone false, "
            + "best 0, "
            + "corpus 'default'";
    static final Options PAGE_RANK = Options.of(
            Option.real("damping", 0.3, 0.0, 0.99, "Probability that the walk follows a relationship; else it begins anew."),
            Option.real("tolerance", 1e-8, 1e-15, 1.0, "By how much push may fall short, per unit of a node's weighted degree."),
            Option.flag("synonyms", true, "Whether the walk follows SYNONYM_OF."),
            Option.flag("atomsAlone", false, "Whether atoms alone are returned, and no entities."),
            Option.whole("best", 0L, 0L, null, "Only this many nodes with the highest scores, and those that tie with the last; 0 for all."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String QCG_KEYS = "queries 15, "
            + "minimumScore 1.0, "
            + "hops 1, "
            + "neighbours 3, "
            + "aggregation 'mean' | 'max' | 'sum', "
            + "contextTokens 6000, "
            + "where null, "
            + "passages 5, "
            + "candidateFactor 4, "
            + "corpus 'default'";
    static final Options QCG = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.maybe("where", "MAP", "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."),
            Option.whole("queries", 15L, 1L, 1000L, "Queries that the question hits at most (n)."),
            Option.real("minimumScore", 1.0, 0.0, 2.0, "Least cosine + 1 of a query that counts as hit (γ)."),
            Option.whole("hops", 1L, 0L, 2L, "Hops along SIMILAR_TO (h)."),
            Option.whole("neighbours", 3L, 1L, 100L, "Nearest neighbours of a query that are followed (k)."),
            Option.text("aggregation", "mean", List.of("mean", "max", "sum"), "A chunk's score from its queries' cosines."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String RETRIEVE_KEYS = "contextTokens 6000, "
            + "where null, "
            + "passages 5, "
            + "candidateFactor 4, "
            + "corpus 'default'";
    static final Options RETRIEVE = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.maybe("where", "MAP", "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String SNAPSHOT_KEYS = "corpus 'default'";
    static final Options SNAPSHOT = Options.of(
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final String VECTOR_KEYS = "scoring 'windows' | 'mean', "
            + "contextTokens 6000, "
            + "where null, "
            + "passages 5, "
            + "candidateFactor 4, "
            + "corpus 'default'";
    static final Options VECTOR = Options.of(
            Option.whole("passages", 5L, 1L, 1000L, "Passages returned at most (K)."),
            Option.whole("candidateFactor", 4L, 1L, 100L, "Candidates per wanted hit taken from a vector index, then scored exactly."),
            Option.whole("contextTokens", 6000L, 1L, null, "Tokens of all passages together at most."),
            Option.maybe("where", "MAP", "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."),
            Option.text("scoring", "windows", List.of("windows", "mean"), "Score a chunk by its best window, or by its own vector (the windows' mean)."),
            Option.text("corpus", "default", List.of(), "Which of the database's corpora is asked."));

    static final Map<String, Options> ALL = Map.ofEntries(
            Map.entry("qcg.evidence.atomic", ATOMIC),
            Map.entry("qcg.evidence.kgCqr", KG_CQR),
            Map.entry("qcg.links.score", LINK),
            Map.entry("qcg.pageRank.push", PAGE_RANK),
            Map.entry("qcg.paths.all", ALL_PATHS),
            Map.entry("qcg.paths.beam", BEAM),
            Map.entry("qcg.retrieve.atomic", ATOMIC),
            Map.entry("qcg.retrieve.d2q", RETRIEVE),
            Map.entry("qcg.retrieve.d2qFiltered", RETRIEVE),
            Map.entry("qcg.retrieve.fulltext", RETRIEVE),
            Map.entry("qcg.retrieve.graphragGlobal", GRAPHRAG_GLOBAL),
            Map.entry("qcg.retrieve.graphragLocal", GRAPHRAG_LOCAL),
            Map.entry("qcg.retrieve.hybrid", HYBRID),
            Map.entry("qcg.retrieve.kgCqr", KG_CQR),
            Map.entry("qcg.retrieve.layers", LAYERS),
            Map.entry("qcg.retrieve.lp", LP),
            Map.entry("qcg.retrieve.qcg", QCG),
            Map.entry("qcg.retrieve.vector", VECTOR),
            Map.entry("qcg.snapshot", SNAPSHOT));

    private Declared() {}
}
