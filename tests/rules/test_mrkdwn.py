import pytest
from hypothesis import given, settings, strategies as st

from rules.mrkdwn import decode, decode_links


@pytest.mark.parametrize(
    ("slack", "typed"),
    [
        ("see <http://train.py|train.py> line 3", "see train.py line 3"),
        ("[<http://core.py:123|core.py:123>] died", "[core.py:123] died"),
        (
            "<https://a.example/9|NCCL error: remote process exited> (old)",
            '"NCCL error: remote process exited" (old)',
        ),
        ("<https://example.org/a?b=1>", "https://example.org/a?b=1"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<mailto:a@b.example>", "a@b.example"),
        ("<@U012AB> and <@U012AB|sam>", "@U012AB and @sam"),
        ("<#C012AB|train-infra> <#C9>", "#train-infra #C9"),
        ("<!here> <!subteam^S1|@oncall> <!channel>", "@here @oncall @channel"),
        ("<!date^1392734382^{date}|Feb 18, 2014>", "Feb 18, 2014"),
        ("peer 10.0.3.4&lt;47213&gt; died", "peer 10.0.3.4<47213> died"),
        ("&amp;lt; stays written as it was", "&lt; stays written as it was"),
        ("&quot; and &nbsp; were typed", "&quot; and &nbsp; were typed"),
        ("std::vector<int, std::allocator<int>>", "std::vector<int, std::allocator<int>>"),
        ("a <unknown> frame", "a <unknown> frame"),
    ],
)
def test_tokens_and_entities_come_back_as_people_see_them(slack, typed):
    assert typed == decode(slack)


def test_an_escaped_address_is_not_taken_for_a_token():
    assert decode("fe80::1%ib0&lt;17943&gt;") == "fe80::1%ib0<17943>"


def test_links_alone_are_decoded_in_texts_copied_out_of_slack():
    assert decode_links("url: <https://example.org> &lt;") == "url: https://example.org &lt;"


@given(st.text())
@settings(max_examples=200)
def test_what_slack_escapes_comes_back_unchanged(text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    assert text == decode(escaped)
