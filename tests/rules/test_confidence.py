"""One logistic model over features that anybody can read."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest
from hypothesis import given, strategies as st

from rules.confidence import (
    ASKED_THRESHOLD,
    CHANNEL_THRESHOLD,
    WEIGHTS,
    Features,
    confidence,
    explain,
)

NAMES = [field.name for field in fields(Features)]
NOTHING = Features(**dict.fromkeys(NAMES, 0.0))


def test_every_feature_has_a_weight_and_the_other_way_round():
    assert set(WEIGHTS) == {"bias", *NAMES}


def test_without_features_only_the_bias_speaks():
    assert confidence(NOTHING) == pytest.approx(1 / (1 + math.exp(-WEIGHTS["bias"])))


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_moves_the_confidence_the_way_of_its_weight(name):
    moved = confidence(replace(NOTHING, **{name: 1.0})) - confidence(NOTHING)

    assert moved * WEIGHTS[name] > 0


def test_talk_and_code_count_against_and_pasting_for_an_answer():
    assert all(WEIGHTS[name] < 0 for name in ("distance", "code", "over", "about", "rivals"))
    assert WEIGHTS["pasted"] > 0


def test_the_shares_are_the_log_odds():
    features = replace(NOTHING, pasted=1.0, length=0.6)
    total = WEIGHTS["bias"] + sum(share for _, share in explain(features))

    assert confidence(features) == pytest.approx(1 / (1 + math.exp(-total)))
    assert [name for name, _ in explain(features)] == NAMES


def test_who_asked_is_answered_sooner_than_a_channel():
    assert 0 < ASKED_THRESHOLD < CHANNEL_THRESHOLD < 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=len(NAMES), max_size=len(NAMES)))
def test_it_is_a_chance_whatever_the_features(values):
    assert 0 < confidence(Features(*values)) < 1
