// One row: how many nearest atoms are seeds: as the setting says, but of more than 50,000 atoms 100 where it says all.
// $atomSeeds: INTEGER  the setting; 0 for all
RETURN CASE WHEN $atomSeeds = 0 AND COUNT { (:QcgAtom) } > 50000 THEN 100 ELSE $atomSeeds END AS atomSeeds
