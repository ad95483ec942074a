"""Replies to tasks, whatever they come from: a recording, a store of what was paid for, or a live model."""

from qcg_neo4j.models.replies.exchange import (
    Asked,
    Failure,
    RecordedReply,
    Recording,
    Reply,
    ReplySource,
    Request,
    Result,
    Submitting,
    key_of,
    read_recording,
    recorded_line,
    replies_about,
)
from qcg_neo4j.models.replies.journal import Batch
from qcg_neo4j.models.replies.reading import check_material, read_reply, split_reasoning, without_opened_reasoning
from qcg_neo4j.models.replies.store import ReplyStore, StoredReplies

__all__ = [
    "Asked",
    "Batch",
    "Failure",
    "RecordedReply",
    "Recording",
    "Reply",
    "ReplySource",
    "ReplyStore",
    "Request",
    "Result",
    "StoredReplies",
    "Submitting",
    "check_material",
    "key_of",
    "read_recording",
    "read_reply",
    "recorded_line",
    "replies_about",
    "split_reasoning",
    "without_opened_reasoning",
]
