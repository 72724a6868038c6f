from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

from bot.reload import LiveKnowledge, Reloaded
from rules.load import KnowledgeBaseError
from tests.rules.kb_files import fields, write


@asynccontextmanager
async def watching(*directories, interval=0.01):
    """A watched knowledge base, and a queue of what it reports."""
    reports: asyncio.Queue[Reloaded] = asyncio.Queue()
    live = LiveKnowledge(directories, reports.put_nowait, interval)
    task = asyncio.create_task(live.watch())
    try:
        yield live, lambda: asyncio.wait_for(reports.get(), 30)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_changed_file_is_taken_up(tmp_path):
    write(tmp_path, fields())
    async with watching(tmp_path) as (live, report):
        before = live.current
        write(tmp_path, fields(title="Another title, which is longer"))

        said = await report()

        assert said == Reloaded(live.current.version)
        assert live.current is not before
        assert live.current.entries["nccl/widget-lost"].title == "Another title, which is longer"


async def test_added_and_removed_files_are_taken_up(tmp_path):
    write(tmp_path, fields("nccl/a"), fields("nccl/b"))
    async with watching(tmp_path) as (live, report):
        write(tmp_path, fields("nccl/c"))
        await report()
        assert sorted(live.current.entries) == ["nccl/a", "nccl/b", "nccl/c"]

        (tmp_path / "nccl/a.yaml").unlink()
        await report()
        assert sorted(live.current.entries) == ["nccl/b", "nccl/c"]


async def test_a_bad_set_leaves_the_running_one_whole_and_says_why(tmp_path):
    write(tmp_path, fields("nccl/a"))
    async with watching(tmp_path) as (live, report):
        before = live.current
        # One good and one bad file: neither is taken.
        (tmp_path / "own").mkdir()
        write(tmp_path, fields("nccl/b"), fields("nccl/c", fix_rate=9))

        said = await report()
        while not said.errors:
            said = await report()

        assert live.current.version == said.version
        assert "nccl/c" not in live.current.entries
        assert any("c.yaml" in error and "fix_rate" in error for error in said.errors)
        assert "nccl/a" in before.entries


async def test_a_set_that_is_mended_is_taken_up(tmp_path):
    write(tmp_path, fields("nccl/a"))
    async with watching(tmp_path) as (live, report):
        write(tmp_path, fields("nccl/a", signatures=[{"regex": "lost.*found"}]))
        assert (await report()).errors

        write(tmp_path, fields("nccl/a", title="Mended"))
        while (await report()).errors:
            pass
        assert live.current.entries["nccl/a"].title == "Mended"


async def test_a_file_that_could_not_be_read_and_goes_away_is_a_change(tmp_path):
    write(tmp_path, fields("nccl/a"))
    async with watching(tmp_path) as (_, report):
        (tmp_path / "nccl/b.yaml").symlink_to("nowhere")
        assert "b.yaml" in (await report()).errors[0]

        (tmp_path / "nccl/b.yaml").unlink()
        assert not (await report()).errors


async def test_a_change_of_a_files_mode_is_a_change(tmp_path):
    path = write(tmp_path, fields("nccl/a")) / "nccl/a.yaml"
    async with watching(tmp_path) as (live, report):
        path.chmod(0o400)

        assert await report() == Reloaded(live.current.version)


async def test_another_text_of_the_same_size_and_time_is_taken_up(tmp_path):
    import os

    path = write(tmp_path, fields("nccl/a", title="One title")) / "nccl/a.yaml"
    before = path.stat()
    async with watching(tmp_path) as (live, report):
        other = tmp_path / "new"
        other.write_text(path.read_text().replace("One title", "Two title"), encoding="utf-8")
        os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
        other.replace(path)

        await report()
        assert live.current.entries["nccl/a"].title == "Two title"


async def test_a_config_map_that_is_exchanged_is_taken_up(tmp_path):
    for version, title in (("..1", "First"), ("..2", "Second")):
        write(tmp_path / "made", fields("ours/a", title=title))
        (tmp_path / "kb/ours" / version).mkdir(parents=True)
        (tmp_path / "made/ours/a.yaml").rename(tmp_path / "kb/ours" / version / "a.yaml")
    (tmp_path / "kb/ours/..data").symlink_to("..1")
    (tmp_path / "kb/ours/a.yaml").symlink_to("..data/a.yaml")
    async with watching(tmp_path / "kb") as (live, report):
        assert live.current.entries["ours/a"].title == "First"
        (tmp_path / "kb/ours/..tmp").symlink_to("..2")
        (tmp_path / "kb/ours/..tmp").replace(tmp_path / "kb/ours/..data")

        await report()
        assert live.current.entries["ours/a"].title == "Second"


async def test_an_error_that_nobody_foresaw_is_a_refusal_and_the_watch_goes_on(
    tmp_path, monkeypatch
):
    from bot import reload

    def fail(_):
        raise ZeroDivisionError("unforeseen")

    write(tmp_path, fields("nccl/a"))
    async with watching(tmp_path) as (live, report):
        before = live.current
        with monkeypatch.context() as patch:
            patch.setattr(reload, "prepare", fail)
            live.ask()
            said = await report()
        assert said.version == before.version
        assert "ZeroDivisionError: unforeseen" in said.errors[0]
        assert live.current is before

        write(tmp_path, fields("nccl/a", title="Mended"))
        while (await report()).errors:
            pass
        assert live.current.entries["nccl/a"].title == "Mended"


async def test_a_report_that_fails_does_not_end_the_watch(tmp_path):
    write(tmp_path, fields("nccl/a"))
    reports: asyncio.Queue[Reloaded] = asyncio.Queue()

    def report(said):
        reports.put_nowait(said)
        raise OSError("no room for the report")

    live = LiveKnowledge([tmp_path], report, 0.01)
    task = asyncio.create_task(live.watch())
    try:
        for _ in range(2):
            live.ask()
            await asyncio.wait_for(reports.get(), 30)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_reload_that_is_asked_for_happens_without_a_change(tmp_path):
    write(tmp_path, fields())
    async with watching(tmp_path, interval=3600) as (live, report):
        before = live.current
        live.ask()

        assert await report() == Reloaded(before.version)
        assert live.current is before


async def test_a_signal_asks_for_a_reload(tmp_path):
    import os
    import signal

    write(tmp_path, fields())
    async with watching(tmp_path, interval=3600) as (live, report):
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGHUP, live.ask)
        try:
            write(tmp_path, fields(title="After the signal"))
            os.kill(os.getpid(), signal.SIGHUP)
            await report()
        finally:
            loop.remove_signal_handler(signal.SIGHUP)
        assert live.current.entries["nccl/widget-lost"].title == "After the signal"


async def test_private_entries_lie_over_the_shipped_ones(tmp_path):
    write(tmp_path / "first", fields("nccl/a"), fields("nccl/b"))
    write(tmp_path / "own", {"id": "nccl/a", "retired": True}, fields("team/ours"))
    live = LiveKnowledge([tmp_path / "first", tmp_path / "own"], lambda _: None)

    assert sorted(live.current.entries) == ["nccl/b", "team/ours"]


def test_a_first_set_that_cannot_be_used_is_refused(tmp_path):
    with pytest.raises(KnowledgeBaseError):
        LiveKnowledge([tmp_path], lambda _: None)
