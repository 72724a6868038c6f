"""`when:` conditions of a signature: comparisons on its numeric captures."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_COMPARE: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class ConditionError(ValueError):
    """The condition is no comparison of numbers and captures."""


def holds(when: Mapping[str, str], captures: Mapping[str, str]) -> bool:
    """Whether every condition holds; one about a capture that is not there does not.

    Raises ConditionError where a condition cannot be read.
    """
    values = {
        name: number for name, text in captures.items() if (number := _number(text)) is not None
    }
    return all(_holds(name, condition, values) for name, condition in when.items())


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _holds(name: str, condition: str, values: Mapping[str, float]) -> bool:
    node = parse(name, condition)
    if not {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} <= values.keys():
        return False
    compare = _COMPARE[type(node.ops[0])]
    try:
        return compare(_value(node.left, values), _value(node.comparators[0], values))
    except ZeroDivisionError:
        return False


def names_in(name: str, condition: str) -> frozenset[str]:
    """Name the captures that a condition is about; raises ConditionError where it cannot be read."""
    nodes = ast.walk(parse(name, condition))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def parse(name: str, condition: str) -> ast.Compare:
    """Read the comparison `name condition`; raises ConditionError where it is none."""
    try:
        node = ast.parse(f"{name} {condition}", mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise ConditionError(f"cannot read {condition!r}") from error
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _COMPARE:
        raise ConditionError(f"{condition!r} must be one comparison, such as '> 0.3 * total'")
    for part in (node.left, node.comparators[0]):
        _check(part)
    return node


def _check(node: ast.expr) -> None:
    match node:
        case ast.Name():
            return
        case ast.Constant(value=int() | float()):
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            _check(left)
            _check(right)
        case _:
            raise ConditionError(f"{ast.unparse(node)!r} is no number, capture, + - * or /")


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.Name(id=name):
            return values[name]
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_value(left, values), _value(right, values))
    raise ConditionError(ast.unparse(node))
