import pytest
from hypothesis import given, settings, strategies as st

from rules.ansi import normalise


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[31mRuntimeError\x1b[0m", "RuntimeError"),
        ("\x1b[38;5;196mred\x1b[m", "red"),
        ("\x1b]8;;https://example.org\x07link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;title\x07prompt", "prompt"),
        ("\x1b[2K\x1b[1Aup", "up"),
        ("\x9b31mred", "red"),
        ("^[[0mNVRM", "NVRM"),
        ("\\x1b[33m(raylet)\\033[0m \\u001b[1mx", "(raylet) x"),
        ("␛[31mred", "red"),
        ("[32m[449410.332316] [0m[33mNVRM: [0mXid", "[449410.332316] NVRM: Xid"),
        ("[36m(WorkerDict pid=1)[0m died", "(WorkerDict pid=1) died"),
        ("[1;31merror[0;39m", "error"),
        ("[38;2;255;0;0mred", "red"),
        ("[2Kprogress", "[2Kprogress"),
        ("done[K", "done"),
    ],
)
def test_escapes_go_with_and_without_the_escape_byte(raw, plain):
    assert plain == normalise(raw)


@pytest.mark.parametrize(
    "text",
    [
        "rate(node_network[5m]) > 0",
        "sum(rate(x[1m]))",
        "block: [117,0,0], thread: [26,0,0]",
        "torch.Size([3])",
        "[3] is setting up NCCL communicator",
        "[Khronos]",
        "C:\\x1b",
    ],
)
def test_brackets_of_messages_stay(text):
    assert text == normalise(text)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("undefined\u200b symbol", "undefined symbol"),
        ("Assertion\u200bError", "AssertionError"),
        ("no\u00a0break", "no break"),
        ("\ufeffTraceback", "Traceback"),
        ("soft\u00adhyphen", "softhyphen"),
        ("“a” ‘b’ «c»", '"a" \'b\' "c"'),
        ("a – b — c − d", "a - b - c - d"),
        ("ＣＵＤＡ：１２", "CUDA:12"),
        ("wait…", "wait..."),
        ("a\u2028b", "a\nb"),
        ("R\x00u\x00n\x00", "Run"),
        ("a\x07b\x7fc", "abc"),
        ("one\r\ntwo\rthree", "one\ntwo\rthree"),
        ("lone \ud800 surrogate", "lone ? surrogate"),
        ("中文 ok", "中文 ok"),
    ],
)
def test_odd_characters_become_plain(raw, plain):
    assert plain == normalise(raw)


@given(st.text(max_size=300))
@settings(max_examples=300)
def test_what_comes_out_can_be_encoded_and_holds_no_control_byte(text):
    plain = normalise(text)

    plain.encode()
    assert not any(ord(char) < 32 and char not in "\t\n\r" for char in plain)


@given(st.binary(max_size=300))
@settings(max_examples=200)
def test_broken_bytes_never_raise(data):
    normalise(data.decode(errors="replace"))
    normalise(data.decode(errors="surrogateescape"))
