from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from rules.prefix import strip_prefix

BOOM = "RuntimeError: boom at step 3"


class Facts(NamedTuple):
    rank: int | None = None
    host: str | None = None
    time: str | None = None
    gpu: int | None = None


# Prefix as printed -> what it says of the writer.
PREFIXES = {
    "[rank3]: ": Facts(rank=3),
    "[rank3]:[rank3]: ": Facts(rank=3),
    "[Rank 12] ": Facts(rank=12),
    "[RANK 0] ": Facts(rank=0),
    "[default0]:": Facts(),
    "[trainer7]:": Facts(),
    "[1,3]<stdout>:": Facts(rank=3),
    "[1,12]<stderr>:": Facts(rank=12),
    "[1,mpirank:5,algo-1]<stderr>:": Facts(rank=5, host="algo-1"),
    "[2]: ": Facts(rank=2),
    "3: ": Facts(rank=3),
    " 3:   ": Facts(rank=3),
    "12: ": Facts(rank=12),
    "2026-03-01T10:00:00Z ": Facts(time="2026-03-01T10:00:00Z"),
    "2026-03-01T10:00:00.123456789Z stderr F ": Facts(time="2026-03-01T10:00:00.123456789Z"),
    "2026-03-01 10:00:00,123 - trainer - ERROR - ": Facts(time="2026-03-01 10:00:00,123"),
    "2026-03-01 10:00:00,123 - ERROR - trainer.loop - ": Facts(time="2026-03-01 10:00:00,123"),
    "2026-03-01 10:00:00 | ERROR    | app.train:run:45 - ": Facts(time="2026-03-01 10:00:00"),
    "2026-03-01 10:00:00 | INFO | fairseq.trainer | ": Facts(time="2026-03-01 10:00:00"),
    "2026-03-01 10:00:00,060\tWARNING worker.py:85 -- ": Facts(time="2026-03-01 10:00:00,060"),
    "2026-03-01 10:00:00.568412: E external/xla/xla/service.cc:1170] ": Facts(
        time="2026-03-01 10:00:00.568412"
    ),
    "03/01/2026 10:00:00 - ERROR - __main__ - ": Facts(time="03/01/2026 10:00:00"),
    "10:00:00.123 ": Facts(time="10:00:00.123"),
    "1772359200123 ": Facts(time="1772359200123"),
    "[2026-03-01 10:00:00,468] [ERROR] [launch.py:325:sigkill_handler] ": Facts(
        time="2026-03-01 10:00:00,468"
    ),
    "[2026-03-01 10:00:00,163][torch.nn.parallel.distributed][INFO] - ": Facts(
        time="2026-03-01 10:00:00,163"
    ),
    "[2026-03-01 10:00:00.412][ERROR](ignite.engine.engine.Trainer) - ": Facts(
        time="2026-03-01 10:00:00.412"
    ),
    "[2026-03-01 10:00:00,275] torch.distributed.elastic.api: [ERROR] ": Facts(
        time="2026-03-01 10:00:00,275"
    ),
    "[2026-03-01 10:00:00,206 E 393463 393463] (raylet) ": Facts(time="2026-03-01 10:00:00,206"),
    "[2026-03-01T10:00:00.106313Z] fa88a9df || ": Facts(time="2026-03-01T10:00:00.106313Z"),
    "[11-30 13:18:49|INFO|app/tokenizer.py:602:_load] ": Facts(time="11-30 13:18:49"),
    "[NeMo E 2026-03-01 10:00:00 exp_manager:123] ": Facts(),
    "[INFO] ": Facts(),
    "[multiproc_executor.py:492] ": Facts(),
    "[    12.345678] ": Facts(time="12.345678"),
    "[1843.308145][  T123] ": Facts(time="1843.308145"),
    "[Tue Oct  6 17:59:27 2026] ": Facts(time="Tue Oct  6 17:59:27 2026"),
    "[E923 11:14:11.615370309 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 3] ": (
        Facts(rank=3, time="11:14:11.615370309")
    ),
    "[E ProcessGroupNCCL.cpp:915] [Rank 1] ": Facts(rank=1),
    "[PG 0 (default_pg) Rank 8] ": Facts(rank=8),
    "[rank8]:[E ProcessGroupNCCL.cpp:1414] [PG 0 Rank 2] ": Facts(rank=8),
    "[W ..\\torch\\csrc\\distributed\\c10d\\socket.cpp:601] ": Facts(),
    "E0213 12:07:20.086000 870572 torch/distributed/elastic/multiprocessing/api.py:869] ": Facts(
        time="12:07:20.086000"
    ),
    "E0420 00:21:27.286276   20351 kubelet.go:1761] ": Facts(time="00:21:27.286276"),
    "Nov 05 13:55:26 node-a kernel: ": Facts(host="node-a", time="Nov 05 13:55:26"),
    "Okt 06 17:59:27 node-c kernel: ": Facts(host="node-c", time="Okt 06 17:59:27"),
    "Sep 19 16:18:04 node-a kernel: [68185.875052] ": Facts(host="node-a", time="Sep 19 16:18:04"),
    "kernel: ": Facts(),
    "Mar 01 12:00:07 node-a python[1234]: ": Facts(host="node-a", time="Mar 01 12:00:07"),
    "trainer-worker-3 pytorch ": Facts(host="trainer-worker-3"),
    "2026-03-01T12:00:07.000Z algo-2 ": Facts(host="algo-2", time="2026-03-01T12:00:07.000Z"),
    "ERROR:torch.distributed.elastic.multiprocessing.api:": Facts(),
    "WARNING: torch.distributed.elastic.agent.server.api:": Facts(),
    "INFO 01-11 15:51:02 llm_engine.py:70] ": Facts(time="01-11 15:51:02"),
    "ERROR 08-01 10:00:00 [core.py:123] ": Facts(time="08-01 10:00:00"),
    "(EngineCore_DP0 pid=17374) ERROR 09-28 15:47:24 [core.py:718] ": Facts(time="09-28 15:47:24"),
    "(VllmWorker rank=7 pid=10948) ": Facts(rank=7),
    "(WorkerDict pid=2862157) ": Facts(),
    "(RayTrainWorker pid=7, ip=10.0.0.8) ": Facts(host="10.0.0.8"),
    "(pid=909597) ": Facts(),
    "(raylet) ": Facts(),
    "(raylet, ip=10.0.0.9) ": Facts(host="10.0.0.9"),
    "(autoscaler +1m2s) ": Facts(),
    "node-a:47021:47095 [5] ": Facts(host="node-a", gpu=5),
    "[2026-03-13 22:26:02] node-a:4411:4602 [5] ": Facts(
        host="node-a", time="2026-03-13 22:26:02", gpu=5
    ),
    "2019-06-02T16:13:44.884Z: [1,12]<stdout>:worker-0:815:864 [0] ": Facts(
        rank=12, host="worker-0", time="2019-06-02T16:13:44.884Z", gpu=0
    ),
    "10.0.23.10: node-a:1307367:1307586 [0] ": Facts(host="10.0.23.10", gpu=0),
    "worker-1: ": Facts(host="worker-1"),
    "node0.out:": Facts(),
    "logs/rank_3.log:120:": Facts(),
    "trainer-0  | ": Facts(host="trainer-0"),
    "trainer_12 | ": Facts(host="trainer_12"),
    "[pod/trainer-0/main] ": Facts(host="trainer-0"),
    "rank0[2001][MainThread]: ": Facts(rank=0),
    "12.3s 45 ": Facts(),
    "E       ": Facts(),
    "│ ": Facts(),
    "> ": Facts(),
    "• ": Facts(),
    "`[rank0]: ": Facts(rank=0),
    "> [rank0]: ": Facts(rank=0),
    "E   [rank0]: ": Facts(rank=0),
}


@pytest.mark.parametrize(("prefix", "facts"), PREFIXES.items())
def test_a_prefix_goes_and_leaves_its_facts(prefix, facts):
    line = prefix + BOOM

    found = strip_prefix(line)

    assert line[found.start :] == BOOM
    assert facts == Facts(found.rank, found.host, found.time, found.gpu)


# What identifies an error stays although it looks like a prefix.
@pytest.mark.parametrize(
    "line",
    [
        "NCCL WARN NET/IB : Got completion from peer 10.0.0.1<50466> with error 12",
        "transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion",
        "slurmstepd: error: *** JOB 6 ON node-a CANCELLED AT 2026-11-30T22:03:19 ***",
        "srun: error: node-a: task 0: Out Of Memory",
        "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",
        "ERROR: Unexpected bus error encountered in worker.",
        "WARNING: CUDA initialization failed",
        "RuntimeError: [3]: params[0] in this process",
        "[../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error",
        "[enforce fail at inline_container.cc:672] . unexpected pos 704 vs 598",
        "[Errno 28] No space left on device",
        "[c10d] The server socket has failed to bind to [::]:25641",
        "[deepspeed] OVERFLOW! Rank 0 Skipping step.",
        "[3] is setting up NCCL communicator",
        "[torch.FloatTensor [2, 4]], which is output 0",
        "(container) $ nvidia-smi -L",
        "libcudart.so.11.0: cannot open shared object file",
        "nvidia-container-cli: initialization error: nvml error: driver not loaded",
        "torch.distributed.DistBackendError: NCCL error in: x.cpp:1",
        "4x A30 (driver 560). killed the run",
        "46, internal error",
        ">>> import torch",
        "*** Check failure stack trace: ***",
        "--> 519     raise MaxRetryError",
        "Jan is away",
        "node-a slurmstepd: error: x",
        "E is for error",
        "step 0 | loss 5.1000 | 1021.3 tok/s",
        "Invalid generic resource (gres) specification",
        "2 nodes, 16 ranks: all hang",
        "1.5x slower since torch 2.6",
    ],
)
def test_what_names_the_error_stays(line):
    assert strip_prefix(line).start == 0


@given(
    st.lists(
        st.sampled_from([p for p, facts in PREFIXES.items() if p[0] not in "`>│•E "]), max_size=6
    )
)
@settings(max_examples=300)
def test_prefixes_nest_in_any_order(prefixes):
    line = "".join(prefixes) + BOOM

    found = strip_prefix(line)

    assert line[found.start :] == BOOM


def test_the_source_is_the_same_for_all_lines_of_a_process():
    first = strip_prefix("(W pid=7) [rank3]:[E101 10:00:00.1 a.cpp:1] [PG ID 0 Rank 3] one")
    other = strip_prefix("(W pid=7) [rank3]:[E101 10:00:09.9 b.cpp:7] [PG ID 0 Rank 3] two")

    assert first.source == other.source == "(W pid=7)[rank3]:[PG ID 0 Rank 3]"
    assert first.prefix.startswith("(W pid=7) [rank3]: [E101 10:00:00.1 a.cpp:1]")


def test_a_reply_mark_is_reported_and_no_log_prefix():
    found = strip_prefix("> > quoted")

    assert found.quoted
    assert found.prefix == ""


@given(st.text(max_size=200), st.integers(0, 50))
@settings(max_examples=300)
def test_any_text_is_read_from_any_place(text, start):
    found = strip_prefix(text, min(start, len(text)))

    assert min(start, len(text)) <= found.start <= len(text)
