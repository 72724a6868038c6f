"""The pages say what is so: links, pictures, commands and settings exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.cli import main
from bot.settings import PREFIX, SLACK_VARIABLES, Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOT_SETTINGS = {"CONFIG", "HOOK_URL", "HOOK_CONF"}


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_every_link_within_the_project_leads_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    links = re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    targets = {(one or other).partition("#")[0] for one, other in links} - {""}

    assert [target for target in sorted(targets) if not (document.parent / target).exists()] == []


def test_every_heading_that_the_readme_links_to_exists() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", README, re.MULTILINE)
    }

    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= headings


def test_the_first_screen_is_short_and_shows_an_answer() -> None:
    first = README[: README.index("## Connect")]

    assert len(first.splitlines()) < 60
    assert "docs/images/answer-light.png" in first
    assert "docs/images/answer-dark.png" in first
    assert {"make run", "make test"} <= set(re.findall(r"make [\w-]+", first))


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_every_setting_that_a_page_names_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    known = {name.upper() for name in Settings.model_fields} | NOT_SETTINGS
    slack = set(re.findall(r"\bSLACK_[A-Z_]+\b", text))

    assert set(re.findall(rf"\b{PREFIX}([A-Z_]*[A-Z])\b", text)) <= known
    assert slack <= {*SLACK_VARIABLES, "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"}


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_every_command_that_a_page_names_exists(
    document: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = document.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```bash\n.*?```|`[^`\n]+`", text, re.DOTALL))
    commands = re.findall(r"(?<!/)nccl-bot((?: (?:kb|db|votes))? [a-z]+)\b", code)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for command in sorted(set(commands)):
        with pytest.raises(SystemExit) as ended:
            main([*command.split(), "--help"])
        assert ended.value.code == 0, command
    for target in set(re.findall(r"\bmake ([a-z-]+)", code)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    capsys.readouterr()
