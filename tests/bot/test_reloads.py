"""A changed knowledge base is put to use while the bot runs, or refused as a whole."""

from __future__ import annotations

import datetime as dt
import shutil
from types import SimpleNamespace

import pytest
import structlog

from bot.metrics import Metrics
from bot.reload import LiveKnowledge, Reloaded
from bot.reloads import Reloads
from rules.load import shipped


class Ledger:
    """Counts what it is told to use."""

    def __init__(self):
        self.used = []

    def use(self, kb):
        self.used.append(kb.version)


@pytest.fixture
def live(tmp_path):
    folder = tmp_path / "kb" / "slurm"
    folder.mkdir(parents=True)
    for name in ("time-limit", "preempted"):
        shutil.copy(shipped() / "slurm" / f"{name}.yaml", folder)
    return LiveKnowledge([tmp_path / "kb"], report=lambda _: None)


def make_core(live):
    settings = SimpleNamespace(maintainer_channel=None)
    return SimpleNamespace(
        kb=live.current,
        ledger=Ledger(),
        metrics=Metrics(),
        settings=settings,
        moment=dt.datetime(2026, 12, 1, tzinfo=dt.UTC),
    )


async def test_a_new_version_is_put_to_use_once(live):
    core = make_core(live)
    reloads = Reloads(core)
    fresh = SimpleNamespace(version="fresh")
    core.kb = fresh

    reloads.note(Reloaded("fresh"))
    reloads.note(Reloaded("fresh"))

    assert core.ledger.used == ["fresh"]
    assert 'nccl_bot_kb_reloads_total{outcome="used"} 1.0' in core.metrics.render().decode()


async def test_a_broken_set_is_refused_and_said(live):
    core = make_core(live)
    with structlog.testing.capture_logs() as lines:
        Reloads(core).note(Reloaded(live.current.version, ("kb/a/b.yaml:3: no YAML",)))

    assert core.ledger.used == []
    assert lines[0]["event"] == "kb_refused"
    assert lines[0]["errors"] == ("kb/a/b.yaml:3: no YAML",)
    assert 'outcome="refused"} 1.0' in core.metrics.render().decode()
