"""Small knowledge bases on disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from rules.load import read

if TYPE_CHECKING:
    from pathlib import Path

    from rules.lint import Issue
    from rules.load import Reading


def fields(identity: str = "nccl/widget-lost", **changes: Any) -> dict[str, Any]:
    """A whole entry that no check minds."""
    made: dict[str, Any] = {
        "id": identity,
        "title": "The widget was lost",
        "category": "network_error",
        "role": "root",
        "verification": "cited",
        "verified_on": "2026-11-30",
        "fix_rate": 0.7,
        "root_cause": "The widget went away. Two variants exist.",
        "signatures": [{"text": f"{identity.partition('/')[2]} widget lost in transit"}],
        "workarounds": [
            {"id": "find-it", "do": "Find the widget.", "success_rate": 0.6},
            {"id": "replace-it", "do": "Replace the widget.", "success_rate": 0.4},
        ],
        "dead_ends": [{"id": "wait", "do": "Wait.", "why": "It stays lost.", "fail_rate": 0.9}],
        "samples": {
            "match": [
                {
                    "text": f"RuntimeError: {identity.partition('/')[2]} widget lost in transit (rank 3)",
                    "source": "https://example.org/1",
                },
                {"text": f"[E] {identity.partition('/')[2]} widget lost in transit, code 4"},
            ],
            "no_match": [{"text": "the training goes well"}],
        },
        "sources": ["https://example.org/1", "https://example.org/2"],
    }
    made.update(changes)
    return {key: value for key, value in made.items() if value is not None}


def write(folder: Path, *entries: dict[str, Any]) -> Path:
    """Write each entry to the path that its id names."""
    for entry in entries:
        path = folder / f"{entry['id']}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(copy_out(entry), sort_keys=False)
        path.write_text(text, encoding="utf-8")
    return folder


def copy_out(value: Any) -> Any:
    """The same without shared parts, which YAML would write as aliases."""
    return json.loads(json.dumps(value))


def read_entries(folder: Path, *entries: dict[str, Any]) -> Reading:
    return read([write(folder, *entries)])


def names(issues: list[Issue]) -> set[str]:
    return {issue.check for issue in issues}
