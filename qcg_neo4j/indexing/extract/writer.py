"""Embed and write: what becomes of the findings of some chunks in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.extract.findings import Atom, Claim, Entity, Findings, Relation
from qcg_neo4j.indexing.stage import Span, StoredChunk
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors

Row = dict[str, Any]
_NAMES_AT_ONCE = 1000


@dataclass(frozen=True)
class ChunkFindings:
    """A chunk whose findings are to be written; ``mark`` identifies what they are made from.

    ``names_only`` says that no language model has read it: names, and the sentences that they are in.
    """

    chunk: StoredChunk
    findings: Findings
    written_by: str
    mark: str
    names_only: bool = False

    @property
    def size(self) -> int:
        """How many things are written."""
        findings = self.findings
        return sum(map(len, (findings.entities, findings.relations, findings.atoms, findings.claims)))


class Writer:
    """Writes chunk after chunk; what a chunk states is then exactly its findings."""

    def __init__(self, graph: Graph, embedder: Embedder) -> None:
        self._graph, self._embedder = graph, embedder
        self._aliases: dict[str, str] = {row["alias"]: row["entity"] for row in graph.rows("extract/aliases")}

    def write(self, jobs: Sequence[ChunkFindings]) -> Changes:
        """Embed what is not embedded yet, and write all these chunks in one transaction."""
        held = self._graph.rows("extract/held", chunk_ids=[job.chunk.id for job in jobs])
        vectors = self._vectors(jobs, held)
        steps = {
            "extract/remove": [_kept(job) for job in jobs],
            "extract/entities": [self._entity(job, one) for job in jobs for one in job.findings.entities],
            "extract/relations": [self._relation(job, one, vectors) for job in jobs for one in job.findings.relations],
            "extract/atoms": [_atom(job, one, vectors) for job in jobs for one in job.findings.atoms],
            "extract/mentions": [self._mention(job, one) for job in jobs for one in job.findings.atoms],
            "extract/claims": [self._claim(job, one) for job in jobs for one in job.findings.claims],
        }
        # What is derived of an entity is of all that others have committed.
        calls = stages.one_at_a_time(self._graph, "extract")
        calls += [Call(path, {"rows": rows}) for path, rows in steps.items() if rows]
        touched = {self._merged(entity.id) for job in jobs for entity in job.findings.entities}
        touched.update(name for row in held for name in row["entities"])
        calls += [Call("extract/orphans", {"ids": sorted(touched)}), *derived(sorted(touched))]
        calls.append(about(chunk_ids=[job.chunk.id for job in jobs]))
        calls.append(Call("load/words", {"chunk_ids": [job.chunk.id for job in jobs]}))
        return self._graph.write(*calls, stages=("extract",)).changes

    def _vectors(self, jobs: Sequence[ChunkFindings], held: Sequence[Row]) -> dict[str, Vectors]:
        """Vectors by text; texts that the graph holds are not embedded again."""
        known = {
            item["text"]: np.asarray(item["embedding"], np.float32)
            for row in held
            for item in row["texts"]
            if item["embedding"]
        }
        wanted = {relation.ttr for job in jobs for relation in job.findings.relations}
        wanted |= {atom.text for job in jobs for atom in job.findings.atoms}
        new = sorted(wanted - known.keys())
        if new:
            known.update(zip(new, self._embedder.embed(new), strict=True))
        return known

    def _entity(self, job: ChunkFindings, entity: Entity) -> Row:
        return {**vars(entity), "chunk_id": job.chunk.id, "id": self._merged(entity.id), "entity_id": entity.id}

    def _relation(self, job: ChunkFindings, relation: Relation, vectors: dict[str, Vectors]) -> Row:
        return {
            **vars(relation),
            "id": relation.id(job.chunk.id),
            "chunk_id": job.chunk.id,
            "source": self._merged(relation.source),
            "target": self._merged(relation.target),
            "source_id": relation.source,
            "target_id": relation.target,
            "embedding": vectors[relation.ttr],
        }

    def _mention(self, job: ChunkFindings, atom: Atom) -> Row:
        return {"id": atom.id, "chunk_id": job.chunk.id, "entities": self._pairs(atom.entities)}

    def _claim(self, job: ChunkFindings, claim: Claim) -> Row:
        return {
            "id": claim.id(job.chunk.id),
            "chunk_id": job.chunk.id,
            "type": claim.type,
            "status": claim.status,
            "description": claim.description,
            "start_date": claim.start,
            "end_date": claim.end,
            "quote": claim.quote,
            "source": job.written_by,
            "entities": self._pairs(claim.entities),
        }

    def _merged(self, name_id: str) -> str:
        """The id of the entity that has the name: its own, unless it is an alias of another."""
        return self._aliases.get(name_id, name_id)

    def _pairs(self, name_ids: Sequence[str]) -> list[list[str]]:
        return [[self._merged(name_id), name_id] for name_id in name_ids]


def embed_names(graph: Graph, embedder: Embedder, span: Span) -> Changes:
    """Give their vectors to the entities of a span whose name is new or has changed."""
    changes = Changes()
    for rows in graph.pages("extract/without_vector", _NAMES_AT_ONCE, span.after, until=span.until):
        vectors = embedder.embed([row["name"] for row in rows])
        named = [{**row, "embedding": vector} for row, vector in zip(rows, vectors, strict=True)]
        changes += graph.write(Call("extract/name_vectors", {"rows": named}), stages=("extract",)).changes
    return changes


def derived(ids: Sequence[str]) -> list[Call]:
    """Derive entities again from what chunks state of them."""
    return [Call(path, {"ids": ids}) for path in ("extract/derive", "extract/spellings")]


def about(chunk_ids: Sequence[str] = (), entity_ids: Sequence[str] = ()) -> Call:
    """Recompute how much chunks are about their entities: these chunks, and others with the same entities."""
    return Call("extract/about", {"chunk_ids": chunk_ids, "entity_ids": entity_ids})


def _kept(job: ChunkFindings) -> Row:
    findings, chunk = job.findings, job.chunk.id
    return {
        "chunk_id": chunk,
        "entities": [entity.id for entity in findings.entities],
        "relations": [relation.id(chunk) for relation in findings.relations],
        "atoms": [atom.id for atom in findings.atoms],
        "claims": [claim.id(chunk) for claim in findings.claims],
        "mark": job.mark,
        "source": job.written_by,
        "names_only": job.names_only or None,
    }


def _atom(job: ChunkFindings, atom: Atom, vectors: dict[str, Vectors]) -> Row:
    vector = vectors[atom.text]
    return {"id": atom.id, "chunk_id": job.chunk.id, "text": atom.text, "source": job.written_by, "embedding": vector}
