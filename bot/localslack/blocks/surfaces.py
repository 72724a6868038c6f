"""placeholder"""

from bot.localslack.model import Json


def check_message_blocks(blocks: list[Json], pointer: str = "/blocks") -> list[str]:
    return []


def check_view(body: Json, kind: str) -> list[str]:
    return []
