import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from rules.beta import cumulate, invert, predict, tails

SHAPES = st.floats(0.05, 2000.0)
PLAIN = settings(max_examples=150, deadline=None)


@given(st.floats(0.0, 1.0), SHAPES, SHAPES)
@PLAIN
def test_the_cumulative_share_agrees_with_scipy(x, a, b):
    assert cumulate(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-10)


@given(st.floats(0.001, 0.999), SHAPES, SHAPES)
@PLAIN
def test_quantiles_agree_with_scipy(p, a, b):
    assert invert(p, a, b) == pytest.approx(stats.beta.ppf(p, a, b), abs=1e-9)


@given(st.floats(0.001, 0.999), SHAPES, SHAPES)
@PLAIN
def test_quantiles_mirror(p, a, b):
    assert invert(p, a, b) == pytest.approx(1.0 - invert(1.0 - p, b, a), abs=1e-9)


def test_nothing_lies_below_nought_and_all_below_one():
    assert cumulate(-0.5, 2, 3) == cumulate(0.0, 2, 3) == 0.0
    assert cumulate(1.0, 2, 3) == cumulate(1.5, 2, 3) == 1.0


@pytest.mark.parametrize(("a", "b"), [(0.5, 1.5), (1.7, 0.3), (30.0, 8.0)])
def test_predictions_and_tails_agree_with_scipy(a, b):
    law = stats.betabinom(20, a, b)

    for k in (0, 1, 7, 20):
        below, above = tails(k, 20, a, b)
        assert predict(k, 20, a, b) == pytest.approx(law.pmf(k), abs=1e-12)
        assert below == pytest.approx(law.cdf(k), abs=1e-12)
        assert above == pytest.approx(law.sf(k - 1), abs=1e-12)
