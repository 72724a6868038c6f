"""The message about a failed job: the answer hangs below it, or what is known stands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.slack.blocks.parts import (
    Json,
    Message,
    code,
    context,
    cut,
    escape,
    guard,
    header,
    line,
    rich,
    words,
)

if TYPE_CHECKING:
    from bot.webhooks.model import JobFailure

MISSING = (
    "No known failure in what was sent. What would help: the traceback of the first rank that "
    "failed, with the lines above it; or the whole log as a file in this thread."
)


def render_job(job: JobFailure, facts: tuple[str, ...], tail: str, *, known: bool) -> Message:
    """Render the failure as posted to the channel; `tail` are its last error lines, redacted."""
    title = f"Job {job.label} {job.status}"
    about = _about(job)
    blocks: list[Json] = [header(title)]
    lines = [f"*{escape(title, 200)}*"]
    if about:
        blocks.append(rich(line(words(cut(about, 800)))))
        lines.append(guard(about, 800))
    if tail and not known:
        blocks.append(rich(code(tail, 1500)))
        lines.append(f"```\n{guard(cut(tail, 1500), 2000)}\n```")
    if facts and not known:
        blocks.append(context(" · ".join(facts)))
        lines.append(guard(" · ".join(facts), 400))
    if not known:
        blocks.append(rich(line(words(MISSING))))
        lines.append(MISSING)
    return Message("\n".join(lines), tuple(blocks))


def _about(job: JobFailure) -> str:
    hosts = ", ".join(job.hosts[:6]) + (
        f" and {len(job.hosts) - 6} more" if len(job.hosts) > 6 else ""
    )
    parts = {
        "cluster": job.cluster,
        "user": job.user,
        "hosts": hosts,
        "exit code": None if job.exit_code is None else str(job.exit_code),
        "signal": job.signal,
        "finished": job.finished_at,
        "log": job.url,
    }
    return " · ".join(f"{name}: {value}" for name, value in parts.items() if value)
