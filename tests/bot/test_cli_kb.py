from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
import yaml

from bot.cli import main
from rules.load import load, read, shipped
from tests.rules.kb_files import fields, write

ROOT = Path(__file__).parents[2]
LOG = """\
[rank1]: Traceback (most recent call last):
[rank1]:   File "/home/jdoe/train.py", line 10, in <module>
[rank1]: ShardError: widget shard 17 of 64 on node-12 has checksum 0xdeadbeef, expected 0xabad1dea
srun: error: node-12: task 1: Exited with exit code 1
token=ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
"""


@pytest.fixture
def own(tmp_path):
    return write(tmp_path / "own", fields("team/widget-lost"))


@pytest.fixture
def run(capsys, monkeypatch):
    def run(*arguments, given=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_lint_of_a_good_entry_succeeds(run, own):
    code, out, _ = run("kb", "lint", "team/widget-lost", "--kb", own)

    assert (code, out) == (0, "1 entries, 0 errors, 0 warnings\n")


def test_lint_tells_line_check_and_advice_and_fails(run, own):
    write(own, fields("team/bad", yields_to=["nccl/nowhere"]))
    code, out, _ = run("kb", "lint", "team/bad", "--kb", own)

    assert code == 1
    assert re.search(r"bad\.yaml:\d+: error: team/bad: yields to nccl/nowhere", out)
    assert "unknown-entry: `nccl-bot kb search` finds the id" in out


def test_lint_counts_warnings_only_when_strict(run, own):
    write(own, fields("team/thin", sources=["https://example.org/1"]))

    assert run("kb", "lint", "team/thin", "--kb", own)[0] == 0
    assert run("kb", "lint", "team/thin", "--kb", own, "--strict")[0] == 1


def test_an_unknown_id_is_bad_usage(run):
    code, _, err = run("kb", "lint", "nccl/nowhere")

    assert (code, err) == (2, "nccl-bot: no entry nccl/nowhere; `nccl-bot kb search` finds ids\n")


def test_test_runs_samples_and_healthy_texts(run, own):
    code, out, _ = run("kb", "test", "team/widget-lost", "--kb", own)

    assert code == 0
    assert re.fullmatch(r"1 entries, 3 samples, \d\d+ healthy texts, 0 faults\n", out)


def test_test_tells_a_sample_that_another_entry_wins(run, own):
    text = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB"
    write(own, fields("team/bad", samples={"match": [{"text": text}]}))
    code, out, _ = run("kb", "test", "team/bad", "--kb", own)

    assert code == 1
    assert "team/bad: cuda/out-of-memory" in out


def test_test_tells_a_healthy_text_that_is_answered(run, own):
    (own / "healthy").mkdir()
    (own / "healthy/a.txt").write_text(
        "all good\n---\nRuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n"
    )
    code, out, _ = run("kb", "test", "team/widget-lost", "--kb", own)

    assert code == 1
    assert "a.txt:2: cuda/out-of-memory" in out


def test_new_drafts_a_redacted_entry_that_answers_its_log(run, tmp_path):
    code, out, _ = run("kb", "new", "team/widget-shard", "--into", tmp_path, given=LOG)
    path = tmp_path / "team/widget-shard.yaml"
    text = path.read_text()
    entry = read([tmp_path]).entries["team/widget-shard"]

    assert code == 0
    assert "line 3 decides" in out
    assert "neighbours" in out
    assert entry.signatures[0].regex == "ShardError: widget shard.{0,80}has checksum.{0,80}expected"
    assert not re.search(
        "jdoe|node-12|ghp_a", yaml.safe_dump(entry.samples.model_dump(mode="json"))
    )
    assert text.startswith("# yaml-language-server: $schema=../schema.json\n")
    assert run("kb", "test", "team/widget-shard", "--kb", tmp_path)[0] == 0
    assert run("kb", "lint", "team/widget-shard", "--kb", tmp_path)[0] == 1


def test_new_never_writes_over_a_file(run, own):
    path = own / "team/widget-lost.yaml"
    before = path.read_text()
    code, _, err = run("kb", "new", "team/widget-lost", "--into", own, given=LOG)

    assert code == 2
    assert "exists" in err
    assert path.read_text() == before


@pytest.mark.parametrize("identity", ["nccl", "Nccl/Error", "../x/y", "nccl/x/y", "nccl/"])
def test_new_refuses_an_id_that_is_no_path_of_an_entry(run, identity, tmp_path):
    code, _, err = run("kb", "new", identity, "--into", tmp_path, given=LOG)

    assert code == 2
    assert "<domain>/<slug>" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("log", ["", "all is well\nstep 10 loss 2.1\n", "\x00\xff\x00" * 50])
def test_new_says_so_where_a_log_has_no_error(run, log, tmp_path):
    code, _, err = run("kb", "new", "team/none", "--into", tmp_path, given=log)

    assert code == 2
    assert "no line of it looks like an error" in err


def test_new_says_which_entry_answers_already(run, tmp_path):
    log = "RuntimeError: CUDA error: device-side assert triggered"
    _, out, _ = run("kb", "new", "team/again", "--into", tmp_path, given=log)

    assert "cuda/device-side-assert answers this log already" in out


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["xid", "79"], "gpu/xid-79-fallen-off-the-bus"),
        (["allreduce", "timeout"], "pytorch/nccl-timeout-during-allreduce"),
        (["fallen", "of", "the", "buss"], "gpu/xid-79-fallen-off-the-bus"),
        (["cuda", "out", "of", "memory"], "cuda/out-of-memory"),
    ],
)
def test_search_ranks_by_words_even_misspelt(run, words, first):
    code, out, _ = run("kb", "search", *words)

    assert code == 0
    assert out.split()[0] == first


def test_search_without_a_hit_says_so(run):
    assert run("kb", "search", "qqqqzzzz")[:2] == (1, "no entry has these words\n")


def test_show_states_rates_and_orders_steps(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    code, out, _ = run("kb", "show", "pytorch/nccl-timeout-during-allreduce")
    rates = re.findall(r"stated (\d\d) %", out)

    assert code == 0
    assert rates == ["85", "80", "75"]
    assert re.findall(r"fails (\d\d) %, stated", out) == ["70", "90", "95"]


def test_show_suggests_a_near_id(run):
    code, _, err = run("kb", "show", "pytorch/nccl-timeout-during-alreduce")

    assert code == 2
    assert "did you mean pytorch/nccl-timeout-during-allreduce" in err


def test_schema_is_the_one_that_is_checked_in(run):
    assert run("kb", "schema")[1] == (shipped() / "schema.json").read_text()


def test_import_takes_what_is_good_and_reports_the_rest(run, tmp_path):
    from tests.rules.test_interchange_canon import canon
    from tests.rules.test_interchange_markdown import FOUNDING

    source = tmp_path / "in"
    source.mkdir()
    (source / "a.md").write_text(FOUNDING)
    (source / "b.md").write_text("")
    (source / "c.json").write_text("{")
    (source / "d.json").write_text(json.dumps(canon()))
    (source / "e.json").write_text(json.dumps(canon()))
    (source / "f.json").write_text("[" * 100_000)
    (source / "g.md").write_bytes(b"\xff\xfe\x00")
    code, out, _ = run("kb", "import", source, "--into", tmp_path / "out")

    assert code == 1
    assert "b.md: refused: the file is empty" in out
    assert "c.json: refused: no JSON" in out
    assert re.search(r"e\.json: refused: has the id or the wording of \S+d\.json", out)
    assert "f.json: refused: no JSON" in out
    assert "g.md: refused: cannot be read" in out
    assert "a.md: look at pytorch/nccl-timeout-during-allreduce: a dead end had no name" in out
    assert out.endswith(f"2 imported into {tmp_path / 'out'}, 5 refused\n")
    assert sorted(load([tmp_path / "out"]).entries) == [
        "cuda/widget-lost-cuda12-linux",
        "pytorch/nccl-timeout-during-allreduce",
    ]


@pytest.mark.parametrize("form", ["markdown", "canon"])
def test_export_and_import_give_the_same_document_again(run, form, tmp_path):
    first, second, entries = tmp_path / "first", tmp_path / "second", tmp_path / "kb"
    identity = "gpu/xid-79-fallen-off-the-bus"
    assert run("kb", "export", identity, "--form", form, "--into", first)[0] == 0
    assert run("kb", "import", first, "--into", entries)[0] == 0
    assert run("kb", "export", identity, "--form", form, "--kb", entries, "--into", second)[0] == 0

    one, two = (next(p for p in folder.rglob("*") if p.is_file()) for folder in (first, second))
    assert one.read_text() == two.read_text()


def test_import_never_writes_over_an_entry(run, tmp_path):
    from tests.rules.test_interchange_markdown import FOUNDING

    (tmp_path / "a.md").write_text(FOUNDING)
    run("kb", "import", tmp_path / "a.md", "--into", tmp_path / "out")
    code, out, _ = run("kb", "import", tmp_path / "a.md", "--into", tmp_path / "out")

    assert code == 1
    assert "exists already" in out


def test_the_example_of_contributing_works_as_it_is_written(run, tmp_path):
    """The blocks of "An entry in five minutes": a log, the command, the finished entry."""
    whole = (ROOT / "CONTRIBUTING.md").read_text()
    section = whole.split("## An entry in five minutes")[1].split("\n## ")[0]
    log = re.search(r"```text\n(.*?)```", section, re.DOTALL)[1]
    identity = re.search(r"nccl-bot kb new (\S+) <", section)[1]
    finished = re.search(r"```yaml\n(.*?)```", section, re.DOTALL)[1]
    assert run("kb", "new", identity, "--into", tmp_path, given=log)[0] == 0
    drafted = read([tmp_path]).entries[identity]

    (tmp_path / f"{identity}.yaml").write_text(finished)
    entry = load([tmp_path]).entries[identity]

    assert entry.signatures[0] == drafted.signatures[0]
    code, out, _ = run("kb", "lint", identity, "--kb", tmp_path, "--strict")
    assert code == 0, out
    code, out, _ = run("kb", "test", identity, "--kb", tmp_path)
    assert code == 0, out
