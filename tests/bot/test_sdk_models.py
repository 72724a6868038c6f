"""Every message and view is what the SDK's own models of Block Kit take for one."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block, HeaderBlock, RichTextBlock
from slack_sdk.models.views import View

from tests.bot.test_snapshots import MESSAGES, VIEWS


def read(blocks: list[dict[str, Any]]) -> list[Block]:
    """The models of blocks; each says what it thinks of itself."""
    made = Block.parse_all(blocks)
    for model in made:
        model.validate_json()
    return made


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_one_to_the_sdk(name: str) -> None:
    blocks = list(MESSAGES[name].blocks)
    models = read(blocks)

    assert [model.type for model in models] == [block["type"] for block in blocks]
    # What the models do not know they would leave out.
    for model, block in zip(models, blocks, strict=True):
        if not isinstance(model, RichTextBlock):
            assert model.to_dict().keys() == block.keys()


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_one_to_the_sdk(name: str) -> None:
    _, view = VIEWS[name]
    View(**view).validate_json()

    assert len(read(view["blocks"])) == len(view["blocks"])


def test_the_sdk_would_complain() -> None:
    with pytest.raises(SlackObjectFormationError):
        HeaderBlock(text="x" * 151).validate_json()
