// One row per kNN that runs: the share that is done, in percent.
CALL gds.listProgress() YIELD taskName, progress
WHERE toLower(taskName) CONTAINS 'knn' OR toLower(taskName) CONTAINS 'nearest'
RETURN toFloat(replace(replace(progress, '%', ''), 'n/a', '0')) AS percent
