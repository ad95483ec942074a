package qcg.config;

/** What the configurations of the retrieval methods share. */
public interface RetrieveConfig extends Config {
    /** How many passages are returned at most. */
    long passages();

    /** How many candidates per wanted hit an index is asked for. */
    long candidateFactor();

    /** How many tokens all passages may have together. */
    long contextTokens();

    /** The filter on documents; null for all. */
    default Object where() {
        return null;
    }
}
