import pytest

from rules.environment import read_environment, read_job_id, read_world_size
from tests.rules.posts import joined


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("export NCCL_SOCKET_IFNAME=eth0,eno2", {"NCCL_SOCKET_IFNAME": "eth0,eno2"}),
        (
            "NCCL_DEBUG=INFO NCCL_IB_DISABLE=1 ./all_reduce_perf -b 8",
            {"NCCL_DEBUG": "INFO", "NCCL_IB_DISABLE": "1"},
        ),
        ('os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"', {"CUDA_VISIBLE_DEVICES": "0,1"}),
        (
            "node-b:1:2 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.",
            {"NCCL_IB_GID_INDEX": "3"},
        ),
        ("with NCCL_P2P_DISABLE=1, it runs", {"NCCL_P2P_DISABLE": "1"}),
        ("NCCL_DEBUG=INFO then NCCL_DEBUG=WARN", {"NCCL_DEBUG": "WARN"}),
        ("For debugging consider passing CUDA_LAUNCH_BLOCKING=1", {}),
        ("try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid", {}),
        ("should I set NCCL_IB_TIMEOUT=23 everywhere", {}),
        ("WANDB_API_KEY=abcd1234 NCCL_TOKEN=x CUDA_AUTH=y", {}),
        ("MY_NCCL_DEBUG=1 nccl_debug=info", {}),
        ("NCCL_DEBUG=", {}),
    ],
)
def test_settings_shown_are_read_and_advice_is_not(text, settings):
    assert read_environment(joined(text)) == settings


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("store_based_barrier_key:1 (world_size=2, worker_count=4)", 2),
        ("rank 0 nranks 8 cudaDev 0", 8),
        ("nranks 4 then nranks 16", 16),
        ("world_size (4) is not divisible by 16", 4),
        ("WORLD_SIZE=32", 32),
        ('"world size": "64"', 64),
        ("torchrun --nnodes=2 --nproc_per_node=8 train.py", 16),
        ("torchrun --nproc-per-node 4 train.py", 4),
        ("torchrun --nnodes=$SLURM_NNODES --nproc_per_node=8", 8),
        ("the world is large", None),
    ],
)
def test_the_world_size_is_stated_or_launched(text, size):
    assert read_world_size(joined(text)) == size


@pytest.mark.parametrize(
    ("text", "job"),
    [
        ("slurmstepd: error: *** STEP 3495064.0 ON node-a CANCELLED", "3495064"),
        ("*** JOB 6 ON vm CANCELLED", "6"),
        ("Detected 1 oom-kill event(s) in StepId=2.0.", "2"),
        ("SLURM_JOB_ID=77", "77"),
        ("Submitted batch job 123456", "123456"),
        ("less slurm-991.out", "991"),
        ("JobId=31 JobName=x", "31"),
        ("job raysubmit_A1b2C3d4 failed", "raysubmit_A1b2C3d4"),
        ("kubectl describe pytorchjob/llama-70b", "llama-70b"),
        ("kubectl logs job.batch/train-1", "train-1"),
        ("my job is dead", None),
    ],
)
def test_the_job_is_named_by_its_scheduler(text, job):
    assert read_job_id(joined(text)) == job
