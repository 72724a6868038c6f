import re

import pytest
from hypothesis import given, settings, strategies as st

from rules.mask import fingerprint, mask
from tests.rules.growth import QUADRATIC, growth

WATCHDOG = (
    "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2521, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600028 milliseconds"
)


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        (
            WATCHDOG,
            (
                "[Rank #] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=#, "
                "OpType=ALLREDUCE, NumelIn=#, NumelOut=#, Timeout(ms)=#) ran for <time>"
            ),
        ),
        ("NVRM: Xid (PCI:0000:06:00): 79, GPU has", "NVRM: Xid (PCI:<id>): 79, GPU has"),
        (
            "Got completion from peer 10.0.0.14<50466> with error 4, opcode 0, len 32, vendor err 129",
            "Got completion from peer <addr> with error 4, opcode 0, len #, vendor err 129",
        ),
        ("got status=12 from node-c<42830>", "got status=12 from <addr>"),
        ("closed by remote peer node-c", "closed by remote peer <host>"),
        ("connect to (node-a, 50437).", "connect to <addr>."),
        ("addr=[node-b]:39076, remote=[::ffff:10.0.0.1]:29501", "addr=<addr>, remote=<addr>"),
        ("fe80::966d:ae03:a2:8cf0%ib1<17943> failed", "<addr> failed"),
        (
            "Tried to allocate 74.00 MiB (GPU 0; 11.91 GiB",
            "Tried to allocate <size> (GPU #; <size>",
        ),
        ('File "/opt/lib/python3.9/torch/x.py", line 881, in f', 'File "x.py", line #, in f'),
        ("at ../aten/src/THC/General.cpp:50", "at General.cpp:#"),
        ("misc/socket.cc:71 NCCL WARN NET/IB", "socket.cc:# NCCL WARN NET/IB"),
        ("got torch.float32 and bfloat16 on sm_90", "got torch.float32 and bfloat16 on sm_90"),
        ("exitcode  : -9 (pid: 36071)", "exitcode  : -9 (pid: #)"),
        ("Signal 9 (SIGKILL) received by PID 36071", "Signal 9 (SIGKILL) received by PID #"),
        ("[Errno 28] No space left", "[Errno 28] No space left"),
        ("cuda runtime error (39) : x", "cuda runtime error (39) : x"),
        ("torch.Size([126464, 4096])", "torch.Size([#])"),
        (
            "STEP 34.0 ON node-a CANCELLED AT 2021-10-27T19:35:36",
            "STEP # ON <host> CANCELLED AT <time>",
        ),
        ("rank3 of mlx5_0:1 on gpu-17", "rank# of mlx5_#:# on <host>"),
        (
            "GPU-0000aaaa-00bb-00cc-00dd-0123456789ab at 0x7ff1 id deadbeef12",
            "<id> at # id #",
        ),
        ("url https://x.example/a/b?c=1 end", "url <url> end"),
        ("keys and words stay", "keys and words stay"),
    ],
)
def test_volatile_tokens_go_and_deciding_ones_stay(line, masked):
    assert mask(line) == masked


@given(
    st.lists(
        st.sampled_from(
            ["-L/usr/lib/python3.8/", "a/b.py:3", " ", "x", "1.5", "[1, 2]", "::", "-"]
        ),
        max_size=8,
    )
)
@settings(max_examples=150)
def test_masking_paths_twice_changes_nothing(parts):
    text = "".join(parts)

    assert mask(mask(text)) == mask(text)


@given(st.text(max_size=200))
@settings(max_examples=150)
def test_masking_twice_changes_nothing(text):
    assert mask(mask(text)) == mask(text)


def number(low, high):
    return st.integers(low, high).map(str)


ADDRESS = st.tuples(*[number(1, 254)] * 4).map(".".join)
HOST = st.tuples(st.sampled_from(["node", "worker", "gpu-node", "dgx"]), number(0, 9999)).map(
    "-".join
)


@st.composite
def failure(draw):
    """One failure with everything drawn that differs between ranks, hosts and runs."""
    return (
        (
            f"[Rank {draw(number(0, 4095))}] Watchdog caught: WorkNCCL(SeqNum={draw(number(0, 10**7))}, "
            f"OpType=ALLREDUCE) ran for {draw(number(1000, 10**7))} milliseconds"
        ),
        f"NCCL WARN Got completion from peer {draw(ADDRESS)}<{draw(number(1024, 65535))}> with error 12",
        f"srun: error: {draw(HOST)}: task {draw(number(0, 511))}: Killed",
        (
            f"frame at 0x{draw(st.integers(2**28, 2**44)):x} in pid {draw(number(2, 2**22))} "
            f"at 2026-0{draw(st.integers(1, 9))}-1{draw(st.integers(0, 9))} 10:{draw(st.integers(10, 59))}:00"
        ),
        f"exitcode  : -9 (pid: {draw(number(2, 2**22))}) on node {draw(HOST)}",
    )


@given(failure(), failure(), st.randoms())
@settings(max_examples=100)
def test_ranks_hosts_and_runs_share_a_fingerprint(one, other, random):
    copies = [*other, *other[:2]]
    random.shuffle(copies)

    assert fingerprint(one, "a/b") == fingerprint(copies, "a/b")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ALLREDUCE", "ALLGATHER"),
        ("error 12", "error 5"),
        ("exitcode  : -9", "exitcode  : -11"),
        ("Killed", "Segmentation fault"),
    ],
)
def test_another_operation_or_number_that_decides_is_another_failure(old, new):
    lines = (WATCHDOG, "with error 12", "exitcode  : -9", "task 1: Killed")

    changed = tuple(line.replace(old, new) for line in lines)

    assert fingerprint(lines, None) != fingerprint(changed, None)


def test_a_fingerprint_depends_on_the_entry_and_not_on_layout():
    assert fingerprint(["RuntimeError: a  b"], "a/b") == fingerprint(["runtimeerror: A b"], "a/b")
    assert fingerprint(["x"], "a/b") != fingerprint(["x"], "a/c") != fingerprint(["x"], None)
    assert re.fullmatch("[0-9a-f]{12}", fingerprint([], None))
    assert fingerprint(["Ranks 4, 5, 6 failed"], None) == fingerprint(["Ranks 7, 8 failed"], None)


HOSTILE = [
    "a-",
    "1.",
    "f",
    "1:",
    "/a",
    "a/",
    "[1,",
    "0x",
    "::",
    "a.b<",
    "1e",
    "(0000:00:",
    "on node ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_length_of_hostile_text(unit):
    small, large = unit * (4_000 // len(unit)), unit * (64_000 // len(unit))

    assert growth(mask, small, large) < QUADRATIC
