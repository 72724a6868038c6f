"""The hook that schedulers call, run as they run it, against the bot."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rules.votes import Outcome
from tests.scenarios.conftest import FOUNDING, Stage, set_stage
from tests.scenarios.small_kb import build_kb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from types import ModuleType

HOOK = Path(__file__).parents[2] / "deploy" / "hooks" / "report_failure.py"
SECRET = "whsec_" + "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
TOKEN = "made-up-token"
SLURM = {
    "SLURM_JOB_ID": "4242",
    "SLURM_JOB_NAME": "pretrain",
    "SLURM_JOB_USER": "ada",
    "SLURM_JOB_UID": str(os.getuid()),
    "SLURM_JOB_NODELIST": "gpu-[01-02]",
    "SLURM_JOB_EXIT_CODE": "0",
}


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[Stage]:
    async with set_stage("socket", tmp_path, build_kb()) as stage:
        settings = {
            "webhook_channel": stage.channel.id,
            "webhook_secret": SECRET,
            "webhook_token": TOKEN,
        }
        async with stage.running(**settings):
            yield stage


async def run_hook(stage: Stage, *arguments: str, **environment: str) -> tuple[int, str]:
    """Run the hook as its own process; exit code and what it complained of."""
    assert stage.bot is not None
    url = f"http://127.0.0.1:{stage.bot.port}/hooks/generic"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(HOOK),
        *arguments,
        env={"PATH": os.environ["PATH"], "NCCL_BOT_HOOK_URL": url, **environment},
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaint = await process.communicate()
    return process.returncode or 0, complaint.decode()


def stand_in_scontrol(folder: Path, state: str, log: Path, more: str = "") -> str:
    """Search path on which `scontrol show job` says that the job ended so."""
    program = folder / "bin" / "scontrol"
    program.parent.mkdir(exist_ok=True)
    said = f"JobId=4242 JobState={state} Restarts=1 ExitCode=0:0 StdErr={log} {more}"
    program.write_text(f"#!/bin/sh\nprintf '{said}'\n")
    program.chmod(0o755)
    return f"{program.parent}:{os.environ['PATH']}"


@pytest.mark.parametrize(
    "proof", [{"NCCL_BOT_WEBHOOK_SECRET": SECRET}, {"NCCL_BOT_WEBHOOK_TOKEN": TOKEN}]
)
async def test_a_failure_told_by_hand_is_posted_with_its_answer(
    jobs: Stage, tmp_path: Path, proof: dict[str, str]
) -> None:
    log = tmp_path / "train.err"
    log.write_text(f"step 1\n{FOUNDING}\n")
    done = await run_hook(
        jobs, "--name", "pretrain", "--id", "7", "--exit-code", "1", "--log", str(log), **proof
    )
    await jobs.quiet()
    [post] = jobs.roots()

    assert done == (0, "")
    assert "pretrain (7)" in post.text
    assert "AllReduce timed out" in jobs.bot_replies(post)[0].text


async def test_a_time_limit_in_slurm_is_told_though_its_exit_code_is_0(
    jobs: Stage, tmp_path: Path
) -> None:
    log = tmp_path / "train.err"
    log.write_text(FOUNDING)
    path = stand_in_scontrol(tmp_path, "TIMEOUT", log)
    done = await run_hook(jobs, NCCL_BOT_WEBHOOK_TOKEN=TOKEN, **{**SLURM, "PATH": path})
    await jobs.quiet()
    [post] = jobs.roots()

    assert done == (0, "")
    assert "pretrain (4242) timeout" in post.text
    assert "gpu-[01-02]" in post.text


@pytest.mark.parametrize("kind", ["link", "pipe", "device", "folder", "another's"])
async def test_a_log_that_is_no_file_of_the_jobs_user_is_left_out(
    jobs: Stage, tmp_path: Path, kind: str
) -> None:
    secret = tmp_path / "slurmdbd.conf"
    secret.write_text("StorageLocation=words of another user\n")
    log = tmp_path / "log"
    if kind == "link":
        log.symlink_to(secret)
    elif kind == "pipe":
        os.mkfifo(log)
    elif kind == "folder":
        log.mkdir()
    else:
        log = Path("/dev/zero") if kind == "device" else secret
    owner = os.getuid() + 1 if kind == "another's" else os.getuid()
    environment = {
        **SLURM,
        "SLURM_JOB_UID": str(owner),
        # What a user writes into the job's own fields makes nobody the owner.
        "PATH": stand_in_scontrol(tmp_path, "FAILED", log, f"Comment=UserId=me({os.getuid()})"),
    }
    code, complaint = await run_hook(jobs, NCCL_BOT_WEBHOOK_TOKEN=TOKEN, **environment)
    await jobs.quiet()
    [post] = jobs.roots()

    assert code == 0
    assert f"log left out: {log}: " in complaint
    assert "pretrain (4242) failed" in post.text
    assert "StorageLocation" not in post.text


@pytest.mark.parametrize(("comment", "code"), [("\\377", 0), ("a Restarts=many", 1)])
async def test_what_a_user_writes_into_a_job_is_no_traceback(
    jobs: Stage, tmp_path: Path, comment: str, code: int
) -> None:
    log = tmp_path / "log"
    log.write_text(FOUNDING)
    path = stand_in_scontrol(tmp_path, "FAILED", log, f"Comment={comment}")
    done, complaint = await run_hook(jobs, NCCL_BOT_WEBHOOK_TOKEN=TOKEN, **{**SLURM, "PATH": path})

    assert done == code
    assert "Traceback" not in complaint


@pytest.mark.parametrize("state", ["COMPLETED", "CANCELLED", "PREEMPTED"])
async def test_an_end_that_is_no_failure_is_not_told(
    jobs: Stage, tmp_path: Path, state: str
) -> None:
    path = stand_in_scontrol(tmp_path, state, tmp_path / "none")
    done = await run_hook(jobs, NCCL_BOT_WEBHOOK_TOKEN=TOKEN, **{**SLURM, "PATH": path})
    await jobs.quiet()

    assert done == (0, "")
    assert jobs.roots() == []


async def test_a_job_that_slurm_restarted_and_that_then_succeeded_is_an_outcome(
    tmp_path: Path,
) -> None:
    log = tmp_path / "train.err"
    log.write_text(FOUNDING)
    async with set_stage("socket", tmp_path, build_kb()) as stage:
        settings = {"webhook_channel": stage.channel.id, "webhook_token": TOKEN}
        async with stage.running(**settings, outcomes="record") as bot:
            for state in ("NODE_FAIL", "COMPLETED", "COMPLETED"):
                path = stand_in_scontrol(tmp_path, state, log)
                done = await run_hook(
                    stage, NCCL_BOT_WEBHOOK_TOKEN=TOKEN, **{**SLURM, "PATH": path}
                )
                assert done == (0, "")
                await stage.quiet()
            rates = await bot.core.ledger.rates(stage.slack.team.id)

    told = [type(event) for log in rates.logs.values() for event in log]
    assert told.count(Outcome) == 1
    assert len(stage.roots()) == 1


async def test_a_refused_token_is_said_and_the_scheduler_goes_on(jobs: Stage) -> None:
    code, complaint = await run_hook(jobs, "--name", "x", NCCL_BOT_WEBHOOK_TOKEN="wrong")

    assert code == 1
    assert "HTTP Error 401" in complaint
    assert "Traceback" not in complaint


class Receiver(HTTPServer):
    """A bot that answers with one status after the other, and a 202 from then on."""

    def __init__(self, port: int, statuses: list[int]) -> None:
        self.statuses = statuses
        self.bodies: list[dict[str, object]] = []
        super().__init__(("127.0.0.1", port), Answering)


class Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Receiver)
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.statuses.pop(0) if self.server.statuses else 202
        self.send_response(status)
        self.end_headers()
        if status == 202:
            self.server.bodies.append(json.loads(raw))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class's name
        pass


@pytest.fixture
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("report_failure", HOOK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "lines",
    [None, "", "NCCL_BOT_HOOK_URL=http://127.0.0.1/hooks/generic\nNCCL_BOT_WEBHOOK_TOKEN=\n"],
)
def test_what_is_not_configured_is_named(
    hook: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    lines: str | None,
) -> None:
    file = tmp_path / "hook.conf"
    if lines is not None:
        file.write_text(lines)
    monkeypatch.setattr(hook, "CONFIGURATION", str(file))
    monkeypatch.setattr(sys, "argv", ["report_failure.py", "--id", "7"])
    code = hook.main()
    said = capsys.readouterr().err

    assert code == 1
    for name in ("NCCL_BOT_HOOK_URL", "NCCL_BOT_WEBHOOK_SECRET", "NCCL_BOT_WEBHOOK_TOKEN"):
        assert name in said
    assert str(file) in said


def test_a_configuration_in_a_file_is_read(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "hook.conf"
    file.write_text(
        "# the bot\nNCCL_BOT_HOOK_URL=http://127.0.0.1/hooks/generic\n\nNCCL_BOT_WEBHOOK_TOKEN=a=b\n"
    )
    monkeypatch.setattr(hook, "CONFIGURATION", str(file))

    assert hook.read_configuration() == {
        "NCCL_BOT_HOOK_URL": "http://127.0.0.1/hooks/generic",
        "NCCL_BOT_WEBHOOK_TOKEN": "a=b",
    }


@pytest.mark.parametrize("statuses", [[], [503], [502, 504]])
def test_a_bot_that_is_not_there_yet_is_told_when_it_is(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch, statuses: list[int]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started: list[Receiver] = []

    def start_meanwhile(_: float) -> None:
        if not started:
            started.append(Receiver(port, statuses))
            threading.Thread(target=started[0].serve_forever, daemon=True).start()

    monkeypatch.setattr(hook.time, "sleep", start_meanwhile)
    where = {
        "NCCL_BOT_HOOK_URL": f"http://127.0.0.1:{port}/hooks/generic",
        "NCCL_BOT_WEBHOOK_TOKEN": TOKEN,
    }
    hook.send({"id": "7"}, where)
    started[0].shutdown()
    started[0].server_close()

    assert started[0].bodies == [{"id": "7"}]


def test_a_bot_that_never_comes_is_given_up(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(hook.time, "sleep", pauses.append)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/hooks/generic"
        where = {"NCCL_BOT_HOOK_URL": url, "NCCL_BOT_WEBHOOK_TOKEN": TOKEN}
        with pytest.raises(OSError, match="refused"):
            hook.send({"id": "7"}, where)

    assert 1 <= len(pauses) <= 5
