"""What Hatchling runs before it builds the package: the plug-ins, so that every wheel and sdist carries them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The package is not installed where it is being built.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import build  # noqa: E402 - found by the line above

from qcg_neo4j.core.errors import QcgError  # noqa: E402

BESIDES = ("filelock", "platformdirs")  # what the embedded server takes of the core
ELSEWHERE = "Check the network (a proxy is taken from HTTPS_PROXY), or install a wheel: it carries the plug-ins."
ISOLATED = "Leave --no-build-isolation out, or install it beforehand."


class Plugins(BuildHookInterface[Any]):
    """Builds the plug-ins where they are missing or their sources have changed; else needs nothing, does nothing."""

    def dependencies(self) -> list[str]:
        """What building takes: what an embedded server takes."""
        if build.is_current():
            return []
        project = self.metadata.core
        core = [requirement for requirement in project.dependencies if requirement.startswith(BESIDES)]
        return [*core, *project.optional_dependencies["embedded"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build them, or end with what stands in the way."""
        try:
            build.build()
        except QcgError as error:
            self.app.abort(f"The plug-ins of the Neo4j server cannot be built here. {error.problem}\n{ELSEWHERE}")
        except ImportError as error:
            self.app.abort(f"The plug-ins of the Neo4j server cannot be built without {error.name}. {ISOLATED}")
