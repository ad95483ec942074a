"""Wire formats of providers that have another than OpenAI's."""

from collections.abc import Mapping
from types import MappingProxyType

from qcg_neo4j.models.llm.wires.anthropic import Anthropic
from qcg_neo4j.models.llm.wires.gemini import Gemini
from qcg_neo4j.models.llm.wires.ollama import Ollama
from qcg_neo4j.models.llm.wires.wire import Wire

WIRES: Mapping[str, Wire] = MappingProxyType({"anthropic": Anthropic(), "gemini": Gemini(), "ollama": Ollama()})

__all__ = ["WIRES", "Wire"]
