"""What is behind a rate, shown, shared, erased and guarded, over the wire."""

from __future__ import annotations

import io
import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from bot.cli import rates, replay, votes
from bot.errors import UsageError
from bot.store.answers import find_in_thread
from bot.store.tables import events
from bot.voting import Press, record_press
from rules.load import KnowledgeBase
from rules.votes import Act, Target, Thumb
from tests.scenarios.conftest import FOUNDING
from tests.scenarios.evidence import DAY, advance, fail_anew, mean_of, run_command, set_late_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import Message, User
    from tests.scenarios.conftest import Stage

STEP = "check-connectivity-and-interface"


@pytest.fixture
async def late(tmp_path: Path, kb: KnowledgeBase) -> AsyncIterator[Stage]:
    async with set_late_stage(tmp_path, kb) as made:
        yield made


async def ask(stage: Stage, user: object, text: str) -> Message:
    before = len(stage.slack.ephemerals(user))
    await stage.slack.command(user, stage.channel, "/nccl", text)
    await stage.quiet()
    assert len(stage.slack.ephemerals(user)) == before + 1
    return stage.slack.ephemerals(user)[-1]


async def test_the_account_of_a_rate_names_voters_to_maintainers_alone(late: Stage) -> None:
    async with late.running(maintainers=(late.carol.id,)):
        for _ in range(3):
            _, step = await fail_anew(late)
            await late.slack.react(late.bob, step, "-1")
        await late.quiet()
        plain = await ask(late, late.alice, f"rates {FOUNDING_ENTRY}")
        told = await ask(late, late.carol, f"rates {FOUNDING_ENTRY}")

        assert "worked in 0 of 3 reports · est. 34 % (" in plain.text
        assert "what is stated (85 %) is worth 2.0 incidents, reports 3.0" in plain.text
        assert "moved by 1 person" in plain.text
        assert late.bob.id not in plain.text + json.dumps(plain.blocks)
        assert f"{late.bob.id} moved it by -51.0 points (3 incidents)" in told.text


async def test_a_context_s_rate_is_shown_beside_the_overall_one(late: Stage) -> None:
    there = f"{FOUNDING}\n4 nodes, torch 2.3 on H100"
    async with late.running(ask_poster=False):
        for day in range(5):
            for place, text in enumerate((there, FOUNDING, FOUNDING)[day > 2 :]):
                head, _ = await fail_anew(late, text=text)
                voter = late.slack.add_user(f"voter{day}{place}")
                await press(late, head, voter, Thumb.DOWN if text == there else Thumb.UP)
            await advance(late, DAY)
        here, _ = await fail_anew(late, text=there)
        elsewhere, _ = await fail_anew(late)
        told = await ask(late, late.alice, f"rates {FOUNDING_ENTRY}")

    assert "worked in 10 of 13 reports" in here.text
    assert "· on H100, torch 2.3: 0 of 3" in here.text
    assert "H100" not in elsewhere.text
    line = next(each for each in told.text.splitlines() if "on H100, torch 2.3: 0 of 3" in each)
    assert re.search(r"· est\. \d+ % \(\d+–\d+ %\) · last \d days? ago$", line)
    # The order where it fails is another one than where it works.
    first = {head.text.partition("\n1. ")[2][:20] for head in (here, elsewhere)}
    assert len(first) == 2


async def press(stage: Stage, head: Message, user: User, value: Thumb) -> None:
    """Vote on the founding entry's first step, wherever it stands by now."""
    assert stage.bot is not None
    core, team = stage.bot.core, stage.slack.team.id
    async with core.database.read() as connection:
        answer = await find_in_thread(connection, team, head.channel, str(head.thread_ts))
    assert answer
    await record_press(
        core, Press(team, user.id, answer.id, Target.STEP, STEP, value, Act.CAST, core.now())
    )


async def test_an_admin_is_a_maintainer(late: Stage) -> None:
    async with late.running():
        admin = late.slack.add_user("root", admin=True)
        _, step = await fail_anew(late)
        await late.slack.react(late.bob, step, "+1")
        await late.quiet()

        assert late.bob.id in (await ask(late, admin, f"rates {FOUNDING_ENTRY}")).text


async def test_rates_of_no_entry_suggest_those_called_nearly_so(late: Stage) -> None:
    async with late.running():
        near = await ask(late, late.alice, "rates pytorch/nccl-timeout-in-allreduce")
        bare = await ask(late, late.alice, "rates")

        assert f"Did you mean `{FOUNDING_ENTRY}`" in near.text
        assert "Nobody voted yet." in bare.text


async def test_a_text_that_begins_with_rates_is_an_error_like_any_other(late: Stage) -> None:
    async with late.running():
        answer = await ask(late, late.alice, f"rates dropped, then: {FOUNDING}")

        assert "Say which entry" not in answer.text
        assert "AllReduce" in answer.text


async def test_the_terminal_shows_the_same_as_a_running_bot(
    late: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with late.running():
        for _ in range(3):
            head, step = await fail_anew(late)
            await late.slack.react(late.bob, step, "+1")
        await late.quiet()
        capsys.readouterr()
        assert await run_command(late, monkeypatch, rates, FOUNDING_ENTRY) == 0
        text = capsys.readouterr().out
        assert "worked in 3 of 3 reports · est. 94 %" in text
        assert "worked in 3 of 3 reports · est. 94 %" in head.text
        assert f"{late.bob.id} moved it by" in text
        await run_command(late, monkeypatch, rates, FOUNDING_ENTRY, "--json")
        [first, *_] = json.loads(capsys.readouterr().out)["rates"]

        assert (first["id"], first["reports"], first["successes"]) == (STEP, 3, 3)
        assert len(first["evidence"]) == 3


async def test_an_erased_person_s_votes_are_gone_from_rates_and_rows(
    late: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with late.running() as bot:
        before = await mean_of(late, FOUNDING_ENTRY, STEP)
        for _ in range(2):
            _, step = await fail_anew(late, late.bob)
            await late.slack.react(late.bob, step, "-1")
            await late.quiet()
            await advance(late, 2 * DAY)
        assert await mean_of(late, FOUNDING_ENTRY, STEP) < before
        assert await run_command(late, monkeypatch, votes, "erase", late.bob.id) == 0
        assert await mean_of(late, FOUNDING_ENTRY, STEP) == pytest.approx(before)
        async with bot.core.database.read() as connection:
            for table in ("events", "posts", "incidents", "answers", "outbox", "questions"):
                rows = await connection.execute(sa.text(f"SELECT * FROM {table}"))

                assert not [row for row in rows if late.bob.id in map(str, row)], table


async def test_two_installations_pool_evidence_once_however_often_they_exchange_it(
    late: Stage, tmp_path: Path, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "votes.jsonl")
    async with set_late_stage(tmp_path / "other", kb) as other:
        async with other.running():
            for _ in range(3):
                _, step = await fail_anew(other)
                await other.slack.react(other.bob, step, "-1")
            await other.quiet()
            pooled = await mean_of(other, FOUNDING_ENTRY, STEP)
        await run_command(other, monkeypatch, votes, "export", file)
        text = (tmp_path / "votes.jsonl").read_text()
        assert other.bob.id not in text
        assert other.slack.team.id not in text
        async with late.running():
            # The same team id elsewhere must not pass for ours, nor ours for theirs.
            team = ("--team", late.slack.team.id)
            for _ in range(2):
                assert await run_command(late, monkeypatch, votes, "import", file, *team) == 0

            assert await mean_of(late, FOUNDING_ENTRY, STEP) == pytest.approx(pooled, abs=1e-3)
        again = str(tmp_path / "again.jsonl")
        await run_command(late, monkeypatch, votes, "export", again)
        await run_command(other, monkeypatch, votes, "import", again)
        async with other.running():
            assert await mean_of(other, FOUNDING_ENTRY, STEP) == pytest.approx(pooled, abs=1e-3)


async def test_a_hostile_import_is_refused_whole_with_every_bad_line_named(
    late: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = {"event": "vote", "team": "~t", "incident": "~i", "entry": FOUNDING_ENTRY, "kind": "step",
            "target": STEP, "voter": "~v", "value": "down", "act": "cast", "source": "+1",
            "at": "2026-01-01T00:00:00+00:00"}  # fmt: skip
    bad = [good | {"voter": late.bob.id}, good | {"team": late.slack.team.id}, good | {"at": 9e15},
           good | {"target": "x" * 300}, good | {"source": "a\x00b"}, [good]]  # fmt: skip
    lines = [json.dumps(line).encode() for line in (good, *bad)] + [b"\xff\xfe", b"[" * 9000]
    file = tmp_path / "hostile.jsonl"
    file.write_bytes(b"\n".join(lines))
    async with late.running() as bot:
        before = await mean_of(late, FOUNDING_ENTRY, STEP)
        team = ("--team", late.slack.team.id)
        with pytest.raises(UsageError, match="nothing was imported") as caught:
            await run_command(late, monkeypatch, votes, "import", str(file), *team)
        named = [line.split(":")[0] for line in str(caught.value).splitlines()[1:]]
        assert named == [f"line {number}" for number in range(2, 10)]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(lines[-2:-1]))))
        with pytest.raises(UsageError, match="line 1: line: Invalid JSON"):
            await run_command(late, monkeypatch, votes, "import", *team)
        assert await mean_of(late, FOUNDING_ENTRY, STEP) == pytest.approx(before)
        file.write_bytes(lines[0] + b"\n")
        await run_command(late, monkeypatch, votes, "import", str(file), *team)
        assert await mean_of(late, FOUNDING_ENTRY, STEP) < before
        async with bot.core.database.read() as connection:
            assert (await connection.execute(sa.select(sa.func.count(events.c.id)))).scalar() == 1


async def test_wrong_diagnoses_are_told_as_the_precision_of_the_entry(
    late: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with late.running(maintainers=(late.carol.id,)):
        for person in (late.alice, late.bob, late.alice):
            head, _ = await fail_anew(late)
            await late.slack.click(person, head, "wrong_diagnosis")
        await late.quiet()
        steps = await mean_of(late, FOUNDING_ENTRY, STEP)
        plain = await ask(late, late.alice, f"rates {FOUNDING_ENTRY}")
        told = await ask(late, late.carol, f"rates {FOUNDING_ENTRY}")
        capsys.readouterr()
        await run_command(late, monkeypatch, rates, FOUNDING_ENTRY, "--json")
        match = json.loads(capsys.readouterr().out)["match"]

    assert steps == pytest.approx(0.85, abs=0.001)
    assert "right in 0 of 3 reports · est. 36 % (" in plain.text
    assert "what is taken for granted (90 %) is worth 2.0 incidents, reports 3.0" in plain.text
    assert "moved by 2 people" in plain.text
    assert f"{late.alice.id} moved it by -" in told.text
    assert (match["reports"], match["successes"], match["mean"]) == (3, 0, pytest.approx(0.36))


async def test_ids_become_pseudonyms_in_time_and_the_rates_stay(late: Stage) -> None:
    async with late.running(pseudonym_days=30) as bot:
        _, step = await fail_anew(late, late.alice)
        await late.slack.react(late.bob, step, "+1")
        await late.quiet()
        await advance(late, 31 * DAY)
        async with bot.core.database.read() as connection:
            voters = list((await connection.execute(sa.select(events.c.voter))).scalars())
            assert late.bob.id not in voters
            for table in ("posts", "incidents", "answers"):
                rows = await connection.execute(sa.text(f"SELECT poster FROM {table}"))
                assert late.alice.id not in list(rows.scalars())
        held = await mean_of(late, FOUNDING_ENTRY, STEP)
        await late.slack.unreact(late.bob, step, "+1")
        await late.quiet()

        assert await mean_of(late, FOUNDING_ENTRY, STEP) < held


async def test_authors_and_barred_accounts_do_not_move_a_rate(late: Stage) -> None:
    settings = {"authors": {"pytorch/*": (late.bob.id,)}, "barred": (late.carol.id,)}
    async with late.running(**settings):
        before = await mean_of(late, FOUNDING_ENTRY, STEP)
        _, step = await fail_anew(late)
        for voter in (late.bob, late.carol):
            await late.slack.react(voter, step, "-1")
        await late.quiet()
        assert await mean_of(late, FOUNDING_ENTRY, STEP) == before
    async with late.running():
        assert await mean_of(late, FOUNDING_ENTRY, STEP) < before


async def test_votes_of_somebody_who_turns_out_a_guest_count_no_more(late: Stage) -> None:
    async with late.running():
        before = await mean_of(late, FOUNDING_ENTRY, STEP)
        _, step = await fail_anew(late)
        await late.slack.react(late.bob, step, "-1")
        await late.quiet()
        assert await mean_of(late, FOUNDING_ENTRY, STEP) < before
        late.bob.is_guest = True
        await advance(late, 3700)
        await late.slack.react(late.bob, step, "+1")
        await late.quiet()

        assert await mean_of(late, FOUNDING_ENTRY, STEP) == pytest.approx(before)


async def test_a_replay_under_other_strengths_shows_what_would_change(
    late: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with late.running():
        for _ in range(3):
            _, step = await fail_anew(late)
            await late.slack.react(late.bob, step, "-1")
        await late.quiet()
        capsys.readouterr()
        await run_command(late, monkeypatch, replay)
        assert "0 entries would change" in capsys.readouterr().out
        await run_command(late, monkeypatch, replay, "--base", "ai_generated=16", "--json")
        [change] = json.loads(capsys.readouterr().out)["changes"]

        assert change["entry"] == FOUNDING_ENTRY
        [moved] = change["rates"]
        assert moved["id"] == STEP
        assert moved["before"] == pytest.approx(0.34, abs=0.005)
        assert moved["after"] == pytest.approx(16 * 0.85 / 19, abs=0.005)
        await run_command(late, monkeypatch, replay, "--base", "ai_generated=16")
        assert 'NCCL_BOT_STRENGTHS=\'{"ai_generated": 16.0' in capsys.readouterr().out
    async with late.running(strengths={"ai_generated": 16}):
        kept = await mean_of(late, FOUNDING_ENTRY, STEP)
        assert kept == pytest.approx(moved["after"], abs=0.001)
    monkeypatch.setenv("NCCL_BOT_STRENGTHS", '{"ai_generated": 16}')
    await run_command(late, monkeypatch, replay)
    assert "0 entries would change" in capsys.readouterr().out


async def test_a_text_changed_under_votes_asks_its_editor_until_it_is_answered(
    late: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with late.running():
        _, step = await fail_anew(late)
        await late.slack.react(late.bob, step, "+1")
        await late.quiet()
        await advance(late, 700)
    entry = late.kb.entries[FOUNDING_ENTRY]
    first, *rest = entry.workarounds
    edited = entry.model_copy(
        update={"workarounds": (first.model_copy(update={"do": "Do something else."}), *rest)}
    )
    late.kb = KnowledgeBase({**late.kb.entries, FOUNDING_ENTRY: edited}, "1")
    capsys.readouterr()
    assert await run_command(late, monkeypatch, votes, "edits") == 1
    assert f"{FOUNDING_ENTRY} {STEP}: other words than its 1 vote" in capsys.readouterr().out
    same = ("edits", "--same", FOUNDING_ENTRY, STEP)
    assert await run_command(late, monkeypatch, votes, *same) == 0
    assert await run_command(late, monkeypatch, votes, "edits") == 0
