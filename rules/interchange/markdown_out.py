"""An entry -> its Markdown form; `rules.interchange.markdown` reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules.interchange.markdown import FORM

if TYPE_CHECKING:
    from rules.entry import Entry


def write_markdown(entry: Entry) -> str:
    """Write the form; a step's `details`, links and code stand below its line."""
    kept = entry.extra.get(FORM, {})
    kept = kept if isinstance(kept, dict) else {}
    heading = str(kept.get("heading") or (entry.aliases[0] if entry.aliases else entry.title))
    lines = [
        f"# {' '.join(heading.split())}",
        "",
        f"- **ID:** `{entry.id}`",
        f"- **Domain:** {entry.domain}",
    ]
    lines += [f"- **Category:** {entry.category}"]
    lines += [f"- **Error Code:** {entry.error_code}"] if entry.error_code else []
    lines += [
        f"- **Verification:** {entry.verification}",
        f"- **Fix Rate:** {_say(entry.fix_rate)}",
    ]
    lines += [f"- **{key.title()}:** {value}" for key, value in kept.get("facts", {}).items()]
    lines += ["", "## Root Cause", "", entry.root_cause, ""]
    lines += _write_versions(entry, kept.get("versions", []))
    lines += ["## Workarounds", ""]
    for number, step in enumerate(entry.workarounds, 1):
        lines += [f"{number}. {' '.join(step.do.split())} ({_say(step.success_rate)} success)"]
        lines += _write_below(step.details, step.run, step.sources)
    if entry.dead_ends:
        lines += ["## Dead Ends", ""]
    for end in entry.dead_ends:
        why = " ".join(end.why.split())
        name = " ".join(end.do.split())
        lines += [
            f"- **{name}** {why} ({_say(end.fail_rate)} fail)",
            *_write_below(None, None, end.sources),
        ]
    if entry.sources:
        lines += ["## Sources", "", *(f"- <{link}>" for link in entry.sources), ""]
    return "\n".join(lines).rstrip() + "\n"


def _write_versions(entry: Entry, rows: list[list[str]]) -> list[str]:
    if not entry.versions:
        return []
    told = {row[0].strip("`").replace(" ", ""): row for row in rows}
    head = rows[0] if rows else ["Version", "Status"]
    body = []
    for name, span in entry.versions.items():
        row = told.get(f"{name}{span}", [f"{name} {span}", "active", *[""] * (len(head) - 2)])
        body.append(f"| {' | '.join(row)} |")
    rule = f"|{'|'.join(['---'] * len(head))}|"
    return ["## Version Compatibility", "", f"| {' | '.join(head)} |", rule, *body, ""]


def _write_below(details: str | None, run: str | None, sources: tuple[str, ...]) -> list[str]:
    lines = [f"   {' '.join(details.split())}"] if details else []
    if run:
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", run)), default=0))
        code = [f"   {line}" if line else "" for line in run.rstrip("\n").split("\n")]
        lines += [f"   {fence}", *code, f"   {fence}"]
    if sources:
        lines.append("   Sources: " + " ".join(f"<{link}>" for link in sources))
    return [*lines, ""]


def _say(rate: float) -> str:
    return f"{rate * 100:.4f}".rstrip("0").rstrip(".") + "%"
