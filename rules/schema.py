"""The JSON Schema of an entry's file, for completion and checks in editors."""

from __future__ import annotations

import json

from rules.entry import Entry


def write_schema() -> str:
    """Write the schema as it is checked in beside the entries."""
    schema = Entry.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "nccl-bot knowledge base entry"
    schema["properties"]["extends"] = {
        "type": "boolean",
        "default": False,
        "description": "Adds to the entry of this id in an earlier directory instead of being one.",
    }
    extending = {
        "if": {
            "anyOf": [
                {"properties": {"extends": {"const": True}}, "required": ["extends"]},
                {"properties": {"retired": {"const": True}}, "required": ["retired"]},
            ]
        },
        "then": {"required": ["id"]},
        "else": {"required": schema.pop("required")},
    }
    return json.dumps({**schema, **extending}, indent=2, ensure_ascii=False) + "\n"
