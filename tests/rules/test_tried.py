import datetime as dt

import pytest

from rules.entry import DeadEnd, Entry, Signature, Workaround
from rules.tried import tried
from tests.rules.posts import cleaned

ENTRY = Entry(
    id="pytorch/some-timeout",
    title="A collective timed out",
    category="network_error",
    verification="cited",
    verified_on=dt.date(2026, 11, 30),
    fix_rate=0.8,
    root_cause="x",
    signatures=(Signature(text="timed out"),),
    workarounds=(
        Workaround(
            id="disable-p2p",
            do="Turn peer-to-peer off",
            run="export NCCL_P2P_DISABLE=1",
            success_rate=0.5,
        ),
        Workaround(
            id="smaller-batch",
            do="Lower the batch size",
            success_rate=0.5,
            tried=("lower batch size", "smaller batch"),
        ),
        Workaround(
            id="set-interface",
            do="Set NCCL_SOCKET_IFNAME",
            success_rate=0.5,
            tried=("NCCL_SOCKET_IFNAME",),
        ),
    ),
    dead_ends=(
        DeadEnd(
            id="raise-the-timeout",
            do="Raise it",
            why="x",
            fail_rate=0.7,
            tried=("increased the timeout", "timeout=timedelta", "raise the timeout"),
        ),
        DeadEnd(
            id="restart-the-job",
            do="Restart",
            why="x",
            fail_rate=0.9,
            tried=("restarted", "rebooted"),
        ),
    ),
)


@pytest.mark.parametrize(
    ("post", "ids"),
    [
        ("tried NCCL_P2P_DISABLE=1, no luck", ("disable-p2p",)),
        ("NCCL_P2P_DISABLE=1 did nothing", ("disable-p2p",)),
        (
            "setting NCCL_P2P_DISABLE=1 and rebooted twice, same error",
            ("disable-p2p", "restart-the-job"),
        ),
        ("I already set NCCL_SOCKET_IFNAME to eth0", ("set-interface",)),
        ("I increased the timeout but it still hangs", ("raise-the-timeout",)),
        ("We increased the NCCL timeout to 3600. Still the same.", ("raise-the-timeout",)),
        ("lower batch size made no difference", ("smaller-batch",)),
        ("a smaller batch doesn't help either", ("smaller-batch",)),
        ("nothing helps: smaller batch, NCCL_P2P_DISABLE=1", ("disable-p2p", "smaller-batch")),
        ("also tried timeout=timedelta(hours=2)", ("raise-the-timeout",)),
        ("restarted the job, keeps failing", ("restart-the-job",)),
        ("should I raise the timeout?", ()),
        ("is it ok to set NCCL_P2P_DISABLE=1, or does it still hide problems", ()),
        ("haven't tried NCCL_P2P_DISABLE=1 yet", ()),
        ("I will try NCCL_P2P_DISABLE=1 and report", ()),
        ("tried NCCL_P2P_DISABLE=1 and it works", ()),
        ("only NCCL_P2P_DISABLE=1 helps, still slow", ()),
        ("for the record: setting NCCL_P2P_DISABLE=1 fixed it", ()),
        ("did NCCL_P2P_DISABLE=1 not help anybody?", ()),
        ("the docs name NCCL_P2P_DISABLE=1", ()),
        ("> tried NCCL_P2P_DISABLE=1, no luck", ()),
        ("[rank0]: tried NCCL_P2P_DISABLE=1, no luck", ()),
        ("I increased my patience but it still hangs", ()),
        ("OutOfMemoryError: Tried to allocate with a smaller batch", ()),
        ("", ()),
        ("it hangs, no luck with anything", ()),
    ],
)
def test_steps_tried_in_vain_are_heard(post, ids):
    assert tried(cleaned(post), ENTRY) == ids


def test_wrapped_sentences_are_heard_line_by_line():
    post = cleaned(
        "ranks hang after 10 steps.", "tried smaller batch,", "no change. restarted too, no luck"
    )

    assert tried(post, ENTRY) == ("smaller-batch", "restart-the-job")
