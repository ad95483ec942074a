"""Answer a question from the neighbourhood of its entities: one window by fixed shares (GraphRAG, local)."""

from __future__ import annotations

from dataclasses import asdict, replace

from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.windows import TokenCounter, token_counter
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval import GraphragLocal, GraphragLocalSettings
from qcg_neo4j.retrieval.answer.map_reduce import Item, item, passage_items, report_items, shown, written
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.answer.writing import form_rules
from qcg_neo4j.retrieval.model_steps import whole_reply

LOCAL = "answer/local"
PASSAGES = 100  # more than fit into a window


def answer_locally(graph: Graph, question: str, settings: GraphragLocalSettings, source: ReplySource) -> Answer:
    """The answer with the ids of the passages and reports that it cites.

    Raises:
        MissingReplyError: the model, or the recording, gave nothing.
    """
    evidence = GraphragLocal(as_many_as_fit(settings)).retrieve(graph, question)
    packed, number = pack(evidence, settings, token_counter(graph.question_embedder()))
    text = shown(packed)
    rules = form_rules("items", settings.style, general_knowledge=settings.general_knowledge)
    variables = {"question": evidence.question, "items": text, **rules}
    request = Request(task(LOCAL), f"{evidence.question}\n{text}", variables)
    result = whole_reply(source, request)
    answer, citations, unknown = written(result, packed)
    shown_ids = {one.id for one in packed}
    passages = tuple(passage for passage in evidence.passages if passage.id in shown_ids)
    evidence = replace(evidence, passages=passages, settings=asdict(settings))
    left_out = (f"{number:,} items did not fit into the window",) if number else ()
    return Answer(answer, citations, evidence, result.model, result.usage, notes=(*left_out, *unknown))


def as_many_as_fit(settings: GraphragLocalSettings) -> GraphragLocalSettings:
    """The settings with as many passages as a window may take."""
    most = max(settings.passages, PASSAGES)
    return replace(settings, passages=most, context_tokens=max(settings.context_tokens, settings.window_tokens))


def pack(evidence: Evidence, settings: GraphragLocalSettings, count: TokenCounter) -> tuple[list[Item], int]:
    """Reports, entities with relations and claims, and passages, each within its share of the window.

    What reports leave free goes to entities and relations, what these leave free goes to passages. With the items comes
    how many were left out for want of space.
    """
    whole = settings.window_tokens
    reports = report_items(evidence.reports, count)
    entities = _neighbourhood(evidence, count)
    passages = passage_items(evidence.passages, count)
    taken = _share(reports, whole * settings.report_share)
    rest = max(0.0, 1 - settings.passage_share - settings.report_share)
    free = whole * settings.report_share - _tokens(taken)
    known = _share(entities, whole * rest + free)
    texts = _share(passages, whole - _tokens(taken) - _tokens(known))
    kept = [*taken, *known, *texts]
    return kept, len(reports) + len(entities) + len(passages) - len(kept)


def _share(items: list[Item], tokens: float) -> list[Item]:
    """The items, in order, that fit into the share."""
    kept: list[Item] = []
    for one in items:
        if one.tokens <= tokens:
            kept.append(one)
            tokens -= one.tokens
    return kept


def _tokens(items: list[Item]) -> int:
    return sum(one.tokens for one in items)


def _neighbourhood(evidence: Evidence, count: TokenCounter) -> list[Item]:
    """Entities and relations in turns, as they come by importance, then claims."""
    found = evidence.neighbourhood
    if not found:
        return []
    entities = [
        item("entity", entity.id, entity.name, f"{entity.type}. {entity.description}".strip(". ") or entity.name, count)
        for entity in found.entities
    ]
    relations = [
        item("relation", relation.chunk, f"{relation.source} – {relation.target}", relation.ttr, count)
        for relation in found.relations
    ]
    claims = [item("claim", claim.id, claim.type, claim.description, count) for claim in found.claims]
    return [*entities, *relations, *claims]
