"""The knowledge base is inside the wheel, and is read from there."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from rules.load import load, shipped

ROOT = Path(__file__).parents[2]
READ = """
import sys
sys.path[:0] = [sys.argv[1]]
from rules.load import load, shipped
kb = load([shipped()])
assert shipped().is_relative_to(sys.argv[1]), shipped()
print(len(kb.entries), kb.version)
"""


def test_a_wheel_carries_the_entries_and_their_version(tmp_path):
    # What hatchling itself runs for `pip wheel`, without pip's network and isolation.
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    wheel = next(tmp_path.glob("*.whl"))
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")

    out = subprocess.run(
        [sys.executable, "-I", "-c", READ, str(tmp_path / "installed")],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    ).stdout

    kb = load([shipped()])
    assert out.split() == [str(len(kb.entries)), kb.version]
