"""The quantiles in beta_quantiles.tsv are from scipy 1.17's beta.ppf."""

from pathlib import Path

import pytest

from rules.beta import invert

TABLE = Path(__file__).with_name("beta_quantiles.tsv").read_text().splitlines()[1:]


@pytest.mark.parametrize("p", [0.01, 0.1, 0.5, 0.9, 0.99])
def test_quantiles_agree_with_the_table_to_nine_digits(p):
    rows = [tuple(map(float, line.split("\t"))) for line in TABLE]
    wanted = [row for row in rows if row[0] == p]

    assert wanted
    assert max(abs(invert(p, a, b) - quantile) for _, a, b, quantile in wanted) < 1e-9
