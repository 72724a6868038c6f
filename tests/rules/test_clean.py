import pytest
from hypothesis import given, settings, strategies as st

from rules.clean import clean
from rules.model import Line
from tests.rules.growth import QUADRATIC, growth


def texts(post, *, slack=False):
    return [line.text for line in clean(post, slack=slack).lines]


def test_a_ray_log_of_two_ranks_comes_out_as_messages():
    post = (
        "Training Progress:   3%|▎         | 7/233 [11:56<6:25:43, 102.41s/it]\n"
        "(WorkerDict pid=2862157) [rank3]:[E923 11:14:11.615370309 ProcessGroupNCCL.cpp:1895] "
        "[PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated\n"
        "\n"
        "(WorkerDict pid=2862157) CUDA kernel errors might be asynchronously reported\n"
    )

    bar, watchdog, advice = clean(post).lines[1:]

    assert bar.text == "3%|▎         | 7/233 [11:56<6:25:43, 102.41s/it]"
    assert watchdog.text == "Process group watchdog thread terminated"
    assert (watchdog.number, watchdog.rank, watchdog.time) == (2, 3, "11:14:11.615370309")
    assert (advice.number, advice.rank) == (4, None)


def test_line_numbers_are_those_of_the_post():
    post = "first\n\n```\nsecond\n```\nout\\n  Third\nlast\r\n"

    assert [(line.number, line.text) for line in clean(post).lines] == [
        (1, "first"),
        (4, "second"),
        (6, "out"),
        (6, "Third"),
        (7, "last"),
    ]


def test_fences_inline_code_and_replies_are_marked():
    post = "I see\n```python\nError: a```\n`Error: b`\n> Error: c\nsee `x` and `y`"

    assert [(line.text, line.fenced, line.quoted) for line in clean(post).lines] == [
        ("I see", False, False),
        ("Error: a", True, False),
        ("`Error: b`", True, False),
        ("Error: c", False, True),
        ("see `x` and `y`", False, False),
    ]


def test_torn_ranks_become_lines_of_their_own():
    post = "[rank0]: Traceback[rank1]: ValueError: bad[rank0]:[rank2]: RuntimeError: x"

    assert [(line.rank, line.text) for line in clean(post).lines] == [
        (0, "Traceback"),
        (1, "ValueError: bad"),
        (0, "RuntimeError: x"),
    ]


def test_an_error_behind_and_before_a_progress_bar_stands_alone():
    assert texts(
        "Loading:  57% 4/7 [00:40<00:29,  9.96s/it]ERROR:torch.elastic:failed (exitcode: -9)"
    ) == [
        "Loading:",
        "57% 4/7 [00:40<00:29,  9.96s/it]",
        "failed (exitcode: -9)",
    ]
    assert texts("  0%|  | 0/9 [00:00<?, ?it/s]\r 11%|█ | 1/9 [00:01<00:08]\rValueError: x") == [
        "0%|  | 0/9 [00:00<?, ?it/s]",
        "11%|█ | 1/9 [00:01<00:08]",
        "ValueError: x",
    ]


@pytest.mark.parametrize(
    ("post", "message"),
    [
        (
            "*RuntimeError:* _NCCL error in: ../a.cpp:1, version 2.10.3_",
            "RuntimeError: NCCL error in: ../a.cpp:1, version 2.10.3",
        ),
        ("**RuntimeError: boom**", "RuntimeError: boom"),
        ("| RuntimeError: boom | yes |", "RuntimeError: boom | yes"),
        ("│ ❱ 74 ray_trainer.fit()                │", "74 ray_trainer.fit()"),
        ("╭───── Traceback (most recent call last) ─────╮", "Traceback (most recent call last)"),
        ("- RuntimeError: boom", "RuntimeError: boom"),
        (
            "batch * accumulation * world_size 16 != 1 * 8 * 1",
            "batch * accumulation * world_size 16 != 1 * 8 * 1",
        ),
        ("f(*args, **kwargs)", "f(*args, **kwargs)"),
        ("std::vector<Foo*, Bar*> (int*, char*)", "std::vector<Foo*, Bar*> (int*, char*)"),
        ("undefined symbol: _ZN3c105ErrorC2E_", "undefined symbol: _ZN3c105ErrorC2E_"),
        ("from __future__ import _x_", "from __future__ import _x_"),
        ("when calling `cublasCreate(handle)`", "when calling `cublasCreate(handle)`"),
    ],
)
def test_decoration_goes_and_the_message_stays(post, message):
    assert texts(post) == [message]


def test_slack_markup_is_decoded_only_where_it_is_markup():
    post = "peer 10.0.3.4&lt;47213&gt; in <http://train.py|train.py>\n&gt; quoted &amp; more"

    first, second = clean(post, slack=True).lines

    assert first.text == "peer 10.0.3.4<47213> in train.py"
    assert (second.text, second.quoted) == ("quoted & more", True)
    assert texts("a <https://example.org/x> b &lt; <c>") == ["a https://example.org/x b &lt; <c>"]


def test_a_viewers_column_gives_the_host():
    post = "job-worker-0 main Traceback\njob-worker-1 main ValueError: x\njob-worker-0 main done\njob-worker-1 main end"

    lines = clean(post).lines

    assert [line.text for line in lines] == ["Traceback", "ValueError: x", "done", "end"]
    assert {line.host for line in lines} == {"job-worker-0", "job-worker-1"}
    assert lines[0].prefix == "job-worker-0 main"
    assert lines[0].source != lines[1].source


def test_an_empty_post_has_no_lines():
    assert clean("").lines == clean(" \n\x00\n```\n").lines == ()


def squeezed(text):
    return "".join(text.split())


# Letters that no mark-up, escape or prefix is made of.
MESSAGE = st.text(st.sampled_from("abxyz éß:;,.!?()=+ 0123456789"), min_size=1, max_size=60).map(
    lambda text: f"Error {text} end"
)


@given(MESSAGE, st.lists(st.integers(1, 80), max_size=4))
@settings(max_examples=100)
def test_wrapped_messages_lose_no_character(message, columns):
    wrapped, last = "", 0
    for column in sorted({c for c in columns if c < len(message)}):
        # A wrap may leave white space alone on a line, never a prefix such as "3: ".
        if message[column - 1].isalpha() and message[column].isalpha():
            wrapped += message[last:column] + "\n"
            last = column
    wrapped += message[last:]

    assert squeezed("".join(texts(wrapped))) == squeezed(message)


@given(st.text(max_size=400), st.booleans())
@settings(max_examples=150)
def test_any_text_is_cleaned_into_non_empty_single_lines(text, slack):
    lines = clean(text, slack=slack).lines

    assert all(line.text == line.text.strip() != "" and "\n" not in line.text for line in lines)
    assert [line.number for line in lines] == sorted(line.number for line in lines)
    assert all(1 <= line.number <= text.count("\n") + text.count("\r") + 2 for line in lines)


@given(st.binary(max_size=400))
@settings(max_examples=100)
def test_broken_bytes_are_cleaned(data):
    for line in clean(data.decode(errors="replace")).lines:
        line.text.encode()


PREFIXED = [
    "[rank0]: RuntimeError: boom",
    "(W pid=1) ERROR 08-01 10:00:00 [core.py:123] ValueError: x",
    "node-a:1:2 [0] transport/net.cc:1 NCCL WARN NET/IB : Got completion with error 12",
    "Nov 05 13:55:26 node-a kernel: NVRM: Xid (PCI:0000:01:00): 79, pid=1",
    "slurmstepd: error: *** JOB 6 ON vm CANCELLED ***",
    "> quoted **bold** text",
    "Loading: 10%|█ | 1/9 [00:01<00:08]oops",
    '{"log":"a\\nB: c\\n","stream":"stderr"}',
]


@given(st.lists(st.sampled_from(PREFIXED), min_size=1, max_size=8))
@settings(max_examples=100)
def test_cleaning_what_is_clean_changes_nothing(lines):
    once = texts("\n".join(lines))

    assert texts("\n".join(once)) == once


HOSTILE = [
    "[rank1]: ",
    "[1]: [2]: ",
    "((pid=1) ",
    "[PG ",
    "5%|x| 1/2 [a] ",
    "%20on node '[rank0]: 1.1 ",
    "\\n A",
    "**a** *b ",
    " _a b_",
    "```",
    "[0m[3",
    "\x1b[",
    "<http://a",
    "&lt;",
    "a-1 b ",
    "node-1:1:1 [0] NCCL ",
    "a.b.",
    "Jan 01 00:00:00 ",
    "^^ ^",
    '{"log":"',
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_length_of_a_single_hostile_line(unit):
    small, large = unit * (3_000 // len(unit)), unit * (48_000 // len(unit))

    assert growth(lambda post: clean(post, slack=True), small, large) < QUADRATIC


def test_a_line_of_200_kilobytes_stays_whole():
    assert texts("x" * 200_000) == ["x" * 200_000]


def test_defaults_of_a_line_say_nothing():
    line = Line("text", 1)

    assert (line.rank, line.host, line.time, line.gpu, line.source, line.prefix) == (
        None,
        None,
        None,
        None,
        "",
        "",
    )
