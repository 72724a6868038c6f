"""The page that lists every setting, made from the settings themselves."""

from __future__ import annotations

from bot.settings import PREFIX, SLACK_VARIABLES, Settings

INTRODUCTION = """\
# Settings

Made by `python -m bot.settings_page` from the settings' own words; a test keeps it so.

Each is an environment variable, or a line of a TOML file (the name in lower case, without the
prefix `NCCL_BOT_`) that `nccl-bot run --config FILE` or `NCCL_BOT_CONFIG` names. The environment
wins. A setting that does not exist, or cannot be read, is named at start and ends the program.

| variable | default | what it is |
|--|--|--|
"""


def write_page() -> str:
    """Return the page in Markdown."""
    names = {field: variable for variable, field in SLACK_VARIABLES.items()}
    rows = []
    for field, info in Settings.model_fields.items():
        variable = names.get(field, f"{PREFIX}{field.upper()}")
        default = "the user's data folder" if info.default_factory else _say(info.default)
        words = " ".join((info.description or "").split()).replace("|", "\\|")
        rows.append(f"| `{variable}` | {default} | {words} |")
    return INTRODUCTION + "\n".join(rows) + "\n"


def _say(default: object) -> str:
    return "" if default in (None, (), {}) else f"`{default}`"


if __name__ == "__main__":
    print(write_page(), end="")  # noqa: T201  its output is the page
