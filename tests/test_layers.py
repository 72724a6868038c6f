"""Arrows between the packages point one way."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINE_MAY_IMPORT = {"rules", "yaml", "rapidfuzz", "hyperscan", "re2", "pydantic", "pydantic_core"}
ENGINE_MUST_NOT = {
    "asyncio",
    "socket",
    "os",
    "time",
    "random",
    "subprocess",
    "threading",
    "logging",
}
LOADER = {"load.py", "folder.py"}
EXCEPTIONS = {
    "folder.py": {"os"},
    # A scratch space for each thread that scans: nothing is shared and nothing waits.
    "automaton.py": {"threading"},
}
LOCAL_SLACK_MAY_IMPORT = {"aiohttp", "pydantic"}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def files(*parts: str) -> list[Path]:
    found = sorted(ROOT.joinpath(*parts).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("path", files("rules"), ids=lambda p: p.name)
def test_the_engine_imports_only_what_is_pure(path):
    top = {name.partition(".")[0] for name in imported(path)}

    assert top - set(sys.stdlib_module_names) <= ENGINE_MAY_IMPORT
    assert not top & ENGINE_MUST_NOT - EXCEPTIONS.get(path.name, set())


@pytest.mark.parametrize("path", files("rules"), ids=lambda p: p.name)
def test_only_the_loader_of_the_engine_reads_files(path):
    calls = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
    }

    assert path.name in LOADER or not calls & {"open", "read_text", "read_bytes", "now", "today"}


@pytest.mark.parametrize("path", files("bot", "localslack"), ids=lambda p: p.name)
def test_the_local_slack_knows_nothing_of_the_bot(path):
    for name in imported(path):
        top = name.partition(".")[0]
        inside = name.startswith("bot.localslack")
        assert inside or top in LOCAL_SLACK_MAY_IMPORT or top in sys.stdlib_module_names, name


def test_only_the_composition_root_knows_the_local_slack():
    users = {
        path.relative_to(ROOT).as_posix()
        for path in files("bot")
        if "localslack" not in path.parts
        and any(name.startswith("bot.localslack") for name in imported(path))
    }

    assert users <= {"bot/app.py", "bot/playground.py"}
