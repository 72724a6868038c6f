"""The error canon of deadends.dev: JSON <-> Entry.

Its fields are `error` (signature, regex, domain, category, dates), `environment`, `verdict`,
`dead_ends`, `workarounds`, `transition_graph` and `metadata`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from rules.entry import Entry, Risk, Signature, Workaround
from rules.gate import contains
from rules.interchange.regexes import bound
from rules.interchange.residual import add, subtract
from rules.interchange.result import FormError, Imported, first_sentence, name_apart, to_slug
from rules.interchange.widen import widen
from rules.lint.danger import find_hazards
from rules.source import say_error

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

Json = dict[str, Any]
FORM = "canon"
"""Key of the residual in `extra`."""
_LONGEST_TITLE = 120
_LONGEST_STEP = 280
_LONGEST_DEAD_END = 180


def read_canon(data: object, today: dt.date) -> Imported:
    """Make an entry of one canon; raises FormError with what is missing or dangerous."""
    if not isinstance(data, dict) or not data:
        raise FormError("no canon: not a JSON object with fields")
    remarks: list[str] = []
    try:
        entry = Entry.model_validate(_fields(data, today, remarks))
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, e['loc']))}: {say_error(e)}" for e in error.errors()
        )
        raise FormError(faults) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise FormError(f"no canon: {error!r} is missing or has another form") from error
    residual = subtract(_keyed(data, entry), _keyed(_build(entry), entry))
    return Imported(entry.model_copy(update={"extra": {FORM: residual}}), tuple(remarks))


def write_canon(entry: Entry) -> Json:
    """Make a canon of an entry, with all that it was imported with."""
    residual = entry.extra.get(FORM, {})
    return _unkeyed(add(_keyed(_build(entry), entry), residual))


def rebuild(entry: Entry, signatures: tuple[Signature, ...]) -> Entry:
    """Give an imported entry other signatures; what it loses by that is kept for the export."""
    if FORM not in entry.extra:
        return entry.model_copy(update={"signatures": signatures})
    original = write_canon(entry)
    changed = entry.model_copy(update={"signatures": signatures, "extra": {}})
    residual = subtract(_keyed(original, changed), _keyed(_build(changed), changed))
    return changed.model_copy(update={"extra": {FORM: residual}})


def _fields(data: Json, today: dt.date, remarks: list[str]) -> Json:
    error, verdict = data["error"], data["verdict"]
    signature = _text(error["signature"])
    confirmed = data.get("metadata", {}).get("last_verification") or error.get("last_confirmed")
    taken: set[str] = set()
    steps = [_step(step, taken, remarks) for step in data.get("workarounds", ())]
    if not steps:
        raise FormError("has no workaround")
    return {
        "id": to_identity(_text(data["id"])),
        "title": first_sentence(signature, _LONGEST_TITLE),
        "aliases": [signature],
        "category": to_slug(_text(error.get("category") or "unknown")).replace("-", "_"),
        "verification": "ai_generated",
        "verified_on": confirmed or today,
        "fix_rate": verdict["fix_success_rate"],
        "root_cause": verdict["summary"],
        "versions": _versions(data.get("environment", {})),
        "signatures": _signatures(signature, error.get("regex"), remarks),
        "workarounds": steps,
        "dead_ends": [_dead_end(end, taken, remarks) for end in data.get("dead_ends", ())],
        "sources": _links(data.get("sources", ()), remarks),
    }


def to_identity(path: str) -> str:
    """Make an entry's id of a canon's, whose parts are domain, name and environment."""
    domain, _, rest = path.partition("/")
    return f"{to_slug(domain)}/{to_slug(rest, 80)}"


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise FormError(f"a text is empty or missing: {value!r}")
    return value.strip()


def _versions(environment: Json) -> dict[str, str]:
    runtime = environment.get("runtime") or {}
    name, span = runtime.get("name"), runtime.get("version_range")
    readable = isinstance(name, str) and isinstance(span, str) and contains(span, "1") is not None
    return {name: span} if readable and name and span else {}


def _signatures(signature: str, regex: object, remarks: list[str]) -> list[Json]:
    found: list[Json] = [{"text": signature}]
    if isinstance(regex, str) and regex.strip():
        try:
            found.append({"regex": bound(regex)})
        except FormError as error:
            remarks.append(f"{error}; the signature's text alone is kept")
    if (wider := widen(signature)) and all(wider != each.get("regex") for each in found):
        found.append({"regex": wider})
    return found


def _step(step: Json, taken: set[str], remarks: list[str]) -> Json:
    action = _text(step["action"])
    fields: Json = {
        "id": _name(action, taken),
        "do": first_sentence(action, _LONGEST_STEP),
        "details": _details(action, step.get("condition"), _LONGEST_STEP),
        "run": step.get("how") or None,
        "success_rate": step["success_rate"],
        "sources": _links(step.get("sources", ()), remarks),
    }
    if find_hazards(Workaround.model_validate(fields)):
        fields["risk"] = Risk.DATA_LOSS
        remarks.append(
            f"the step {fields['id']} can hurt others; risk is set to data-loss, check it"
        )
    return fields


def _dead_end(end: Json, taken: set[str], remarks: list[str]) -> Json:
    action, why = end.get("action") or "", _text(end["why_fails"])
    if not action.strip():
        action = first_sentence(why, _LONGEST_DEAD_END)
        remarks.append(f"a dead end had no name and is called by its reason: {action!r}; rename it")
    return {
        "id": _name(action, taken),
        "do": first_sentence(action, _LONGEST_DEAD_END),
        "why": why,
        "fail_rate": end["fail_rate"],
        "sources": _links(end.get("sources", ()), remarks),
    }


def _name(action: str, taken: set[str]) -> str:
    name = name_apart(to_slug(action), taken)
    taken.add(name)
    return name


def _details(action: str, condition: object, most: int) -> str | None:
    whole = action if first_sentence(action, most) != action else ""
    where = (
        f"Where: {condition.strip()}" if isinstance(condition, str) and condition.strip() else ""
    )
    return " ".join(filter(None, (whole, where))) or None


def _links(links: object, remarks: list[str]) -> list[str]:
    kept = []
    for link in links if isinstance(links, list | tuple) else ():
        if (
            isinstance(link, str)
            and link.startswith("https://")
            and not set(link) & set(' \n\t<>"')
        ):
            kept.append(link)
        else:
            remarks.append(f"the link {link!r} is not https and was left out")
    return kept


def _build(entry: Entry) -> Json:
    """Make the canon that the entry's own fields give."""
    runtime = next(iter(entry.versions.items()), None)
    regex = next((s.regex for s in entry.signatures if s.regex), None)
    signature = next((s.text for s in entry.signatures if s.text), None) or entry.title
    return {
        "schema_version": "1.0.0",
        "id": entry.id,
        "error": {
            "signature": signature,
            **({"regex": regex} if regex else {}),
            "domain": entry.domain,
            "category": entry.category,
            "last_confirmed": entry.verified_on.isoformat(),
        },
        "environment": {"runtime": {"name": runtime[0], "version_range": runtime[1]}}
        if runtime
        else {},
        "verdict": {"fix_success_rate": entry.fix_rate, "summary": entry.root_cause},
        "workarounds": [
            {
                "action": step.do,
                "success_rate": step.success_rate,
                **({"how": step.run} if step.run else {}),
                **({"condition": step.details} if step.details else {}),
                "sources": list(step.sources),
            }
            for step in entry.workarounds
        ],
        "dead_ends": [
            {
                "action": end.do,
                "why_fails": end.why,
                "fail_rate": end.fail_rate,
                **({"condition": f"not where {end.unless}"} if end.unless else {}),
                "sources": list(end.sources),
            }
            for end in entry.dead_ends
        ],
    }


def _keyed(data: Mapping[str, Any], entry: Entry) -> Json:
    """Turn lists of steps into mappings by id, so that one step's change touches no other."""
    keyed = dict(data)
    for field, ids in (
        ("workarounds", [step.id for step in entry.workarounds]),
        ("dead_ends", [end.id for end in entry.dead_ends]),
    ):
        items: Sequence[Any] = data.get(field, ())
        if isinstance(items, list) and len(items) == len(ids):
            keyed[field] = dict(zip(ids, items, strict=True))
    return keyed


def _unkeyed(data: Json) -> Json:
    for field in ("workarounds", "dead_ends"):
        if isinstance(data.get(field), dict):
            data = {**data, field: list(data[field].values())}
    return data
