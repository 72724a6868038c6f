import pytest

from rules.columns import find_column

TEXTS = ["Traceback (most recent call last):", "  File x", "RuntimeError: boom", "exit"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("train-worker-0 pytorch ", "train-worker-1 pytorch "),
        ("trainer-7d9f8b-x2k4q main ", "trainer-7d9f8b-x2k4q main "),
        ("gpua017: ", "gpua018: "),
        ("api-server      | ", "api-server      | "),
    ],
)
def test_a_repeated_column_is_found_and_taken_off(first, second):
    lines = [(first if index % 2 else second) + text for index, text in enumerate(TEXTS)]

    column = find_column(lines)

    assert column is not None
    assert [line[column.match(line).end() :] for line in lines] == TEXTS


@pytest.mark.parametrize(
    "lines",
    [
        ["RuntimeError: a", "RuntimeError: b", "RuntimeError: c"],
        ["a-b is what I see", "c-d was there too", "e-f as well"],
        ["step-1: load", "step-2: train", "step-3: save"],
        ["node-a: only", "node-a: two lines"],
        ["loss: 1", "loss: 2", "loss: 3"],
        ["E1Error: a", "E1Error: b", "E1Error: c"],
        ["", "", ""],
    ],
)
def test_sentences_and_errors_have_no_column(lines):
    assert find_column(lines) is None
