"""Who offers language models: where, under which key, and in which wire format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qcg_neo4j.models.llm.settings import LanguageModelSettings

ANY = "openai"  # the format of endpoints whose provider is not named


@dataclass(frozen=True)
class Provider:
    """A provider's address (None: each has an own one), and the environment variable of its key."""

    name: str
    address: str | None
    key: str | None
    example: str = ""


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        Provider("azure", None, "AZURE_OPENAI_API_KEY", "https://NAME.openai.azure.com"),
        Provider("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        Provider("gemini", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY"),
        Provider("ollama", "http://localhost:11434", None),
    )
}


def provider_of(settings: LanguageModelSettings) -> Provider:
    """The provider that is named; else any with OpenAI's wire format."""
    return PROVIDERS[settings.provider or ANY]


def address_of(settings: LanguageModelSettings) -> str | None:
    """The endpoint that is given, else that of the provider that is named."""
    return settings.endpoint or (provider_of(settings).address if settings.provider else None)
