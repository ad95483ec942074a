// One row: who may write to the graph now; the caller, if no writer holds the lock or the named one has gone.
// $token: STRING  the caller's mark
// $gone: STRING  the mark of a writer that has gone; '' for none
// $work: STRING  what the caller does
// $user: STRING  who runs it
// $host: STRING  the name of the machine
// $machine: STRING  identifies this start of the machine
// $process: STRING  the process there
MERGE (lock:QcgLock:Lock {id: 'writer'})
SET lock.asked = $token // locks the node, so that of several one decides at a time
WITH lock
FOREACH (_ IN CASE WHEN lock.token IS NULL OR lock.token = $gone THEN [1] ELSE [] END |
  SET lock.token = $token, lock.work = $work, lock.user = $user, lock.host = $host, lock.machine = $machine,
      lock.process = $process, lock.since = datetime.realtime('UTC'), lock.beats = 0)
RETURN lock.token AS token, lock.work AS work, lock.user AS user, lock.host AS host, lock.machine AS machine,
       lock.process AS process, toString(lock.since) AS since, lock.beats AS beats
