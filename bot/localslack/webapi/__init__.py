"""The Web API: one module a family of methods; each registers its methods when imported."""

from importlib import import_module

_FAMILIES = ("chat", "conversations", "files", "oauth", "people", "reactions", "views")


def load_methods() -> None:
    """Register every method."""
    for family in _FAMILIES:
        import_module(f"{__name__}.{family}")
