// One row while somebody writes to the graph: who, and since when by the server's clock.
MATCH (lock:QcgLock {id: 'writer'})
RETURN lock.work AS work, lock.user AS user, lock.host AS host, lock.machine AS machine, lock.process AS process, toString(lock.since) AS since
