"""What a reply gets in a thread, what one paste is, and where links may lead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.elsewhere import may_link
from bot.paste import PASTE_GAP, find_run, is_same_failure
from bot.posts import Post, is_an_answer, read_change
from bot.store.answers import Answer, Facts
from bot.store.life import Place
from bot.threads import Move, choose, is_nearer
from rules.diagnose import diagnose
from tests.scenarios.small_kb import FOUNDING_ENTRY, build_kb
from tests.scenarios.test_conversation import IB, OOM, WRAPPER

ALLREDUCE = "RuntimeError: [torch.distributed] AllReduce timed out in rank 0 (timeout: 600)"
KB = build_kb()
FOUND = {text: diagnose(text, KB) for text in (ALLREDUCE, OOM, IB, WRAPPER)}
POST = Post("T1", "C1", "1800000100.000000", "U1", OOM)


def make(text: str, state: str = "open") -> Answer:
    diagnosis = FOUND[text]
    assert diagnosis.entry is not None
    facts = Facts(str(diagnosis.kind), "", 1, "text", 1, 1.0)
    return Answer(
        "T1", "a", "post", "i", diagnosis.entry.id, "0", "C1", "1.0", None, "U1", state,
        facts, (), 0, 0, 0.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "text", "who", "move"),
    [
        (WRAPPER, OOM, "other", Move.REVISE),
        (WRAPPER, WRAPPER, "poster", Move.LEAVE),
        (ALLREDUCE, OOM, "poster", Move.REVISE),
        (ALLREDUCE, OOM, "other", Move.LEAVE),
        (ALLREDUCE, OOM, "asker", Move.ANSWER),
        (ALLREDUCE, ALLREDUCE, "poster", Move.LEAVE),
        (ALLREDUCE, ALLREDUCE, "asker", Move.LINK),
        (ALLREDUCE, WRAPPER, "poster", Move.LEAVE),
        (OOM, ALLREDUCE, "poster", Move.LEAVE),
    ],
)
def test_a_reply_mends_the_answer_where_it_brings_what_was_missing(
    before: str, text: str, who: str, move: Move
) -> None:
    earlier = make(before)
    entry = KB.entries[earlier.entry]
    found = choose(earlier, entry, FOUND[text], asked=who == "asker", is_poster=who == "poster")

    assert found is move


def test_a_dismissed_answer_is_mended_for_who_asks_alone() -> None:
    earlier = make(WRAPPER, "dismissed")
    entry = KB.entries[earlier.entry]

    for asked, move in ((False, Move.LEAVE), (True, Move.REVISE)):
        assert choose(earlier, entry, FOUND[OOM], asked=asked, is_poster=True) is move


def test_a_thread_without_an_answer_gets_one() -> None:
    assert choose(None, None, FOUND[OOM], asked=False, is_poster=False) is Move.ANSWER


def test_a_root_is_nearer_than_its_echo_and_an_entry_that_is_gone() -> None:
    echo, root = KB.entries[FOUNDING_ENTRY], KB.entries["cuda/out-of-memory"]

    assert is_nearer(root, echo)
    assert not is_nearer(echo, root)
    assert is_nearer(echo, None)


def say(at: float, user: str = "U1", **more: object) -> dict[str, Any]:
    return {"ts": f"{1_800_000_100 + at:.6f}", "user": user, "text": f"at {at}", **more}


@pytest.mark.parametrize(
    ("others", "run"),
    [
        ([], [0]),
        ([say(-PASTE_GAP), say(2)], [-15, 0, 2]),
        ([say(-PASTE_GAP - 1), say(2)], [0, 2]),
        ([say(-2), say(-1, "U2"), say(3)], [0, 3]),
        ([say(-2), say(-1, subtype="channel_join")], [0]),
        ([say(-30), say(-20), say(-10)], [-30, -20, -10, 0]),
    ],
)
def test_a_paste_is_an_unbroken_run_of_one_person(
    others: list[dict[str, Any]], run: list[float]
) -> None:
    found = find_run([say(0), *others][::-1], POST)

    assert [float(each["ts"]) - 1_800_000_100 for each in found] == run


def test_a_piece_belongs_to_the_whole_that_shows_its_cause() -> None:
    whole = diagnose(f"{ALLREDUCE}\n{OOM}\n{WRAPPER}", KB)

    assert all(is_same_failure(FOUND[text], whole) for text in (ALLREDUCE, OOM, WRAPPER))
    assert not is_same_failure(FOUND[IB], whole)
    assert not is_same_failure(FOUND[OOM], diagnose("lunch?", KB))


@pytest.mark.parametrize(
    ("here", "there", "may"),
    [
        (Place("channel", is_shared=False), Place("channel", is_shared=False), True),
        (Place("group", is_shared=False), Place("channel", is_shared=False), True),
        (Place("channel", is_shared=False), Place("group", is_shared=False), False),
        (Place("channel", is_shared=False), Place("channel", is_shared=True), False),
        (Place("channel", is_shared=True), Place("channel", is_shared=False), False),
        (Place("channel", is_shared=False), Place("im", is_shared=False), False),
        (None, Place("channel", is_shared=False), False),
        (Place("channel", is_shared=False), None, False),
    ],
)
def test_links_lead_to_public_channels_and_never_out_of_a_shared_one(
    here: Place | None,
    there: Place | None,
    may: bool,  # noqa: FBT001
) -> None:
    assert may_link(here, there) is may


def test_another_instance_is_known_by_its_buttons_and_its_metadata() -> None:
    buttons = [{"type": "actions", "elements": [{"action_id": "wrong_diagnosis"}]}]

    assert is_an_answer({"blocks": buttons})
    assert is_an_answer({"metadata": {"event_type": "nccl_bot_message"}})
    assert not is_an_answer({"blocks": [{"elements": [{"action_id": "ack_alert"}]}], "text": OOM})


def test_an_edit_is_read_as_the_post_that_it_leaves() -> None:
    message = {"ts": "1.0", "user": "U1", "text": "new", "edited": {"ts": "2.0"}}
    event = {
        "subtype": "message_changed", "channel": "C1", "channel_type": "im", "ts": "2.0",
        "message": message, "previous_message": {**message, "text": "old"},
    }  # fmt: skip
    change = read_change(event)

    assert change is not None
    assert change.after is not None
    assert change.after["channel_type"] == "im"
    assert (change.ts, change.stamp) == ("1.0", "2.0")
    assert read_change({**event, "previous_message": message}) is None


def test_a_post_is_a_picture_where_nothing_else_is_attached() -> None:
    post = replace(POST, files=({"mimetype": "image/png"},))

    assert post.is_picture
    assert not replace(post, files=(*post.files, {"mimetype": "text/plain"})).is_picture
    assert not POST.is_picture
