import itertools
import json

import pytest

from rules.pieces import find_cuts, split_fences, split_line


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        ("plain line", ["plain line"]),
        (
            (
                '"py_callstack": "Traceback (most recent call last):\\n  File \\"/a/b.py\\", line 3\\n'
                'torch.Error: Last error:\\nno socket"'
            ),
            [
                '"py_callstack": "Traceback (most recent call last):',
                '  File "/a/b.py", line 3',
                "torch.Error: Last error:",
                'no socket"',
            ],
        ),
        ("Traceback:\\\\n  File x\\\\nValueError: y", ["Traceback:", "  File x", "ValueError: y"]),
        ("one\\r\\n Two", ["one", " Two"]),
        (
            "[W ..\\torch\\csrc\\nccl.cpp:601] failed",
            ["[W ..\\torch\\csrc\\nccl.cpp:601] failed"],
        ),
        ("C:\\new\\nccl\\net", ["C:\\new\\nccl\\net"]),
        ("no\\newline here", ["no\\newline here"]),
        ("but#012NVRM: this", ["but", "NVRM: this"]),
        ("10%\r20%\rdone", ["10%", "20%", "done"]),
        ("pid=&#39;&lt;unknown&gt;&#39; &amp;", ["pid='<unknown>' &"]),
        ("a < b &lt; c", ["a < b &lt; c"]),
        (
            "CUDA%20error%3A%20out%20of%20memory%0Aat%20step",
            ["CUDA error: out of memory", "at step"],
        ),
        ("see https://x.example/a%20b", ["see https://x.example/a%20b"]),
        ("^^^FileNotFoundError^^: ^^ [Errno 2]", [" FileNotFoundError :   [Errno 2]"]),
        ("x^2 ^ y", ["x^2 ^ y"]),
    ],
)
def test_encoded_line_feeds_and_characters_come_back(raw, lines):
    assert lines == list(split_line(raw))


@pytest.mark.parametrize("key", ["log", "data"])
def test_a_container_runtime_record_is_opened(key):
    record = {"stream": "stderr", "time": "2026", key: "ValueError: a\nb\n"}
    raw = json.dumps(
        {key: record.pop(key), **record}
        if key == "log"
        else {"stream_name": "x", **record, key: "ValueError: a\nb\n"}
    )

    assert list(split_line(raw)) == ["ValueError: a", "b", ""]


def test_a_broken_record_stays():
    assert list(split_line('{"log":"cut off')) == ['{"log":"cut off']
    assert list(split_line('{"log":7}')) == ['{"log":7}']


def test_fences_split_a_line_and_their_language_goes():
    assert list(split_fences("all: ```Error: x``` ok", inside=False)) == [
        ("all: ", False),
        ("Error: x", True),
        (" ok", False),
    ]
    assert list(split_fences("```python", inside=False)) == [("", False), ("", True)]
    assert list(split_fences("code```after", inside=True)) == [("code", True), ("after", False)]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("step 4[rank1]: ValueError", ["step 4", "[rank1]: ValueError"]),
        ("x[E1130 21:25:51.937 socket.cpp:1] y", ["x", "[E1130 21:25:51.937 socket.cpp:1] y"]),
        ("ok node-b:1:2 [3] NCCL WARN z", ["ok ", "node-b:1:2 [3] NCCL WARN z"]),
        (
            "cu1242026-06-08 19:04:36,139 - root - x",
            ["cu124", "2026-06-08 19:04:36,139 - root - x"],
        ),
        (
            "Loading:  57% 4/7 [00:40<00:29,  9.96s/it]ERROR",
            ["Loading:  ", "57% 4/7 [00:40<00:29,  9.96s/it]", "ERROR"],
        ),
        (" 31%|██▌   | 171M/548M [00:03<00:11]", [" ", "31%|██▌   | 171M/548M [00:03<00:11]"]),
    ],
)
def test_another_writers_line_begins_inside_a_line(line, parts):
    cuts = [0, *find_cuts(line), len(line)]

    assert parts == [line[a:b] for a, b in itertools.pairwise(cuts) if a < b]


@pytest.mark.parametrize("line", ["uses 57% of [the] memory", "a - b", "see [E and [W", "1 NCCL 2"])
def test_an_untorn_line_has_no_cut(line):
    assert list(find_cuts(line)) == []
