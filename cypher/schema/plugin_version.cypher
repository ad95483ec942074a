// One row: the version of the plug-in qcg.
RETURN qcg.version() AS version
