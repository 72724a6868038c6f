"""Short ways from a text to what the readers take."""

from rules.clean import clean
from rules.joined import Joined, join
from rules.model import CleanText


def cleaned(*lines: str) -> CleanText:
    return clean("\n".join(lines))


def joined(*lines: str) -> Joined:
    return join(cleaned(*lines))
