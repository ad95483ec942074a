"""Settings of the language model, and known providers; the key of an endpoint is no setting and is never stored."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import Settings, setting

_PAPER = "QCG-RAG paper, appendix B.2"
_BATCHES = "OpenAI's limit"
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


@dataclass(frozen=True)
class LanguageModelSettings(Settings):
    """Which model, where, and how it is asked."""

    provider: str | None = setting(
        None,
        "Provider of the model: sets the variable of the key and, without an endpoint, the address.",
        choices=tuple(PROVIDERS),
    )
    endpoint: str | None = setting(None, "Address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1.")
    model: str | None = setting(None, "Name of the language model at the endpoint.")
    temperature: float = setting(0.7, "Sampling temperature.", source=_PAPER, minimum=0, maximum=2)
    top_p: float = setting(0.8, "Nucleus sampling (top-p).", source=_PAPER, minimum=0, maximum=1)
    concurrency: int = setting(8, "Maximum number of concurrent calls.", minimum=1, maximum=256)
    timeout_seconds: float = setting(
        120.0, "Time-out of a call in seconds; streamed answers may take ten times as long.", minimum=0.01
    )
    retries: int = setting(
        5, "Maximum number of retries after 429, 5xx or a time-out, with growing pauses.", minimum=0, maximum=100
    )
    max_output_tokens: int = setting(
        4096, "Maximum tokens of a reply; a truncated reply is requested once more with twice the limit.", minimum=16
    )
    largest_reply: int = setting(
        4 * 1024 * 1024, "Maximum response size in bytes; larger responses are aborted.", minimum=1024
    )
    unusable_in_a_row: int = setting(5, "Stop after this many unusable replies in a row.", minimum=1)
    input_price: float | None = setting(None, "Price of a million input tokens.", minimum=0)
    output_price: float | None = setting(None, "Price of a million output tokens.", minimum=0)
    batch_price: float = setting(0.5, "Price of a batch as a share of these prices.", minimum=0)
    batch_requests: int = setting(50_000, "Maximum number of requests per batch.", source=_BATCHES, minimum=1)
    batch_bytes: int = setting(200 * 1000 * 1000, "Maximum size of a batch in bytes.", source=_BATCHES, minimum=1024)
    max_cost: float | None = setting(
        None, "Maximum cost of a command at these prices; calls that could exceed it are not made.", minimum=0
    )

    @property
    def known_provider(self) -> Provider:
        """The provider that is named, else OpenAI: its key and limits are those of any endpoint."""
        return PROVIDERS[self.provider or ANY]

    @property
    def address(self) -> str | None:
        """The endpoint that is given, else that of the provider that is named."""
        return self.endpoint or (self.known_provider.address if self.provider else None)

    @property
    def is_given(self) -> bool:
        """Whether a model is named; missing settings are reported when it is opened."""
        return bool(self.provider or self.endpoint or self.model)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_cost is not None and (self.input_price is None or self.output_price is None):
            raise SettingsError(
                "--max-cost is given, but not what tokens cost.",
                "Give --set llm.input_price and --set llm.output_price, each for a million tokens.",
            )
