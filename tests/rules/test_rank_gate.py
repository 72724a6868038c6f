import pytest
from hypothesis import given, settings, strategies as st
from packaging.specifiers import SpecifierSet

from rules.gate import admits, contains

PARTS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
SIGNS = st.sampled_from(["==", "!=", "<=", ">=", "<", ">", "~="])


def write(parts):
    return ".".join(map(str, parts))


@given(SIGNS, PARTS, PARTS)
@settings(max_examples=300, deadline=None)
def test_full_releases_compare_as_python_packaging_does(sign, bound, release):
    span = sign + write(bound)

    assert contains(span, write(release)) is SpecifierSet(span).contains(write(release))


@given(st.sampled_from(["==", "!="]), st.tuples(st.integers(0, 3), st.integers(0, 3)), PARTS)
@settings(max_examples=100, deadline=None)
def test_wildcards_compare_as_python_packaging_does(sign, bound, release):
    span = f"{sign}{write(bound)}.*"

    assert contains(span, write(release)) is SpecifierSet(span).contains(write(release))


@given(SIGNS, PARTS, st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 3))
@settings(max_examples=300, deadline=None)
def test_a_version_with_digits_left_out_passes_where_any_completion_passes(
    sign, bound, release, patch
):
    span = sign + write(bound)

    assert contains(span, write(release)) or not contains(span, write((*release, patch)))


@pytest.mark.parametrize(
    ("span", "version", "passes"),
    [
        (">=2.4,<2.6", "2.5.1+cu124", True),
        (">=2.4,<2.6", "2.6.0", False),
        (">=2.4", "2.4.0a0+3bcc3cddb5.nv24.07", True),
        ("<2.27.3", "2.27", True),
        (">=2.27.3", "2.27", True),
        (">=2.27.3", "2.26", False),
        ("<5.15", "5.15.0-1034-aws", False),
        (">=525", "v535.104.05", True),
        ("==2.1.*", "2", True),
        ("~=2.1", "3.0", False),
        (">2.27", "2.27", False),
        (">=2.1", "nightly", None),
        ("2.1", "2.1", None),
        (">=2.*", "2.1", None),
        ("", "2.1", None),
    ],
)
def test_the_range_of_a_gate_is_read_as_people_mean_it(span, version, passes):
    assert contains(span, version) is passes


def test_a_gate_drops_only_for_a_stated_version_that_is_surely_outside():
    gate = {"nccl": "<2.27.3", "pytorch": ">=2.1"}

    assert admits(gate, {})
    assert admits(gate, {"nccl": "2.26.2", "cuda": "12.4"})
    assert not admits(gate, {"nccl": "2.28.1", "pytorch": "2.9"})
    assert admits({"nccl": "what?"}, {"nccl": "2.28.1"})
