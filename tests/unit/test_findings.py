"""Findings as papers have them: relations without textual representation (KG-CQR), days as entities (AtomicRAG)."""

from __future__ import annotations

from qcg_neo4j.indexing.extract.findings import Atom, Entity, Findings, Relation, clean, entity_id, in_parts, with_days


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


def test_days_that_atoms_name_are_entities_that_they_mention() -> None:
    atoms = [
        {"text": "Li Hua met Adam on 10 April 2026 and on 2026-04-12.", "entities": ["Li Hua", "2026-04-12"]},
        {"text": "On April 10th, 2026 it rained.", "entities": []},
        {"text": "Adam left tomorrow.", "entities": ["Adam"]},
    ]
    found = with_days(clean([{"entities": [], "relations": [], "atoms": atoms}]))
    assert [(entity.name, entity.type) for entity in found.entities] == [
        *(("Li Hua", ""), ("2026-04-12", ""), ("Adam", "")),
        ("2026-04-10", "date"),
    ]
    first, second = entity_id("2026-04-10"), entity_id("2026-04-12")
    assert [set(atom.entities) for atom in found.atoms] == [
        {entity_id("Li Hua"), second, first},
        {first},
        {entity_id("Adam")},
    ]
    assert with_days(found) == found
    assert with_days(Findings((), (), (Atom("It rained.", ()),))).entities == ()
