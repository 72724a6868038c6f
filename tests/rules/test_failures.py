from rules.failures import pick_first, read_failures
from rules.model import RankFailure
from tests.rules.posts import joined

TABLE = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-30_21:24:05
  host      : node-b
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 14743)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 14743
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_21:24:04
  host      : node-a
  rank      : 9 (local_rank: 1)
  exitcode  : -9 (pid: 14744)
  traceback : Signal 9 (SIGKILL) received by PID 14744
============================================================
"""


def test_torchruns_table_is_read_with_its_root_cause():
    post = joined(*TABLE.splitlines())

    failures = read_failures(post)

    assert failures == (
        RankFailure(0, "node-b", -15, "SIGTERM", "2026-11-30_21:24:05", 9),
        RankFailure(9, "node-a", -9, "SIGKILL", "2026-11-30_21:24:04", 18),
    )
    assert pick_first(post, failures) == failures[1]


def test_the_table_is_read_with_any_prefix_and_run_together():
    prefixed = joined(*("[rank0]: " + line for line in TABLE.splitlines()))
    one_line = joined(" ".join(TABLE.split()))
    flat = joined(
        "Root Cause (first observed failure) :", "rank2 (local rank: 2)exitcode: -9 (pid: 3)"
    )

    assert [failure.rank for failure in read_failures(prefixed)] == [0, 9]
    assert [failure.host for failure in read_failures(one_line)] == ["node-b", "node-a"]
    assert pick_first(one_line, read_failures(one_line)).rank == 9
    assert pick_first(flat, read_failures(flat)) == RankFailure(2, None, -9, "SIGKILL", None, 2)


def test_watchdogs_are_put_in_order_by_their_time_stamps():
    post = joined(
        "[rank7]:[E1002 18:16:40.663099355 ProcessGroupNCCL.cpp:632] [Rank 7] Watchdog caught collective",
        "[rank1]:[E1002 18:16:40.662329700 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective",
    )

    failures = read_failures(post)

    assert [failure.rank for failure in failures] == [7, 1]
    assert pick_first(post, failures).rank == 1


def test_time_stamps_of_two_kinds_decide_nothing():
    post = joined(
        "[rank7]:[E1002 18:16:40.663099355 a.cpp:1] Watchdog caught collective",
        "2026-10-02T18:16:40Z [rank1]: ValueError: x",
    )

    assert pick_first(post, read_failures(post)) is None


def test_a_lone_failing_rank_is_the_first():
    post = joined("[rank3]: Traceback", "[rank3]: torch.OutOfMemoryError: CUDA out of memory.")

    assert read_failures(post) == (RankFailure(3, line=2),)
    assert pick_first(post, read_failures(post)) == RankFailure(3, line=2)


def test_a_frame_or_log_line_of_a_rank_is_no_failure():
    post = joined("[rank0]:   File x.py", "[rank0]: loss 3", "[rank0]: raise ValueError(x)")

    assert read_failures(post) == ()
    assert pick_first(post, ()) is None


def test_schedulers_and_launchers_name_the_ranks_they_lost():
    post = joined(
        "srun: error: node-a: task 4: Killed",
        "srun: error: node-b: tasks 8-15: Exited with exit code 1",
        "mpirun noticed that process rank 5 with PID 77 on node node-c exited on signal 11 (x)",
        "process 6 terminated with signal SIGABRT",
        "failed (exitcode: -7) local_rank: 2 (pid: 9) of binary: /x/python",
    )

    assert read_failures(post) == (
        RankFailure(4, "node-a", None, "SIGKILL", None, 1),
        RankFailure(8, "node-b", 1, None, None, 2),
        RankFailure(5, "node-c", None, "SIGSEGV", None, 3),
        RankFailure(6, None, None, "SIGABRT", None, 4),
        RankFailure(None, None, -7, "SIGBUS", None, 5),
    )


def test_mentions_of_one_rank_are_merged():
    post = joined("[rank9]: ValueError: x", *TABLE.splitlines())

    nine = next(failure for failure in read_failures(post) if failure.rank == 9)

    assert nine == RankFailure(9, "node-a", -9, "SIGKILL", "2026-11-30_21:24:04", 1)


def test_a_root_cause_without_its_row_leaves_the_failures_as_they_are():
    post = joined("[rank3]: ValueError: x", "Root Cause (first observed failure):", "cut off")

    assert pick_first(post, read_failures(post)) == RankFailure(3, line=1)
