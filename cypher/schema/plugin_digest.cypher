// One row: what identifies the content of the plug-in qcg.
RETURN qcg.digest() AS digest
