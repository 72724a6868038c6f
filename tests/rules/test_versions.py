import pytest

from rules.versions import read_gpu, read_versions
from tests.rules.posts import joined


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("happens with torch 2.2", {"pytorch": "2.2"}),
        ("PyTorch version: 2.1.0+cu121", {"pytorch": "2.1.0", "cuda": "12.1"}),
        ("torch==1.13.0 from requirements.txt", {"pytorch": "1.13.0"}),
        ("(torch 2.1.2)", {"pytorch": "2.1.2"}),
        ("A100s, torch 1.8 cu111", {"pytorch": "1.8", "cuda": "11.1"}),
        ("torch version (2.4.0)", {"pytorch": "2.4.0"}),
        ('"torch": "2.6.0"', {"pytorch": "2.6.0"}),
        ("pytorch 2.7.0.dev20250301", {"pytorch": "2.7.0.dev20250301"}),
        ("NCCL version 2.20.5+cuda12.4", {"nccl": "2.20.5", "cuda": "12.4"}),
        (
            "node-a:1:2 [0] NCCL INFO NCCL version 2.18.3+cuda12.1",
            {"nccl": "2.18.3", "cuda": "12.1"},
        ),
        ("NCCL version 21805", {"nccl": "2.18.5"}),
        ("invalid usage, NCCL version 2.10.3", {"nccl": "2.10.3"}),
        ("nvidia-nccl-cu12==2.19.3", {"nccl": "2.19.3"}),
        ("NCCL INFO cudaDriverVersion 12040", {"cuda": "12.4"}),
        ("CUDA Version: 12.4", {"cuda": "12.4"}),
        ("CUDA used to build PyTorch: 12.1", {"cuda": "12.1"}),
        ("CUDA runtime version: 12.0.140", {"cuda": "12.0.140"}),
        (
            "detected CUDA version (11.8) mismatches the one to compile PyTorch (11.7)",
            {"cuda": "11.8"},
        ),
        ("Driver Version: 550.54.14", {"driver": "550.54.14"}),
        ("4x A30 (driver 560). killed", {"driver": "560"}),
        (
            "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01",
            {"driver": "570.158.01"},
        ),
        ("8x B300, 595.71.05: Xid 145", {"driver": "595.71.05"}),
        ("Python 3.11.9", {"python": "3.11.9"}),
        ('File "/opt/lib/python3.10/site-packages/x.py"', {"python": "3.10"}),
        (
            "torch 2.6.0, flash-attn 2.6.3, cuda 12.8",
            {"pytorch": "2.6.0", "flash-attn": "2.6.3", "cuda": "12.8"},
        ),
        (
            "vllm 0.9.1 ray 2.44 deepspeed=0.8.1",
            {"vllm": "0.9.1", "ray": "2.44", "deepspeed": "0.8.1"},
        ),
        (
            "transformers 4.51.3, megatron-core 0.12.1, jax 0.4.30",
            {"transformers": "4.51.3", "megatron": "0.12.1", "jax": "0.4.30"},
        ),
        ("torch 2.2 broke, torch 2.1 was fine", {"pytorch": "2.2"}),
        ("CUDA error 217 at ggml-cuda.cu:6292", {}),
        ("uses 12.5% cuda 99.9% of 3.5 GiB", {}),
        ("libtorch_cuda.so 10.0.0.1", {}),
        ("pytorch_1603729062494/work/torch/lib 2.0", {}),
    ],
)
def test_versions_are_read_from_prose_and_logs(text, versions):
    assert read_versions(joined(text)) == versions


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("H100 dies, A100 is ok", "H100"),
        ("8x B300, driver", "B300"),
        ("2xA100 40GB", "A100"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA Tesla V100-PCIE-32GB", "V100"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("rtx 3090: kernel log", "RTX 3090"),
        ("4x 2080 Ti", "RTX 2080 Ti"),
        ("on the 1080ti", "GTX 1080 Ti"),
        ("2x4090 torch", "RTX 4090"),
        ("the 4090 box", "RTX 4090"),
        ("RTX 5880 Ada", "RTX 5880 Ada"),
        ("a Titan V node", "TITAN V"),
        ("GB200 NVL72", "GB200"),
        ("L40S nodes", "L40S"),
        ("MI300X", "MI300X"),
        ("bind to [::]:4090", None),
        ("10.0.4.10:3090", None),
        ("E923 step 3090 of V1000 at T4x", None),
        ("SHA100 and A1000b", None),
    ],
)
def test_the_gpu_model_is_named_as_its_maker_does(text, gpu):
    assert read_gpu(joined(text)) == gpu
