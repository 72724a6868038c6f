"""The import name `rules` is a plain one: make sure that it is ours."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from bot.errors import UsageError


def check_rules() -> None:
    """Raise UsageError where another distribution's `rules` would be imported instead of ours.

    To be called before anything of `rules` is imported.
    """
    ours = Path(__file__).resolve().parent.parent / "rules"
    found = importlib.util.find_spec("rules")
    places = list(found.submodule_search_locations or [found.origin or "?"]) if found else []
    if not any(Path(place).resolve() == ours for place in places):
        where = places[0] if places else "nowhere"
        message = (
            f"the package `rules` is found at {where}, which is not this program's: install "
            "nccl-bot in an environment of its own (pipx, uv tool or a fresh venv)"
        )
        raise UsageError(message)
