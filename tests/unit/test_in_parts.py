"""Relations without textual representation, as KG-CQR's ablation has them."""

from __future__ import annotations

from qcg_neo4j.indexing.extract.findings import Entity, Findings, Relation, in_parts


def test_the_parts_of_a_relation_are_its_text() -> None:
    entities = (Entity("a", "Li Hua"), Entity("b", "FitZone"))
    relations = (
        Relation("a", "visits", "b", 5, "Li Hua visits FitZone on Monday."),
        Relation("a", "visits", "b", 3, "Li Hua visits FitZone again."),
        Relation("b", "is near", "a", 2, "FitZone is not too far from Li Hua."),
    )
    found = in_parts(Findings(entities=entities, relations=relations, atoms=(), claims=(), counts={}))
    assert [(relation.ttr, relation.strength) for relation in found.relations] == [
        ("Li Hua visits FitZone", 5),
        ("FitZone is near Li Hua", 2),
    ]
