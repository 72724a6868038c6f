"""What a reaction means."""

from __future__ import annotations

import pytest

from bot.thumbs import name_source, read_thumb
from rules.votes import Thumb


@pytest.mark.parametrize(
    ("reaction", "thumb"),
    [
        ("+1", Thumb.UP),
        ("thumbsup", Thumb.UP),
        ("+1::skin-tone-2", Thumb.UP),
        ("thumbsup::skin-tone-6", Thumb.UP),
        ("-1", Thumb.DOWN),
        ("thumbsdown::skin-tone-3", Thumb.DOWN),
        ("eyes", None),
        ("+1000", None),
        ("", None),
    ],
)
def test_thumbs_are_read_with_their_aliases_and_skin_tones(
    reaction: str, thumb: Thumb | None
) -> None:
    assert read_thumb(reaction) is thumb


def test_an_alias_is_the_same_source_and_a_skin_tone_another() -> None:
    assert name_source("thumbsup", "1.0") == name_source("+1", "1.0")
    assert name_source("+1::skin-tone-2", "1.0") != name_source("+1", "1.0")
    assert name_source("+1", "1.0") != name_source("+1", "2.0")
