// The constraints on nodes, ours and those of others: what each demands, of which label and properties.
SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties
WHERE entityType = 'NODE'
RETURN name, type, labelsOrTypes[0] AS label, properties
