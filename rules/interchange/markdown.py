"""The Markdown form of an entry: one heading, a list of facts, prose, a table, two lists.

# RuntimeError: ... the error as it is printed
- **ID:** `pytorch/nccl-timeout-during-allreduce`
- **Domain:** pytorch            (Category, Error Code, Verification, Fix Rate: 80%)
## Root Cause
## Version Compatibility         | Version | Status | ... |
## Workarounds                   1. **Do this.** (85% success), then a fenced block
## Dead Ends                     - **** reason (70% fail)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from rules.entry import Entry, Verification
from rules.interchange.result import FormError, Imported, first_sentence, name_apart, to_slug
from rules.lint.danger import find_hazards
from rules.source import say_error

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

FORM = "markdown"
"""Key in `extra` of what the form says and an entry has no place for."""
_LONGEST_TITLE, _LONGEST_STEP, _LONGEST_DEAD_END = 120, 280, 180
_FACT = re.compile(r"[-*] +\*{0,2}([A-Za-z][A-Za-z ]{1,30}?)\*{0,2} *:\*{0,2} *(.*)")
_SECTION = re.compile(r"(#{1,4}) +(.*?) *#*")
_FENCE = re.compile(r"`{3,}")
_STEP = re.compile(r"\d{1,3}[.)] +(.*)")
_DEAD_END = re.compile(r"[-*] +\*\*(.*?)\*\* *(?:[:—–-] *)?(.*)")
_RATE = re.compile(r" *\((\d{1,3}(?:\.\d{1,4})?) ?% (success|fail)\w*\)\.?")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]*)\)|<(https?://[^>\s]+)>")
_VERSION = re.compile(r"`?([A-Za-z][\w .-]*?) *((?:[<>=!~]=?)[^`|]*?)`?")


@dataclass(slots=True)
class _Item:
    """A list item: what it says, its rate, and the fenced block and links below it."""

    head: str
    rate: float | None = None
    text: str = ""
    code: str | None = None
    links: list[str] = field(default_factory=list)


def read_markdown(text: str, today: dt.date) -> Imported:
    """Make an entry of one document; raises FormError with what is missing or dangerous."""
    if not text.strip():
        raise FormError("the file is empty")
    heading, facts, sections = _split(text)
    remarks: list[str] = []
    fields = _fields(heading, facts, sections, today, remarks)
    try:
        entry = Entry.model_validate(fields)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, e['loc']))}: {say_error(e)}" for e in error.errors()
        )
        raise FormError(faults) from error
    hazardous = [step.id for step in entry.workarounds if find_hazards(step)]
    remarks += [f"the step {name} can hurt others: set its risk" for name in hazardous]
    return Imported(entry, tuple(remarks))


def _split(text: str) -> tuple[str, dict[str, str], dict[str, list[str]]]:
    heading, facts = "", {}
    sections: dict[str, list[str]] = {"": []}
    name, fence = "", ""
    for line in text.splitlines():
        fence = _follow_fence(fence, line)
        match = None if fence else _SECTION.fullmatch(line.strip())
        if match and not heading:
            heading = match[2]
        elif match:
            name = match[2].strip().lower()
            sections[name] = []
        elif not name and (fact := _FACT.fullmatch(line.strip())):
            facts[fact[1].strip().lower()] = fact[2].strip().strip("`").strip()
        else:
            sections[name].append(line)
    if not heading:
        raise FormError("no heading with the error")
    return heading.strip("`"), facts, sections


def _fields(
    heading: str,
    facts: dict[str, str],
    sections: dict[str, list[str]],
    today: dt.date,
    remarks: list[str],
) -> dict[str, Any]:
    taken: set[str] = set()
    steps = [_step(item, taken, remarks) for item in _items(sections.get("workarounds", ()), _STEP)]
    if not steps:
        raise FormError("no workaround: the section Workarounds needs a numbered list")
    ends = _items(sections.get("dead ends", ()), _DEAD_END)
    versions, rows = _versions(sections.get("version compatibility", ()))
    cause = "\n".join(sections.get("root cause", ())).strip()
    if not cause:
        raise FormError("no root cause")
    kept = {key: value for key, value in facts.items() if key not in _FACTS}
    extra = {"heading": heading, "facts": kept, "versions": rows}
    return {
        "id": _identity(heading, facts, remarks),
        "title": first_sentence(heading, _LONGEST_TITLE),
        "aliases": [heading],
        "category": facts.get("category") or "unknown",
        "error_code": _present(facts.get("error code")),
        "verification": _verification(facts.get("verification"), remarks),
        "verified_on": today,
        "fix_rate": _percent(facts.get("fix rate")) if facts.get("fix rate") else _best(steps),
        "root_cause": cause,
        "versions": versions,
        "signatures": [{"text": heading}],
        "workarounds": steps,
        "dead_ends": [_dead_end(item, taken, remarks) for item in ends],
        "sources": _links("\n".join(sections.get("sources", ())), remarks),
        "extra": {FORM: extra},
    }


_FACTS = frozenset({"id", "domain", "category", "error code", "verification", "fix rate"})


def _identity(heading: str, facts: dict[str, str], remarks: list[str]) -> str:
    identity = facts.get("id", "")
    if "/" in identity:
        domain, _, slug = identity.partition("/")
        return f"{to_slug(domain)}/{to_slug(slug, 80)}"
    made = f"{to_slug(facts.get('domain') or 'imported')}/{to_slug(identity or heading, 80)}"
    remarks.append(f"has no id of the form domain/slug and is called {made}")
    return made


def _present(value: str | None) -> str | None:
    return value if value and value.lower() not in ("-", "—", "none", "n/a", "null") else None


def _verification(value: str | None, remarks: list[str]) -> str:
    known = {v.value for v in Verification}
    word = (value or "ai_generated").lower().replace("-", "_").replace(" ", "_")
    if word in known:
        return word
    remarks.append(f"the verification {value!r} is not known here; set to ai_generated")
    return "ai_generated"


def _percent(value: str | None) -> float:
    match = re.search(r"\d{1,3}(?:\.\d{1,4})?", value or "")
    if not match:
        raise FormError(f"no rate in {value!r}")
    return round(float(match[0]) / 100, 6)


def _best(steps: list[dict[str, Any]]) -> float:
    return float(max(step["success_rate"] for step in steps))


def _versions(lines: Any) -> tuple[dict[str, str], list[list[str]]]:
    rows = [
        [c.strip() for c in line.strip().strip("|").split("|")] for line in lines if "|" in line
    ]
    rows = [row for row in rows if not all(set(cell) <= set(":- ") for cell in row)]
    versions: dict[str, str] = {}
    for row in rows[1:]:
        match = _VERSION.fullmatch(row[0])
        if match:
            versions[to_slug(match[1])] = match[2].replace(" ", "")
    return versions, rows


def _items(lines: Any, start: re.Pattern[str]) -> list[_Item]:
    items: list[_Item] = []
    code: list[str] = []
    fence = ""
    for line in lines:
        before, fence = fence, _follow_fence(fence, line)
        if before and fence:
            code.append(line)
        elif before or fence:
            if before and items:
                items[-1].code = _dedent(code)
            code = []
        elif match := start.fullmatch(line.strip()):
            items.append(_Item(match[1], text=match[2] if match.lastindex == 2 else ""))
        elif items and line.strip():
            items[-1].text = f"{items[-1].text}\n{line.strip()}".strip()
    return [_rate(item) for item in items]


def _follow_fence(fence: str, line: str) -> str:
    """Tell the fence that is open after `line`: a block ends with the mark that it began with."""
    mark = _FENCE.match(line.strip())
    if not mark:
        return fence
    if not fence:
        return mark[0]
    return "" if line.strip() == fence else fence


def _dedent(lines: list[str]) -> str:
    margin = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    return "\n".join(line[margin:] for line in lines).rstrip("\n") + "\n"


def _rate(item: _Item) -> _Item:
    for name in ("head", "text"):
        said: str = getattr(item, name)
        if match := _RATE.search(said):
            item.rate = round(float(match[1]) / 100, 6)
            setattr(item, name, (said[: match.start()] + said[match.end() :]).strip())
    item.head = item.head.strip().strip("*").strip()
    return item


def _step(item: _Item, taken: set[str], remarks: list[str]) -> dict[str, Any]:
    if item.rate is None:
        raise FormError(f"the workaround {item.head!r} has no (…% success)")
    links = _links(item.text, remarks)
    words = _without_sources(item.text)
    run = item.code
    if run and " ".join(run.split()) == " ".join(item.head.split()):
        run = None
    long = first_sentence(item.head, _LONGEST_STEP)
    details = " ".join(filter(None, (item.head if long != item.head else "", words))) or None
    return {
        "id": _name(item.head, taken),
        "do": long,
        "details": details,
        "run": run,
        "success_rate": item.rate,
        "sources": links,
    }


def _dead_end(item: _Item, taken: set[str], remarks: list[str]) -> dict[str, Any]:
    if item.rate is None:
        raise FormError(f"the dead end {item.head or item.text!r} has no (…% fail)")
    links = _links(item.text, remarks)
    why = _without_sources(item.text)
    if not why:
        raise FormError(f"the dead end {item.head!r} gives no reason")
    name = item.head
    if not name:
        name = first_sentence(why, _LONGEST_DEAD_END)
        remarks.append(f"a dead end had no name and is called by its reason: {name!r}; rename it")
    return {
        "id": _name(name, taken),
        "do": name,
        "why": why,
        "fail_rate": item.rate,
        "sources": links,
    }


def _name(text: str, taken: set[str]) -> str:
    name = name_apart(to_slug(text), taken)
    taken.add(name)
    return name


def _links(text: str, remarks: list[str]) -> list[str]:
    return list(_safe_links(text, remarks))


def _safe_links(text: str, remarks: list[str]) -> Iterator[str]:
    for match in _LINK.finditer(text):
        link = match[1] if match[1] is not None else match[2]
        if link.startswith("https://"):
            yield link
        else:
            remarks.append(f"the link {link!r} is not https and was left out")


def _without_sources(text: str) -> str:
    lines = [line for line in text.splitlines() if not line.startswith("Sources:")]
    return " ".join(" ".join(lines).split())
