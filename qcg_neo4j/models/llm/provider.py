"""Who offers language models: at which address, under which key, and which parameters they do not take."""

from __future__ import annotations

from dataclasses import dataclass

ANY = "openai"  # an endpoint whose provider is not named has this one's key and limits


@dataclass(frozen=True)
class Provider:
    """A provider whose endpoint has OpenAI's format.

    ``address`` is None where each customer has an own one, as in ``example``. ``key`` is the environment variable of
    its key. ``refused`` are parameters that it refuses or ignores; they are not sent.
    """

    name: str
    address: str | None
    key: str | None
    example: str = ""
    refused: frozenset[str] = frozenset()


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider(ANY, "https://api.openai.com/v1", "OPENAI_API_KEY"),
        Provider("azure", None, "AZURE_OPENAI_API_KEY", "https://NAME.openai.azure.com"),
        # Its newer models take one of temperature and top_p; a schema is ignored, and so is asked for in the prompt.
        Provider(
            "anthropic",
            "https://api.anthropic.com/v1",
            "ANTHROPIC_API_KEY",
            refused=frozenset({"top_p", "response_format"}),
        ),
        Provider("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
        Provider("ollama", "http://localhost:11434/v1", None),
    )
}
