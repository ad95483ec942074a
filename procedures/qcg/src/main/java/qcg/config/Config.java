package qcg.config;

/** A checked configuration of a procedure. */
public interface Config {
    /** The name of the corpus that is asked. */
    String corpus();
}
