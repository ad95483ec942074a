"""What a language model is asked: a task is a prompt file and the JSON schema of its reply, both of the task's name."""

from qcg_neo4j.models.prompts.citations import KnownCitations, cited, in_one_line, numbered, plain, quoted, source_of
from qcg_neo4j.models.prompts.task import DEMONSTRATION, Message, Task, task, tasks

__all__ = [
    "DEMONSTRATION",
    "KnownCitations",
    "Message",
    "Task",
    "cited",
    "in_one_line",
    "numbered",
    "plain",
    "quoted",
    "source_of",
    "task",
    "tasks",
]
