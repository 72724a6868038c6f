"""The generic form of a job failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import given, settings, strategies as st

from bot.seal import Seal
from bot.webhooks.generic import NAMES, TEXTS, read_body, read_job, read_successes
from bot.webhooks.model import BadBodyError

PAYLOADS = Path(__file__).parents[1] / "payloads"


def test_the_recorded_delivery_is_read_whole() -> None:
    body = json.loads((PAYLOADS / "webhook_generic_standard_webhooks.json").read_text())
    job = read_job(body, "msg_1")

    assert job is not None
    assert (job.id, job.name, job.cluster) == ("4242", "gpt-pretrain", "prod-a")
    assert (job.exit_code, len(job.hosts), job.url) == (134, 4, "https://jobs.example.com/4242")
    assert "ncclSystemError" in job.text


@pytest.mark.parametrize(
    ("body", "field", "value"),
    [
        ({"job_id": 7, "message": "x"}, "id", "7"),
        ({"id": 0}, "id", "0"),
        ({"name": 0}, "name", "0"),
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


def key(body: dict[str, Any], delivery: str | None = None) -> str:
    job = read_job(body, delivery)
    assert job is not None
    return job.key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"id": "7", "cluster": "a"}, {"id": "7", "cluster": "b"}),
        ({"id": "7", "cluster": "a"}, {"id": "7"}),
        ({"id": 0, "attempt": 0, "log": "x"}, {"id": 0, "attempt": 1, "log": "x"}),
        ({"id": "j" * 300, "attempt": 0}, {"id": "j" * 300, "attempt": 1}),
        ({"id": "j" * 300 + "1"}, {"id": "j" * 300 + "2"}),
        ({"id": "a:b", "cluster": "c"}, {"id": "b", "cluster": "c:a"}),
    ],
)
def test_failures_of_different_jobs_have_different_keys(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert key(one) == key(dict(one)) != key(other)
    succeeded = [
        read_successes(json.dumps(body | {"state": "ok"}).encode())[0].key for body in (one, other)
    ]
    assert succeeded[0] != succeeded[1]


def test_deliveries_whose_ids_are_long_have_different_keys() -> None:
    assert key({"id": 1}, "m" * 300 + "1") != key({"id": 1}, "m" * 300 + "2")


SECRET = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01"


@pytest.mark.parametrize("field", [name for name in NAMES if name not in ("attempt", "exit_code")])
@pytest.mark.parametrize(
    "place", ["{}", "https://b/l?sig={}", "http://u:{}@h/x", "x" * 290 + " {}"]
)
def test_no_field_of_a_job_keeps_a_secret(field: str, place: str) -> None:
    said = place.format(SECRET)
    for value in (said, [said]) if field == "hosts" else (said,):
        body = {"id": "7", "name": "n", "log": "x"} | {field: value}
        job = read_job(body, SECRET)
        assert job is not None
        assert SECRET[:8] not in job.model_dump_json()
        assert SECRET not in key(body)


def test_a_success_keeps_no_secret_and_names_the_job_as_its_failure_did() -> None:
    body = {"id": f"7 --token={SECRET}", "cluster": SECRET}
    failure = read_job(body, None)
    [success] = read_successes(json.dumps(body | {"state": "ok"}).encode())

    assert failure is not None
    assert (failure.id, failure.cluster) == (success.id, success.cluster)
    assert SECRET not in success.model_dump_json()


@pytest.mark.parametrize("field", [*NAMES, *TEXTS])
def test_half_characters_and_nul_become_question_marks(field: str) -> None:
    raw = json.dumps({"id": "7", "name": "n", field: "a\ud83d\0b"}).encode()
    [job] = read_body(raw, {"webhook-id": "\udcff"})
    kept = Seal(Fernet.generate_key().decode()).close(job.model_dump(mode="json"))

    assert kept
    assert b"\\u0000" not in job.model_dump_json().encode()


@pytest.mark.parametrize(
    ("status", "successes"),
    [
        *[(word, 1) for word in ("succeeded", "COMPLETED", "successful", "Completed ", " ok")],
        *[(word, 1) for word in ("success!", "\N{WHITE HEAVY CHECK MARK} Passed", "Done.")],
        *[(word, 0) for word in ("running", "in_progress", "In progress", "InProgress")],
        *[(word, 0) for word in ("skipped", "healthy", "STAGE_OUT", "up_for_reschedule")],
    ],
)
def test_what_did_not_fail_is_no_failure(status: str, successes: int) -> None:
    body = {"id": 1, "status": status}

    assert read_job(body, None) is None
    assert len(read_successes(json.dumps(body).encode())) == successes


@pytest.mark.parametrize(
    "status",
    [
        *("failed", "unhealthy", "not ok", "unsuccessful", "completed with errors"),
        *("NODE_FAIL", "up_for_retry", "succeeded 3/4", "weird", "?"),
    ],
)
def test_any_other_word_is_a_failure(status: str) -> None:
    assert read_job({"id": 1, "status": status}, None)
    assert read_successes(json.dumps({"id": 1, "status": status}).encode()) == []


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
