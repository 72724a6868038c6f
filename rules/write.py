"""An entry -> the text of its file, as a person would write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from rules.entry import Entry

HEADER = "# yaml-language-server: $schema=../schema.json\n"


class _Dumper(yaml.CSafeDumper if hasattr(yaml, "CSafeDumper") else yaml.SafeDumper):  # type: ignore[misc]
    """Block style for texts of several lines."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        """Write each value out: an entry is read by people."""
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def write(entry: Entry) -> str:
    """Write the fields that differ from their defaults, in the order of the schema."""
    data = entry.model_dump(mode="json", exclude_defaults=True)
    shown = {key: data[key] for key in type(entry).model_fields if key in data}
    shown |= {key: value for key, value in _always(entry).items() if key in shown}
    text = yaml.dump(shown, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=98)
    return HEADER + str(text)


def _always(entry: Entry) -> dict[str, Any]:
    return {"verified_on": entry.verified_on}
