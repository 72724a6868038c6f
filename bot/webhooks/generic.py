"""The generic form: one JSON object about one job, for senders that have no form of their own.

Everything may stand at the top or in `data` (as Standard Webhooks has it), the job's own fields in
`job` too. Several names are taken for the same thing:

id: id, job_id, jobid · name: name, job_name · status: status, state, result ·
attempt: attempt, restart, retry · url: url, link, log_url · cluster: cluster ·
user: user, owner, username · hosts: hosts, host, nodes, node, nodelist · exit_code: exit_code,
exitcode, return_code · signal: signal · finished_at: finished_at, ended_at, end_time, timestamp ·
log: log, logs, text, message, error, exception, reason, stderr, output (all that are there).
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from bot.webhooks import Sender
from bot.webhooks.auth import grant_time, is_authentic, is_set_up
from bot.webhooks.model import MOST_LOG, BadBodyError, JobFailure, JobSuccess

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]

NAMES = {
    "id": ("id", "job_id", "jobid"),
    "name": ("name", "job_name"),
    "status": ("status", "state", "result"),
    "attempt": ("attempt", "restart", "retry"),
    "url": ("url", "link", "log_url"),
    "cluster": ("cluster",),
    "user": ("user", "owner", "username"),
    "hosts": ("hosts", "host", "nodes", "node", "nodelist"),
    "exit_code": ("exit_code", "exitcode", "return_code"),
    "signal": ("signal",),
    "finished_at": ("finished_at", "ended_at", "end_time", "timestamp"),
}
TEXTS = ("error", "exception", "reason", "message", "text", "stderr", "output", "logs", "log")
SUCCEEDED = frozenset(
    (
        *("success", "succeeded", "successful", "successfully", "complete", "completed"),
        *("ok", "okay", "pass", "passed", "finished", "done"),
    )
)
UNDER_WAY = frozenset(
    (
        *("running", "inprogress", "active", "started", "starting", "pending", "queued"),
        *("requeued", "waiting", "created", "submitted", "scheduled", "accepted", "requested"),
        *(
            "initializing",
            "preparing",
            "provisioning",
            "configuring",
            "resizing",
            "suspended",
            "paused",
        ),
        *("deferred", "upforreschedule", "completing", "finishing", "stageout"),
    )
)
FINE = SUCCEEDED | UNDER_WAY | {"skipped", "healthy", "resolved", "neutral"}
"""Words that tell of no failure; any other does."""


def read_body(raw: bytes, headers: Mapping[str, str]) -> list[JobFailure]:
    """Read the failure in a request, if it tells of one. Raises BadBodyError."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadBodyError("the body must be JSON, encoded as UTF-8") from None
    job = read_job(body, headers.get("webhook-id"))
    return [job] if job else []


def read_job(body: object, delivery: str | None) -> JobFailure | None:
    """Read the failure in a body; none where it tells of no failure. Raises BadBodyError.

    `delivery` is the sender's own id of the delivery (`webhook-id`), where it has one.
    """
    if not isinstance(body, dict):
        raise BadBodyError("the body must be a JSON object")
    places = _places(body)
    found = {field: _first(places, names) for field, names in NAMES.items()}
    status = str(found["status"] or "failed").lower()
    if _plain(status) in FINE:
        return None
    text = _read_text(places)
    if not text and found["id"] is None and found["name"] is None:
        raise BadBodyError("the body must hold a job id, a name, or a log or error text")
    return JobFailure(
        key=_identify(body, found, delivery),
        id=_text(found["id"]),
        name=_text(found["name"]),
        status=status,
        url=_text(found["url"]),
        cluster=_text(found["cluster"]),
        user=_text(found["user"]),
        hosts=_hosts(found["hosts"]),
        exit_code=_integer(found["exit_code"]),
        signal=_text(found["signal"]),
        finished_at=_text(found["finished_at"]),
        text=text[-MOST_LOG:],
    )


def read_successes(raw: bytes) -> list[JobSuccess]:
    """Read the success in a body that `read_body` could read, where it tells of one."""
    places = _places(json.loads(raw))
    status = _plain(str(_first(places, NAMES["status"]) or ""))
    identity = _text(_first(places, NAMES["id"]))
    if status not in SUCCEEDED or identity is None:
        return []
    attempt = _first(places, NAMES["attempt"]) or 0
    cluster = _text(_first(places, NAMES["cluster"]))
    key = _hash("done", cluster, identity, str(attempt))
    return [JobSuccess(key=key, id=identity, cluster=cluster)]


def _places(body: Json) -> list[Json]:
    """Where fields may stand, the most particular first."""
    data = body.get("data")
    outer = [data, body] if isinstance(data, dict) else [body]
    jobs = [place["job"] for place in outer if isinstance(place.get("job"), dict)]
    plain = [{"name": place["job"]} for place in outer if isinstance(place.get("job"), str)]
    return [*jobs, *outer, *plain]


def _first(places: list[Json], names: tuple[str, ...]) -> Any:
    for place in places:
        for name in names:
            if place.get(name) not in (None, "", [], {}):
                return place[name]
    return None


def _plain(status: str) -> str:
    """Return the letters and digits of a status: `In progress`, `IN_PROGRESS` and `InProgress` are one."""
    return "".join(filter(str.isalnum, status.lower()))


def _read_text(places: list[Json]) -> str:
    pieces: list[str] = []
    for name in TEXTS:
        for place in places:
            value = place.get(name)
            lines = value if isinstance(value, list) else [value]
            text = "\n".join(line for line in lines if isinstance(line, str)).strip()
            if text and text not in pieces:
                pieces.append(text)
    return "\n".join(pieces)


def _identify(body: Json, found: Json, delivery: str | None) -> str:
    if delivery:
        return _hash("delivery", delivery)
    if found["id"] is not None:
        return _hash("job", _text(found["cluster"]), str(found["id"]), str(found["attempt"] or 0))
    return _hash("body", body)


def _hash(kind: str, *parts: object) -> str:
    """Make a key of bounded length that tells nothing, each part apart from the next."""
    return f"{kind}:{hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()}"


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _integer(value: object) -> int | None:
    try:
        return int(str(value))
    except ValueError:
        return None


def _hosts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        # Slurm writes `node-[01-04],gpu-7`: the comma inside the brackets does not part hosts.
        return tuple(host for host in re.split(r"[,\s]+(?![^\[]*\])", value) if host)[:1000]
    items = value if isinstance(value, list) else []
    return tuple(str(item) for item in items if isinstance(item, (str, int)))[:1000]


SENDER = Sender("generic", read_body, is_authentic, grant_time, is_set_up, read_successes)
