"""The supported lines of Neo4j: what each is made of and which Java runs it."""

from __future__ import annotations

from dataclasses import dataclass

BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"  # the last one that was published


@dataclass(frozen=True)
class Line:
    """A line of Neo4j with the Graph Data Science that fits it; ``java`` are the major versions that run it."""

    name: str
    neo4j: str
    gds: str
    gds_parts: tuple[str, ...]
    main_class: str
    java: tuple[int, ...]

    @property
    def roots(self) -> tuple[str, ...]:
        """Coordinates ``group:artifact:version`` from which everything else follows."""
        gds = (f"org.neo4j.gds:{part}:{self.gds}" for part in self.gds_parts)
        return (f"org.neo4j:neo4j:{self.neo4j}", BROWSER, *gds)


LINES = {
    line.name: line
    for line in (
        Line(
            name="2026.08",
            neo4j="2026.08.1",
            gds="2.26.0",
            gds_parts=("proc", "opengds-extension", "open-model-catalog", "proc-sysinfo"),
            main_class="org.neo4j.server.Neo4jCommunity",
            java=(21, 25),
        ),
        Line(
            name="5.26",
            neo4j="5.26.30",
            gds="2.13.9",
            gds_parts=("proc", "opengds-extension", "open-model-catalog", "proc-sysinfo", "open-write-services"),
            main_class="org.neo4j.server.CommunityEntryPoint",
            java=(17, 21),
        ),
    )
}
