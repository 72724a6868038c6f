import numpy as np
import pytest

from rules.posterior import update, update_here
from rules.votes import Context
from tests.stats.world import EPOCH, rate_fix, reports

PRIOR = rate_fix(0.75, 4.0)
CONTEXTS, MEAN_INCIDENTS = 4, 15
EFFECTS = {"none": 0.0, "mild": 0.5, "strong": 1.2}


def shift(p, logits):
    return 1.0 / (1.0 + np.exp(-(np.log(p / (1.0 - p)) + logits)))


def measure(effect, seed, worlds=120):
    """Root mean squared error in a context: partly pooled, all pooled, all separate."""
    rng = np.random.default_rng(seed)
    errors = []
    for _ in range(worlds):
        overall = np.clip(rng.beta(3.0, 1.0), 0.02, 0.98)
        truths = shift(overall, rng.normal(0.0, effect, CONTEXTS))
        here = [reports(rng.random(rng.poisson(MEAN_INCIDENTS)) < p) for p in truths]
        everything = [report for part in here for report in part]
        pooled = update(PRIOR, everything, EPOCH).mean
        for truth, part in zip(truths, here, strict=True):
            partly = update_here(PRIOR, everything, part, EPOCH, Context(gpu="H100")).mean
            separate = update(PRIOR, part, EPOCH).mean
            errors.append([partly - truth, pooled - truth, separate - truth])
    return np.sqrt(np.mean(np.square(errors), axis=0))


@pytest.mark.parametrize("effect", EFFECTS)
def test_partial_pooling_is_near_the_better_of_pooled_and_separate(effect):
    partly, pooled, separate = measure(EFFECTS[effect], 61)

    assert partly <= min(pooled, separate) + 0.025
