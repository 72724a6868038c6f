"""What holds for all tests: patience on busy machines, the same examples at each run, and no browser
tests without a browser's driver."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
import structlog
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# How long an example takes says how busy the machine is, and nothing about the code.
_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# A run says whether a change broke something; new examples are sought on purpose, by
# `pytest --hypothesis-profile=explore`.
settings.register_profile("explore", _patient)
settings.register_profile("steady", _patient, derandomize=True)
settings.load_profile("steady")

collect_ignore = (
    [] if find_spec("playwright") else ["browser/test_playground.py", "localslack/test_page.py"]
) + ([] if find_spec("betterleaks") else ["rules/test_redaction_oracle.py"])


@pytest.fixture(autouse=True)
def _own_logs() -> Iterator[None]:
    """A level that one test sets must not hide what another listens for."""
    yield
    structlog.reset_defaults()
