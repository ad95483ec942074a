// Written by procedures/options.py from the settings of the Python package; `make plugins` keeps it current.
package qcg.config;

/** What Python declares: how corpora are named, and the keys of configurations as the procedures describe them. */
public final class Declared {
    public static final String CORPUS_DEFAULT = "default";
    public static final String CORPUS_MARK = "Qcg";
    public static final String CORPUS_NAME = "[a-z][a-z0-9]*(?:_[a-z0-9]+)*";
    public static final String CORPUS_OWN = "\\b(?:Qcg[A-Z]|qcg_[a-z])\\w*|(?<=[:|])RELATED_TO\\b";
    public static final int CORPUS_LONGEST = 30;

    public static final String ALL_PATHS = "maxExpansions 10000000, maxLength 3, relationshipTypes ['RELATED_TO'], direction 'outgoing' | "
            + "'incoming' | 'undirected', vectorProperty 'embedding', permitted null, idProperty 'id', corpus "
            + "'default'";
    public static final String ATOMIC = "atomWeight 0.1, atomSeeds 0, entityFloor 0.3, entitySeeds 20, damping 0.3, synonyms true, atoms "
            + "25, propagation 'push' | 'gds', tolerance 1e-8, contextTokens 6000, where null, passages 5, "
            + "candidateFactor 4, corpus 'default'";
    public static final String BEAM = "beamWidth 3, maxLength 3, relationshipTypes ['RELATED_TO'], direction 'outgoing' | 'incoming' | "
            + "'undirected', vectorProperty 'embedding', permitted null, idProperty 'id', corpus 'default'";
    public static final String GRAPHRAG_GLOBAL = "level 1, reports 5, contextTokens 6000, passages 5, candidateFactor 4, corpus 'default'";
    public static final String GRAPHRAG_LOCAL = "entities 10, ranking 'entity' | 'relation', relations 100, contextTokens 6000, passages 5, "
            + "candidateFactor 4, corpus 'default'";
    public static final String HYBRID = "hits 100, windowWeight 1.0, fulltextWeight 1.0, contextTokens 6000, where null, passages 5, "
            + "candidateFactor 4, corpus 'default'";
    public static final String KG_CQR = "triples 20, completion 'beam' | 'all' | 'none', beamWidth 3, pathLength 3, direction 'outgoing' "
            + "| 'undirected', addedTriples 20, context 'joined' | 'none', alpha 0.7, search 'vector' | "
            + "'fulltext' | 'layers', layerCandidates 50, vectorWeight 1.0, tripleWeight 1.0, contextTokens "
            + "6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    public static final String LAYERS = "hits 100, queryWeight 1.0, windowWeight 1.0, atomWeight 1.0, tripleWeight 1.0, fulltextWeight "
            + "1.0, expandedWeight 1.0, dateWeight 2.0, walkWeight 3.0, walkSeeds 3, nameShare 0.9, pageShare "
            + "0.7, chainWeight 10.0, aboutPower 2.0, relationSharpness 10.0, furtherChunks 10, restAlone "
            + "true, maxEntityDegree 1000, contextTokens 6000, where null, passages 5, candidateFactor 4, "
            + "corpus 'default'";
    public static final String LINK = "atoms 0, selection 'top' | 'threshold', reasons 3, permitted null, corpus 'default'";
    public static final String LP = "candidates 200, atoms 25, selection 'top' | 'threshold', reasons 3, contextTokens 6000, where "
            + "null, passages 5, candidateFactor 4, corpus 'default'";
    public static final String PAGE_RANK = "damping 0.3, tolerance 1e-8, synonyms true, atomsAlone false, best 0, corpus 'default'";
    public static final String QCG = "queries 15, minimumScore 1.0, hops 1, neighbours 3, aggregation 'mean' | 'max' | 'sum', "
            + "contextTokens 6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    public static final String RETRIEVE = "contextTokens 6000, where null, passages 5, candidateFactor 4, corpus 'default'";
    public static final String SNAPSHOT = "corpus 'default'";
    public static final String VECTOR = "scoring 'windows' | 'mean', contextTokens 6000, where null, passages 5, candidateFactor 4, "
            + "corpus 'default'";

    private Declared() {}
}
