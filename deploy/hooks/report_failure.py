#!/usr/bin/env python3
"""Tell nccl-bot of a failed job, or of one that succeeded after all; needs nothing but Python 3.9.

By hand or from any scheduler:

    report_failure.py --name pretrain --id 4242 --exit-code 1 --log train.err
    report_failure.py --id 4242 --status succeeded

For Slurm, in slurm.conf on the controller (the job's own environment does not come along);
docs/operations.md has the steps:

    EpilogSlurmctld=/etc/slurm/report_failure.py

The job's log (StdErr) goes along where the controller can read it and it is a plain file of the
job's own user; else the failure is told without it.

Where to and with what is read from the environment, else from /etc/nccl-bot-hook.conf
(lines of NAME=value): NCCL_BOT_HOOK_URL, such as https://bot.example.com/hooks/generic, and
NCCL_BOT_WEBHOOK_SECRET (whsec_..., the body is signed) or NCCL_BOT_WEBHOOK_TOKEN.
"""

from __future__ import annotations

import argparse
import base64
import errno
import hashlib
import hmac
import http.client
import json
import os
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request

CONFIGURATION = "/etc/nccl-bot-hook.conf"
TAIL = 200_000
"""Bytes of the log's end that are sent."""
FAILED = {"BOOT_FAIL", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT"}
"""States of Slurm that are worth a message; the rest is success, or was somebody's wish."""
PAUSES = (2, 8, 30)
"""Seconds until each further try, as a bot that starts again or stands behind a proxy may need."""
BUSY = {502, 503, 504}
SUCCEEDED = "COMPLETED"
"""Told of only after a restart: the bot may know the same job's failure, and keeps that apart."""


def main() -> int:
    """Send one failure; 0 where it was taken or there was none to tell of."""
    is_slurm = "SLURM_JOB_ID" in os.environ and len(sys.argv) == 1
    try:
        job = read_slurm() if is_slurm else read_arguments()
        if job is not None:
            send(job, read_configuration())
    except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
        sys.stderr.write(f"report_failure: not sent: {type(error).__name__}: {error}\n")
        return 1
    return 0


def read_arguments() -> dict[str, object]:
    """Read the job that the command line tells of."""
    parser = argparse.ArgumentParser(description="Tell nccl-bot of a failed job.")
    for name in ("--name", "--id", "--cluster", "--hosts", "--user", "--url", "--log", "--status"):
        parser.add_argument(name)
    parser.add_argument("--exit-code", type=int)
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    return {**given, "log": read_tail(str(given["log"]))} if "log" in given else given


def read_slurm() -> dict[str, object] | None:
    """Read the job that EpilogSlurmctld runs for; none unless it failed, or succeeded after a restart.

    The environment lacks the state: a time limit arrives with exit code 0. So the controller is asked.
    """
    number = os.environ["SLURM_JOB_ID"]
    command = ["timeout", "10", "scontrol", "show", "job", "--oneliner", number]
    # No shell, and the number is the controller's own.
    shown = subprocess.run(  # noqa: S603
        command, check=False, capture_output=True, encoding="utf-8", errors="replace"
    )
    fields = dict(part.split("=", 1) for part in shown.stdout.split() if "=" in part)
    state = fields.get("JobState", "FAILED" if os.environ.get("SLURM_JOB_EXIT_CODE") != "0" else "")
    restarts = int(fields.get("Restarts", "0"))
    if state not in FAILED and not (state == SUCCEEDED and restarts):
        return None
    return {
        "id": number,
        "name": os.environ.get("SLURM_JOB_NAME"),
        "user": os.environ.get("SLURM_JOB_USER"),
        "cluster": os.environ.get("SLURM_CLUSTER_NAME"),
        "hosts": os.environ.get("SLURM_JOB_NODELIST"),
        "attempt": restarts,
        "state": state,
        "exit_code": int(fields.get("ExitCode", "0:0").partition(":")[0]),
        "log": read_own_tail(fields.get("StdErr", "")) if state in FAILED else None,
    }


def read_own_tail(path: str) -> str | None:
    """Read the end of a job's log; none, and a word on stderr, where it is no file of the job's user.

    Whoever submits a job names its log, and this runs as Slurm's own user: else a job could have any
    file of that user posted, or a pipe hold the controller up. What `scontrol` prints holds free text
    of the user too, so that the owner is taken from what the controller set.
    """
    try:
        log = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            found = os.fstat(log)
            if not stat.S_ISREG(found.st_mode):
                raise PermissionError(errno.EPERM, "not a regular file")
            if str(found.st_uid) != os.environ.get("SLURM_JOB_UID"):
                raise PermissionError(errno.EPERM, "not a file of the job's user")
            return os.pread(log, TAIL, max(0, found.st_size - TAIL)).decode("utf-8", "replace")
        finally:
            os.close(log)
    except OSError as error:
        sys.stderr.write(f"report_failure: log left out: {path}: {error.strerror}\n")
        return None


def read_tail(path: str) -> str:
    """Read the end of a log; empty where it cannot be read from here."""
    try:
        with open(path, "rb") as log:  # noqa: PTH123  needs no more than a path from a text
            log.seek(max(0, os.fstat(log.fileno()).st_size - TAIL))
            return log.read(TAIL).decode("utf-8", "replace")
    except OSError as error:
        return f"(log not readable here: {error.strerror})"


def read_configuration() -> dict[str, str]:
    """Read where to send, and what proves that it is us. Raises ValueError where that is not said."""
    names = ("NCCL_BOT_HOOK_URL", "NCCL_BOT_WEBHOOK_SECRET", "NCCL_BOT_WEBHOOK_TOKEN")
    found = {name: os.environ[name] for name in names if os.environ.get(name)}
    why = ""
    if "NCCL_BOT_HOOK_URL" not in found:
        try:
            with open(CONFIGURATION, encoding="utf-8") as file:  # noqa: PTH123
                lines = [line.strip().partition("=") for line in file]
            found = {name: value for name, _, value in lines if name in names and value}
        except OSError as error:
            found, why = {}, f" ({error.strerror})"
    if "NCCL_BOT_HOOK_URL" not in found or len(found) == 1:
        where = f"in the environment or in {CONFIGURATION}{why}"
        raise ValueError(f"set {names[0]}, and {names[1]} or {names[2]}, {where}")
    return found


def send(job: dict[str, object], configuration: dict[str, str]) -> None:
    """Post the job, again where the bot is busy or not there. Raises OSError where it was not taken."""
    url = configuration["NCCL_BOT_HOOK_URL"]
    if not url.startswith(("https://", "http://")):
        raise ValueError("NCCL_BOT_HOOK_URL must be an http address")
    body = json.dumps({key: value for key, value in job.items() if value is not None}).encode()
    headers = {"Content-Type": "application/json", **prove(body, configuration)}
    request = urllib.request.Request(url, body, headers)  # noqa: S310
    for pause in PAUSES:
        try:
            urllib.request.urlopen(request, timeout=10).close()  # noqa: S310
        except OSError as error:
            # Refused, reset or timed out: it was not taken, or is known when it comes again.
            if isinstance(error, urllib.error.HTTPError) and error.code not in BUSY:
                raise
            time.sleep(pause)
        else:
            return
    urllib.request.urlopen(request, timeout=10).close()  # noqa: S310


def prove(body: bytes, configuration: dict[str, str]) -> dict[str, str]:
    """Return the headers of a signature as Standard Webhooks has it, or the bearer token."""
    secret = configuration.get("NCCL_BOT_WEBHOOK_SECRET")
    if secret is None:
        return {"Authorization": f"Bearer {configuration['NCCL_BOT_WEBHOOK_TOKEN']}"}
    number, at = hashlib.sha256(body).hexdigest()[:32], str(int(time.time()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"msg_{number}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": f"msg_{number}",
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


if __name__ == "__main__":
    sys.exit(main())
