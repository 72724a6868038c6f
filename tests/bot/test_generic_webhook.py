"""The generic form of a job failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from bot.webhooks.generic import read_body, read_job
from bot.webhooks.model import BadBodyError

PAYLOADS = Path(__file__).parents[1] / "payloads"


def test_the_recorded_delivery_is_read_whole() -> None:
    body = json.loads((PAYLOADS / "webhook_generic_standard_webhooks.json").read_text())
    job = read_job(body, "msg_1")

    assert job is not None
    assert (job.key, job.id, job.name, job.cluster) == (
        "delivery:msg_1",
        "4242",
        "gpt-pretrain",
        "prod-a",
    )
    assert (job.exit_code, len(job.hosts), job.url) == (134, 4, "https://jobs.example.com/4242")
    assert "ncclSystemError" in job.text


@pytest.mark.parametrize(
    ("body", "field", "value"),
    [
        ({"job_id": 7, "message": "x"}, "id", "7"),
        ({"job": "train", "error": "x"}, "name", "train"),
        ({"id": 1, "nodelist": "gpu-[01-04,07],cpu-1"}, "hosts", ("gpu-[01-04,07]", "cpu-1")),
        ({"id": 1, "host": "n1"}, "hosts", ("n1",)),
        ({"id": 1, "exitcode": "-9"}, "exit_code", -9),
        ({"id": 1, "exitcode": "?"}, "exit_code", None),
        ({"id": 1, "state": "TIMEOUT"}, "status", "timeout"),
        ({"id": 1, "log": ["a", "b"], "reason": "c"}, "text", "c\na\nb"),
    ],
)
def test_other_names_are_taken_for_the_same_thing(
    body: dict[str, Any], field: str, value: object
) -> None:
    job = read_job(body, None)

    assert getattr(job, field) == value


def test_a_retried_job_is_another_failure_and_a_repeated_delivery_is_not() -> None:
    jobs = [read_job({"id": 1, "attempt": attempt}, None) for attempt in (0, 0, 1)]
    keys = [job.key for job in jobs if job]

    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("status", ["succeeded", "COMPLETED", "running"])
def test_what_did_not_fail_is_no_failure(status: str) -> None:
    assert read_job({"id": 1, "status": status}, None) is None


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"1", b"{}", b"\xff", b"[" * 100_000])
def test_a_bad_body_is_told_what_is_wrong(raw: bytes) -> None:
    with pytest.raises(BadBodyError, match="the body must"):
        read_body(raw, {})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["job", "data", "id", "log", "hosts", "status"]), inner)
    ),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(values)
def test_no_json_is_too_odd(body: Any) -> None:
    try:
        job = read_job(body, None)
    except BadBodyError:
        return

    assert job is None or job.model_dump(mode="json")
