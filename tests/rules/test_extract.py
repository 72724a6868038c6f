import pytest
from hypothesis import given, settings, strategies as st

from rules.clean import clean
from rules.extract import extract
from rules.model import CleanText, Evidence
from tests.rules.growth import QUADRATIC, growth
from tests.rules.posts import cleaned


def test_a_watchdog_post_states_its_facts():
    evidence = extract(
        cleaned(
            "4 nodes of 8x H100, torch 2.4.0+cu124, NCCL_IB_TIMEOUT=23",
            "[rank3]:[E1002 18:16:40.662329700 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught "
            "collective operation timeout: WorkNCCL(SeqNum=2521, OpType=ALLREDUCE, NumelIn=1, "
            "NumelOut=1, Timeout(ms)=600000) ran for 600028 milliseconds before timing out.",
            "node-a:1:2 [0] NCCL INFO comm 0x55 rank 3 nranks 32",
        )
    )

    assert evidence.ranks == (3,)
    assert evidence.hosts == ("node-a",)
    assert evidence.world_size == 32
    assert dict(evidence.versions) == {"pytorch": "2.4.0", "cuda": "12.4"}
    assert evidence.gpu == "H100"
    assert (evidence.operation, evidence.sequence) == ("ALLREDUCE", 2521)
    assert evidence.timeout_ms == 600_000
    assert evidence.first_failure.rank == 3
    assert dict(evidence.environment) == {"NCCL_IB_TIMEOUT": "23"}


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("WorkNCCL(SeqNum=7, OpType=_ALLGATHER_BASE, x", "_ALLGATHER_BASE"),
        ("CollectiveFingerPrint(SequenceNumber=0, OpType=ALLREDUCE, T", "ALLREDUCE"),
        ("AllReduce timed out in rank 0", "ALLREDUCE"),
        ("the all_gather hangs on 4 gpus", "ALLGATHER"),
        ("a barrier in the road", None),
        ("allreduce is fast", None),
    ],
)
def test_the_operation_is_printed_or_said_to_fail(text, operation):
    assert extract(cleaned(text)).operation == operation


def test_ranks_come_from_prefixes_tables_and_words():
    evidence = extract(
        cleaned("[rank2]: x", "AssertionError: Rank 11: found NaN", "local_rank: 7 rank: 5")
    )

    assert evidence.ranks == (2, 5, 11)


def test_a_job_killed_by_the_kernel_states_code_signal_and_job():
    evidence = extract(
        cleaned(
            "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=42.0.",
            "srun: error: node-a: task 0: Out Of Memory",
            "exits with return code = -9",
        )
    )

    assert evidence.exit_codes == (-9,)
    assert evidence.signals == ("SIGKILL",)
    assert evidence.job_id == "42"
    assert evidence.hosts == ("node-a",)


def test_nothing_stated_is_nothing_read():
    assert extract(CleanText(())) == extract(cleaned("hello there")) == Evidence()


FACTS = [
    "torch 2.1",
    "rank 3",
    "Xid 79",
    "exit code 1",
    "NCCL_DEBUG=INFO",
    "timed out after 5s",
    "srun: error: a: task 1: Killed",
    "H100",
    "SIGKILL",
    "OpType=X",
    "host : a",
    "JobId=3",
]


@given(st.lists(st.one_of(st.sampled_from(FACTS), st.text(max_size=30)), max_size=12))
@settings(max_examples=100)
def test_any_mixture_is_read_the_same_way_twice(parts):
    post = clean(" ".join(parts))

    assert extract(post) == extract(post)


HOSTILE = [
    "torch ",
    "torch 2.",
    "rank 1 ",
    "Xid 7, 8 ",
    "XID_ERRORS{",
    "timed out after ",
    "time : x host : y ",
    "rank : 1 (local_rank: ",
    "srun: error: a: task 1: ",
    "NCCL_A=",
    "exit code ",
    "1080 x ",
    "job/a",
    "SIG",
    "signal: ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_length_of_hostile_text(unit):
    small, large = (clean(unit * (size // len(unit))) for size in (4_000, 64_000))

    assert growth(extract, small, large) < QUADRATIC
