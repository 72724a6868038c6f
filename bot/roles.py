"""Who may do what: one table. Pure decisions."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Role(IntEnum):
    """What a person is in a channel; each may do all that those below it may."""

    OUTSIDER = 0
    """A guest, a bot, or somebody of another workspace: reads, and asks for themselves."""
    MEMBER = 1
    OWNER = 2
    """In the owners' group that is set for the channel."""
    MAINTAINER = 3
    """By setting, and workspace admins."""


class Deed(StrEnum):
    """What can be done."""

    ASK = "ask"
    SHARE = "share"
    VOTE = "vote"
    RECORD_FIX = "record a fix"
    SAVE_UNSOLVED = "save a thread as unsolved"
    CALL_OWNERS = "call the owners"
    SNOOZE_ENTRY = "snooze one entry in a channel"
    SNOOZE_ALL = "snooze the bot in a channel"
    SET_CHANNEL = "set how the bot behaves in a channel"
    SET_TRUST = "set the owners, the bots and the job feed of a channel"
    SEE_VOTERS = "see who moved a rate"


TABLE: dict[Deed, Role] = {
    Deed.ASK: Role.OUTSIDER,
    Deed.SHARE: Role.MEMBER,
    Deed.VOTE: Role.MEMBER,
    Deed.RECORD_FIX: Role.MEMBER,
    Deed.SAVE_UNSOLVED: Role.MEMBER,
    Deed.CALL_OWNERS: Role.MEMBER,
    Deed.SNOOZE_ENTRY: Role.MEMBER,
    Deed.SNOOZE_ALL: Role.OWNER,
    Deed.SET_CHANNEL: Role.OWNER,
    # Owners could otherwise make anybody an owner, or have job logs sent to a channel of theirs.
    Deed.SET_TRUST: Role.MAINTAINER,
    Deed.SEE_VOTERS: Role.MAINTAINER,
}
"""The least role for each deed."""
_WHO = {
    Role.MEMBER: "members of this workspace",
    Role.OWNER: "this channel's owners and maintainers",
    Role.MAINTAINER: "maintainers",
}


def may(role: Role, deed: Deed) -> bool:
    """Whether the role is enough."""
    return role >= TABLE[deed]


def refuse(deed: Deed) -> str:
    """Say who may do it."""
    return f"Only {_WHO[TABLE[deed]]} can {deed}."


def find_role(*, is_member: bool, is_owner: bool, is_maintainer: bool) -> Role:
    """Return the highest role that holds; one who is no member has none of the others."""
    if not is_member:
        return Role.OUTSIDER
    if is_maintainer:
        return Role.MAINTAINER
    return Role.OWNER if is_owner else Role.MEMBER
