// One row while the caller is the graph's writer: it lives, which others see by the number that rises.
// $token: STRING  the caller's mark
MATCH (lock:QcgLock {id: 'writer', token: $token})
SET lock.beats = lock.beats + 1
RETURN lock.beats AS beats
