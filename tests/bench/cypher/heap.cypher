// One row: bytes of Java's heap that are used, and that may be.
CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes
WITH attributes['HeapMemoryUsage'].value.properties AS heap
RETURN heap.used AS used, heap.max AS most
