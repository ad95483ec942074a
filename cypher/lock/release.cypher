// No rows; the next may write to the graph.
// $token: STRING  the mark of the writer that has finished
MATCH (lock:QcgLock {id: 'writer', token: $token})
DELETE lock
