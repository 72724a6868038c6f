"""A PostgreSQL for the tests that ask for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.postgres import serve_postgres

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Address of an empty database; the test is skipped where there is no PostgreSQL."""
    with serve_postgres() as url:
        if url is None:
            pytest.skip("no PostgreSQL on this machine")
        yield url
