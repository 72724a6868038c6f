"""Sources are named by site and title, and lead where they say."""

from __future__ import annotations

import pytest

from bot.slack.blocks.sources import LONGEST_NAME, link_sources, name_source


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/NVIDIA/nccl/issues/905", "NVIDIA/nccl#905"),
        ("https://github.com/NVIDIA/nccl/pull/12#issuecomment-1", "NVIDIA/nccl#12"),
        (
            "https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/TCPStore.cpp",
            "pytorch/pytorch: TCPStore.cpp",
        ),
        ("https://github.com/NVIDIA/nccl-tests", "NVIDIA/nccl-tests"),
        ("https://github.com/NVIDIA/nccl/tree/v2.4.8-1", "NVIDIA/nccl"),
        (
            "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html",
            "docs.nvidia.com: env",
        ),
        ("https://docs.nvidia.com/deploy/xid-errors/index.html", "docs.nvidia.com: xid errors"),
        ("https://kubernetes.io/docs/concepts/storage/volumes/", "kubernetes.io: volumes"),
        (
            "https://discuss.pytorch.org/t/nccl-watchdog-thread/179/4",
            "discuss.pytorch.org: nccl watchdog thread",
        ),
        (
            "https://forums.developer.nvidia.com/t/292539",
            "forums.developer.nvidia.com: 292539",
        ),
        ("https://docs.vllm.ai/en/latest/", "docs.vllm.ai"),
        ("https://arxiv.org/abs/2401.00001", "arxiv.org: 2401.00001"),
        ("https://www.deepspeed.ai", "deepspeed.ai"),
    ],
)
def test_a_source_is_named_by_site_and_title(url: str, name: str) -> None:
    assert name_source(url) == name


def test_a_name_is_short_and_a_link_cannot_be_broken_out_of() -> None:
    url = "https://wiki.example/a|b>c<!channel>/" + "long-words-" * 30
    [said] = link_sources([url])

    assert len(name_source(url)) <= LONGEST_NAME
    assert said.count("<") == said.count(">") == said.count("|") == 1
    assert link_sources(["https://x.example/" + "y" * 3000]) == []
    assert len(link_sources([f"https://x.example/{n}/page" for n in range(9)])) == 2
