"""`nccl-bot diagnose`: exit codes, the JSON contract, and never a traceback."""

from __future__ import annotations

import gzip
import io
import json
import os
from types import SimpleNamespace

import pytest

from bot.cli import diagnose as command, main

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB\n"
WATCHDOG = (
    "[rank3]:[E1130 21:23:57.318442 14694 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective"
    " operation timeout: WorkNCCL(SeqNum=48211, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000)"
    " ran for 600026 milliseconds before timing out.\n"
)
WRAPPER = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED\n"
CONTRACT = {
    *("kind", "entry", "confidence", "line", "matched_by", "runners_up", "workarounds"),
    *("dead_ends", "facts", "fingerprint"),
}


@pytest.fixture(autouse=True)
def quick(monkeypatch, shipped):
    """One knowledge base for all tests of this file."""
    monkeypatch.setattr(command, "load_kb", lambda _arguments: shipped)


@pytest.fixture(scope="module")
def shipped():
    from rules.load import load, shipped

    return load([shipped()])


def run(capsys, *arguments):
    code = main(["diagnose", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def write(tmp_path, data):
    path = tmp_path / "job.log"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_an_answer_exits_0_and_shows_line_steps_and_dead_ends(capsys, tmp_path):
    code, out, err = run(capsys, write(tmp_path, "all is well\n" + WATCHDOG))

    assert (code, err) == (0, "")
    assert "pytorch/nccl-timeout-during-allreduce" in out
    assert "line 2 " in out
    assert out.index("Try, in this order:") < out.index("Do not waste time on:")


def test_silence_exits_1_and_says_what_would_help(capsys, tmp_path):
    code, out, _ = run(capsys, write(tmp_path, "lunch at noon?\n"))

    assert code == 1
    assert out.startswith("No known error found.")


def test_a_wrapper_exits_0_with_a_request(capsys, tmp_path):
    code, out, _ = run(capsys, write(tmp_path, WRAPPER), "--json")

    assert (code, json.loads(out)["kind"]) == (0, "request")
    assert json.loads(out)["ask"]
    assert "Please send:" in run(capsys, write(tmp_path, WRAPPER))[1]


@pytest.mark.parametrize("text", [WATCHDOG, WRAPPER, "lunch at noon?", ""])
def test_the_json_keeps_its_contract(capsys, tmp_path, text):
    _, out, _ = run(capsys, write(tmp_path, text), "--json")
    said = json.loads(out)

    assert set(said) >= CONTRACT
    assert out.count("\n") == 1
    assert (said["entry"] is None) == (said["kind"] == "silence")
    assert 0 <= said["confidence"] <= 1
    if said["kind"] == "silence":
        assert (said["line"], said["matched_by"], said["workarounds"]) == (None, None, [])


def test_the_json_of_an_answer_says_what_was_read(capsys, tmp_path):
    said = json.loads(run(capsys, write(tmp_path, WATCHDOG), "--json")[1])

    assert said["entry"] == "pytorch/nccl-timeout-during-allreduce"
    assert (said["line"], said["matched_by"]) == (1, "regex")
    assert said["facts"]["operation"] == "ALLREDUCE"
    assert said["facts"]["timeout_ms"] == 600_000
    assert said["facts"]["ranks"] == [3]
    assert {"id", "do", "rate", "minutes", "risk", "tried"} <= set(said["workarounds"][0])
    assert {"id", "why", "fail_rate"} <= set(said["dead_ends"][0])


def test_an_explanation_names_rule_confidence_and_losers(capsys, tmp_path):
    _, out, _ = run(capsys, write(tmp_path, OOM + WATCHDOG + WRAPPER), "--explain")

    assert "rule cuda/out-of-memory" in out
    assert "log odds:" in out
    assert "not torchrun/child-failed" in out
    assert "fingerprint" in out


def test_silence_is_explained_too(capsys, tmp_path):
    assert "no signature fired" in run(capsys, write(tmp_path, "lunch?"), "--explain")[1]


def test_who_asks_is_told_less_certain_things(capsys, tmp_path):
    path = write(tmp_path, "we saw this: CUDA out of memory. Tried to allocate, but it is resolved")
    threshold = [
        json.loads(run(capsys, path, "--json", *asked)[1])["reasons"][0].rpartition(" ")[2]
        for asked in ((), ("--asked",))
    ]

    assert float(threshold[1]) < float(threshold[0])


def test_slack_mark_up_is_decoded_on_request(capsys, tmp_path):
    text = "```" + OOM.replace("CUDA", "CUDA&nbsp;").strip() + "```"

    assert run(capsys, write(tmp_path, text), "--slack")[0] == 0


@pytest.mark.parametrize("name", ["missing.log", "."])
def test_what_cannot_be_read_exits_2_with_one_line(capsys, tmp_path, name):
    code, out, err = run(capsys, tmp_path / name)

    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "cannot be read" in err


def test_a_file_without_permission_exits_2(capsys, tmp_path, monkeypatch):
    def refuse(*_arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)

    assert run(capsys, tmp_path / "job.log")[0] == 2


def test_unknown_options_exit_2(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["diagnose", "--loud"])

    assert stopped.value.code == 2


CALM = b"".join(b"step %d loss 2.31 lr 3e-4\n" % n for n in range(20_000))


@pytest.mark.parametrize(
    "data",
    [
        OOM.encode(),
        OOM.replace("\n", "\r\n").encode(),
        OOM.encode("utf-16"),
        gzip.compress(OOM.encode()),
        b"\xff\xfe\x00\x80 broken\n" * 40 + OOM.encode(),
        b"\x00" + OOM.encode().replace(b" ", b" \x00"),
        CALM + OOM.encode() + CALM,
        gzip.compress(CALM + OOM.encode() + CALM),
        (CALM + OOM.encode() + CALM).decode().encode("utf-16"),
        CALM.replace(b"\n", b" ") + OOM.encode() + CALM.replace(b"\n", b" "),
    ],
    ids=[
        "plain",
        "crlf",
        "utf-16",
        "gzip",
        "broken",
        "nul",
        "long",
        "long gzip",
        "long utf-16",
        "line",
    ],
)
def test_any_packing_and_encoding_gets_the_answer(capsys, tmp_path, data):
    code, out, _ = run(capsys, write(tmp_path, data), "--json")

    assert (code, json.loads(out)["entry"]) == (0, "cuda/out-of-memory")


def test_packed_data_that_ends_early_is_read_and_told(capsys, tmp_path):
    noise = os.urandom(300_000).hex().encode()
    packed = gzip.compress(OOM.encode() + noise)

    code, out, err = run(capsys, write(tmp_path, packed[: len(packed) // 2]))

    assert code == 0
    assert "cuda/out-of-memory" in out
    assert "ends early" in err


@pytest.mark.parametrize("data", [b"", os.urandom(4_096), b"\x7fELF" + bytes(range(256)) * 2_000])
def test_what_is_no_log_is_silence(capsys, tmp_path, data):
    assert run(capsys, write(tmp_path, data))[0] == 1


def test_standard_input_is_read(capsys, monkeypatch):
    stdin = SimpleNamespace(buffer=io.BytesIO(OOM.encode()), isatty=lambda: False)
    monkeypatch.setattr("sys.stdin", stdin)

    assert run(capsys, "-", "--json")[0] == 0


def test_a_terminal_is_told_how_to_end(capsys, monkeypatch):
    stdin = SimpleNamespace(buffer=io.BytesIO(b""), isatty=lambda: True)
    monkeypatch.setattr("sys.stdin", stdin)

    code, _, err = run(capsys)

    assert code == 1
    assert "Ctrl-D" in err


class _Directory:
    """What a shell's `< directory` gives a program."""

    def peek(self, _size):
        raise IsADirectoryError(21, "Is a directory")


def test_standard_input_that_is_a_directory_exits_2(capsys, monkeypatch):
    stdin = SimpleNamespace(buffer=_Directory(), isatty=lambda: False)
    monkeypatch.setattr("sys.stdin", stdin)

    code, _, err = run(capsys)

    assert code == 2
    assert "cannot be read" in err


def test_bad_entries_exit_2_with_their_place(capsys, tmp_path, monkeypatch):
    monkeypatch.undo()
    (tmp_path / "own" / "x").mkdir(parents=True)
    (tmp_path / "own" / "x" / "y.yaml").write_text("id: x/y\n", encoding="utf-8")

    code, out, err = run(capsys, write(tmp_path, OOM), "--kb", tmp_path / "own")

    assert (code, out) == (2, "")
    assert "y.yaml:1" in err
