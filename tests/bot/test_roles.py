"""Who may do what is one table."""

from __future__ import annotations

import pytest

from bot.roles import TABLE, Deed, Role, find_role, may, refuse

MATRIX = {
    #                     outsider member owner maintainer
    Deed.ASK: (True, True, True, True),
    Deed.SHARE: (False, True, True, True),
    Deed.VOTE: (False, True, True, True),
    Deed.RECORD_FIX: (False, True, True, True),
    Deed.SAVE_UNSOLVED: (False, True, True, True),
    Deed.CALL_OWNERS: (False, True, True, True),
    Deed.SNOOZE_ENTRY: (False, True, True, True),
    Deed.SNOOZE_ALL: (False, False, True, True),
    Deed.SET_CHANNEL: (False, False, True, True),
    Deed.SET_TRUST: (False, False, False, True),
    Deed.SEE_VOTERS: (False, False, False, True),
}


def test_the_table_covers_every_deed() -> None:
    assert set(TABLE) == set(Deed) == set(MATRIX)


@pytest.mark.parametrize(("deed", "allowed"), MATRIX.items())
def test_each_role_may_do_what_the_table_says(deed: Deed, allowed: tuple[bool, ...]) -> None:
    assert tuple(may(role, deed) for role in Role) == allowed


def test_the_highest_role_that_holds_counts() -> None:
    roles = {
        (True, True, True): Role.MAINTAINER,
        (True, True, False): Role.OWNER,
        (True, False, True): Role.MAINTAINER,
        (True, False, False): Role.MEMBER,
        (False, True, True): Role.OUTSIDER,
    }
    for (member, owner, maintainer), role in roles.items():
        found = find_role(is_member=member, is_owner=owner, is_maintainer=maintainer)
        assert found is role


def test_a_refusal_says_who_can() -> None:
    said = refuse(Deed.SNOOZE_ALL)
    assert said == "Only this channel's owners and maintainers can snooze the bot in a channel."
