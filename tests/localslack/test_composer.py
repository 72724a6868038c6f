"""What typing becomes."""

import re

import pytest
from hypothesis import given, settings, strategies as st

from bot.localslack.composer import Composed, Mention, compose, escape, unescape
from bot.localslack.normalise import normalise_text


def nobody(_: str) -> Mention | None:
    return None


def typed(text: str) -> Composed:
    return compose(text, nobody, "b1")


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("&lt;", "&amp;lt;"),
        ("<!channel> <@U99999999>", "&lt;!channel&gt; &lt;@U99999999&gt;"),
        ("run train.py now", "run <http://train.py|train.py> now"),
        ('File "train.py", line 3', 'File "<http://train.py|train.py>", line 3'),
        ("train.py:12: error", "<http://train.py|train.py>:12: error"),
        ("/opt/job/train.py", "/opt/job/train.py"),
        ("libnccl.so.2", "libnccl.so.2"),
        ("`train.py`", "`train.py`"),
        ("```train.py <x>```", "```train.py &lt;x&gt;```"),
        ("https://a.example/x?y=1&z=2.", "<https://a.example/x?y=1&amp;z=2>."),
        ("a@b.example", "<mailto:a@b.example|a@b.example>"),
        ("@here @someone", "<!here> @someone"),
        ("```open", "```open"),
        ("", ""),
    ],
)
def test_text_is_encoded_as_slack_does(text: str, encoded: str) -> None:
    assert typed(text).text == encoded


def _plain(text: str) -> str:
    labelled = re.sub(r"<(?:https?://|mailto:)[^<>|]*\|([^<>]*)>", r"\1", text)
    bare = re.sub(r"<(https?://[^<>|]*)>", r"\1", labelled)
    return unescape(re.sub(r"<!(here|channel|everyone)>", r"@\1", bare))


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab.py& <>@`\n/:|!#1_-"), max_size=60))
def test_nothing_typed_is_lost(text: str) -> None:
    assert _plain(typed(text).text) == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_escaping_is_undone_exactly(text: str) -> None:
    assert unescape(escape(text)) == text


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("a & b", "a &amp; b"),
        ("a &amp; b", "a &amp; b"),
        ("10.0.0.1<47213>", "10.0.0.1&lt;47213&gt;"),
        ("<@U1> <#C1|x> <!here> <https://a.example|b>", None),
        ("> quoted", "> quoted"),
        ("see https://a.example/x.", "see <https://a.example/x>."),
        ("`https://a.example` ```https://b.example```", None),
    ],
)
def test_sent_text_is_stored_as_slack_does(sent: str, stored: str | None) -> None:
    assert normalise_text(sent) == (stored or sent)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab& <>;`lt/:hps.@U1|"), max_size=60))
def test_storing_twice_changes_nothing_more(text: str) -> None:
    once = normalise_text(text)

    assert normalise_text(once) == once
