"""The way from squeezed bytes back to lines."""

from __future__ import annotations

from hypothesis import given, strategies as st

from rules.model import CleanText, Line
from rules.squeezed import squeeze_lines, views


def lines(*texts, ranks=None):
    ranks = ranks or [None] * len(texts)
    return tuple(
        Line(text, number, rank=rank)
        for number, (text, rank) in enumerate(zip(texts, ranks, strict=True), 1)
    )


@given(st.lists(st.text(max_size=30), min_size=1, max_size=8))
def test_each_byte_leads_back_to_its_line(texts):
    view = squeeze_lines(lines(*texts))
    at = 0
    for index, text in enumerate(texts):
        for _ in b"".join(text.encode("utf-8", "replace").lower().split()):
            assert view.line_at(at) == index
            at += 1
    assert at == len(view.data)


def test_an_offset_inside_a_word_is_told_from_one_between_words():
    view = squeeze_lines(lines("ab cd", "ef"))

    assert [view.inside_word(offset) for offset in range(8)] == [
        *(False, True, False, True),
        *(False, True, False, False),
    ]


def test_an_offset_outside_of_all_lines_is_in_no_word():
    view = squeeze_lines(lines("ab"))

    assert not view.inside_word(0)
    assert not view.inside_word(2)
    assert not view.inside_word(-1)


def test_ranks_that_alternate_are_read_one_by_one_too():
    clean = CleanText(lines("a", "b", "c", "d", "e", ranks=[0, 1, None, 0, 1]))

    natural, by_rank = views(clean)

    assert natural.data == b"abcde"
    assert by_rank.data == b"adbce"


def test_a_line_before_the_first_rank_stays_first():
    clean = CleanText(lines("x", "a", "b", "c", ranks=[None, 1, 0, 1]))

    assert views(clean)[1].data == b"xbac"


def test_ranks_in_blocks_need_no_second_view():
    assert len(views(CleanText(lines("a", "b", "c", ranks=[0, 0, 1])))) == 1
    assert len(views(CleanText(lines("no", "rank", "here")))) == 1
    assert len(views(CleanText(()))) == 1


def test_white_space_and_line_ends_inside_are_counted():
    view = squeeze_lines(lines("see nccl-system-error", "here we are"))

    assert view.count_breaks(3, 20) == 0
    assert view.count_breaks(2, 20) == 1
    assert view.count_breaks(10, 26) == 2


def test_letters_of_the_same_word_are_given():
    view = squeeze_lines(lines("the TUNER/Plugin", "went"))
    ner = view.data.index(b"ner")

    assert view.letters_before(ner, 5) == b"tu"
    assert view.letters_before(ner, 1) == b"u"
    assert view.letters_before(ner - 2, 5) == b""
    assert view.letters_after(ner, 5) == b"ner"
    assert view.letters_after(len(view.data) - 4, 5) == b""


def test_the_text_that_was_squeezed_is_given_back():
    view = squeeze_lines(lines("before", "See  the error here", "after"))
    start = view.data.index(b"theerror")

    assert view.text_at(start, start + 8) == "the error"
    assert view.text_at(start + 1, start + 7) == "he erro"
    assert view.text_at(start + 8, start + 20) == "here"


@given(st.lists(st.text(max_size=30), min_size=1, max_size=4), st.data())
def test_what_is_given_back_stands_in_the_line(texts, data):
    view = squeeze_lines(lines(*texts))
    start = data.draw(st.integers(0, len(view.data)))
    end = data.draw(st.integers(start, len(view.data) + 5))

    assert view.text_at(start, end) in texts[view.line_at(start)]
