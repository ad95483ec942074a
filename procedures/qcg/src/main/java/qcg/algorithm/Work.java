package qcg.algorithm;

/** Told what a search does, so that somebody can count it, limit it, or stop it by an exception. */
public interface Work {
    /** A path is about to be extended by one more relationship. */
    void extension();

    /** A complete path is kept until the search ends. */
    void complete();
}
