"""What every command does where it cannot read or write: one line that says so, never a traceback."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from bot.cli import diagnose, main
from bot.cli.kb import exchange, new, show
from tests.rules.conftest import make_entry, make_kb

KB = make_kb(make_entry("cuda/oom", "CUDA out of memory. Tried to allocate", title="Löst nicht"))


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for module in (diagnose, exchange, new, show):
        monkeypatch.setattr(module, "load_kb", lambda _: KB)


def run_shell(line):
    """Run a line of the shell in which `bot` is the program."""
    program = "import sys; from bot.cli import main; sys.exit(main())"
    script = f'bot() {{ "$0" -c "{program}" "$@"; }}; {line}'
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return subprocess.run(
        ["bash", "-c", script, sys.executable],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )


@pytest.mark.parametrize("words", ["kb schema", "--help"])
def test_a_full_disk_is_told(words):
    done = run_shell(f"bot {words} > /dev/full")

    assert done.returncode == 2
    assert done.stderr.strip().endswith("No space left on device")
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_that_leaves_is_no_fault():
    done = run_shell("bot kb schema | true; exit ${PIPESTATUS[0]}")

    assert (done.returncode, done.stderr) == (0, "")


def test_an_output_that_is_closed_is_no_fault():
    done = run_shell("bot kb schema >&-")

    assert (done.returncode, done.stderr) == (0, "")


def test_an_input_that_is_closed_is_told():
    done = run_shell("bot kb new ours/mine <&-")

    assert done.returncode == 2
    assert "standard input is closed" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "words", [["diagnose"], ["kb", "new", "ours/mine"], ["diagnose", "--json", "-"]]
)
def test_every_command_that_reads_tells_of_a_closed_input(monkeypatch, capsys, words):
    monkeypatch.setattr(sys, "stdin", None)

    assert main(words) == 2
    assert "standard input is closed" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_an_output_that_cannot_hold_a_character_is_told(monkeypatch, capsys, encoding):
    output = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", output)

    code = main(["kb", "export", "cuda/oom"])

    assert code == (2 if encoding == "ascii" else 0)
    said = capsys.readouterr().err
    assert ("PYTHONIOENCODING=utf-8" in said and "\\xf6" in said) == (encoding == "ascii")


@pytest.mark.parametrize("form", ["markdown", "canon"])
def test_an_export_into_what_is_no_folder_is_told(capsys, tmp_path, form):
    (tmp_path / "file").write_text("")

    assert main(["kb", "export", "cuda/oom", "--form", form, "--into", str(tmp_path / "file")]) == 2
    assert f"{tmp_path / 'file'}" in capsys.readouterr().err


def test_a_fault_of_the_system_that_no_command_foresaw_is_told_in_a_line(monkeypatch, capsys):
    def fail(_):
        raise PermissionError(13, "Permission denied", "some/file")

    monkeypatch.setattr(show, "load_kb", fail)

    assert main(["kb", "show", "cuda/oom"]) == 2
    assert capsys.readouterr().err == "nccl-bot: some/file: Permission denied\n"


@pytest.mark.parametrize("number", ["-5", "0", "x", "1.5"])
def test_a_number_of_results_that_is_none_is_refused(capsys, number):
    with pytest.raises(SystemExit) as left:
        main(["kb", "search", "-n", number, "timeout"])

    assert left.value.code == 2
    assert "from 1 on" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["abc", "99999999", "-1"])
def test_an_address_whose_port_is_none_is_told(monkeypatch, capsys, port):
    monkeypatch.setenv("NCCL_BOT_DATABASE_URL", f"postgresql://me:secret@127.0.0.1:{port}/bot")

    assert main(["db", "upgrade"]) == 2
    said = capsys.readouterr().err
    assert "NCCL_BOT_DATABASE_URL" in said
    assert "secret" not in said


@pytest.mark.parametrize("name", ["NCCL_BOT_AUTHORS", "NCCL_BOT_STRENGTHS"])
def test_a_setting_nested_too_deep_is_told(monkeypatch, capsys, name):
    monkeypatch.setenv(name, "[" * 50_000)

    assert main(["db", "upgrade"]) == 2
    assert name in capsys.readouterr().err


def test_a_file_of_settings_nested_too_deep_is_told(capsys, tmp_path):
    path = tmp_path / "bot.toml"
    path.write_text(f"authors = {'[' * 50_000}")

    assert main(["db", "upgrade", "--config", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


def test_a_healthy_text_that_is_no_text_is_told(capsys, tmp_path, monkeypatch):
    from bot.cli.kb import prove
    from rules.load import Reading

    (tmp_path / "healthy").mkdir()
    (tmp_path / "healthy/bad.txt").write_bytes(b"all is well \xff")
    (tmp_path / "healthy/.#bad.txt").symlink_to("a lock of an editor")
    monkeypatch.setattr(prove, "read_kb", lambda _: Reading({}, dict(KB.entries), ()))
    monkeypatch.setattr(prove, "prove", lambda *_: ())

    assert main(["kb", "test", "--kb", str(tmp_path)]) == 2
    assert str(tmp_path / "healthy/bad.txt") in capsys.readouterr().err
    (tmp_path / "healthy/bad.txt").write_text("all is well")
    assert main(["kb", "test", "--kb", str(tmp_path)]) == 0
