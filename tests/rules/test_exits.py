import pytest

from rules.exits import read_exit_codes, read_signals, read_timeout_ms, signal_of
from tests.rules.posts import joined


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("exitcode  : -9 (pid: 36071)", (-9,)),
        ("failed (exitcode: 1) local_rank: 0", (1,)),
        ("exits with return code = -7", (-7,)),
        ("died, exit code: -15", (-15,)),
        ("Exited with exit code 1", (1,)),
        ("returned non-zero exit status 1.", ()),
        ("exit status 3", (3,)),
        ("command terminated with exit code 137, then exit code 1, exit code 137", (137, 1)),
        ("Exit Code:    137", (137,)),
        ("exit code 1.5 of 3", ()),
        ("unicode 9, status 12", ()),
    ],
)
def test_exit_codes_are_read_in_order(text, codes):
    assert read_exit_codes(joined(text)) == codes


@pytest.mark.parametrize(
    ("text", "signals"),
    [
        ("Signal 9 (SIGKILL) received by PID 36071", ("SIGKILL",)),
        ("got signal: 15", ("SIGTERM",)),
        ("exited on signal 11 (Segmentation fault)", ("SIGSEGV",)),
        ("is killed by signal: Bus error.", ("SIGBUS",)),
        ("killed by signal: Killed", ("SIGKILL",)),
        ("process 1 terminated with signal SIGABRT", ("SIGABRT",)),
        ("srun: error: a: tasks 0-3: Segmentation fault", ("SIGSEGV",)),
        ("exitcode  : -6", ("SIGABRT",)),
        ("exit code 139", ("SIGSEGV",)),
        ("SIGNAL lost, SIGN up", ()),
        ("signal 77", ()),
    ],
)
def test_signals_are_read_by_name_number_word_and_code(text, signals):
    post = joined(text)

    assert read_signals(post, read_exit_codes(post)) == signals


@pytest.mark.parametrize(
    ("text", "timeout"),
    [
        ("WorkNCCL(OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600028 milliseconds", 600_000),
        ("collective operation timeout: WorkNCCL(SeqNum=1, Timeout(ms)=1800000)", 1_800_000),
        ("AllReduce timed out in rank 0 (timeout: 600)", 600_000),
        ("The client socket has timed out after 900s while trying", 900_000),
        ("has timed out after 600000ms", 600_000),
        ("Timed out waiting 1800000ms for recv", 1_800_000),
        ("Timed out after 901 seconds waiting for clients.", 901_000),
        ("(world_size=2, worker_count=4, timeout=0:30:00)", 1_800_000),
        ("wait timeout after 5000ms, keys: /x", 5000),
        ("failed to pass monitoredBarrier in 2000000 ms", 2_000_000),
        ("watchdog got stuck for 600 seconds", 600_000),
        ("times out on a nccl broadcast after 1800s", 1_800_000),
        ("timed out after 10 minutes", 600_000),
        ("timeout of 1.5 hours", 5_400_000),
        ("84 passed in 12.31s", None),
        ("the timeout is on Friday", None),
    ],
)
def test_timeouts_are_normalised_to_milliseconds(text, timeout):
    assert read_timeout_ms(joined(text)) == timeout


def test_a_code_below_zero_or_above_128_names_its_signal():
    assert signal_of(-9) == signal_of(137) == "SIGKILL"
    assert signal_of(1) is None
