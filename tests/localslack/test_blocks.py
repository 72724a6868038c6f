"""One bad block per limit, and what each surface shows."""

import pytest

from bot.localslack.blocks.surfaces import check_message_blocks, check_view
from bot.localslack.model import Json


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def block(kind: str, **fields: object) -> Json:
    return {"type": kind, **fields}


def button(**fields: object) -> Json:
    return {"type": "button", "action_id": "a", "text": plain("ok"), **fields}


def confirm(**fields: object) -> Json:
    given = {"title": plain("t"), "text": plain("x"), "confirm": plain("y"), "deny": plain("n")}
    return given | fields


def option(**fields: object) -> Json:
    return {"text": plain("one"), "value": "1", **fields}


def options(count: int) -> list[Json]:
    return [option(value=str(number)) for number in range(count)]


def select(**fields: object) -> Json:
    return {"type": "static_select", "action_id": "s", "options": options(2), **fields}


def actions(*elements: Json) -> Json:
    return block("actions", elements=list(elements))


def entry(element: Json, **fields: object) -> Json:
    return block("input", label=plain("Log"), element=element, **fields)


def line(*elements: Json) -> Json:
    section = {"type": "rich_text_section", "elements": list(elements)}
    return block("rich_text", elements=[section])


IMAGE = {"image_url": "https://a.example/i.png", "alt_text": "a graph"}
TEXT_INPUT: Json = {"type": "plain_text_input", "action_id": "t"}
CARD: Json = {"type": "card", "title": plain("t")}
TASK: Json = {"type": "task_card", "task_id": "1", "title": "t", "status": "pending"}

GOOD: list[Json] = [
    block("section", text=mrkdwn("x" * 3_000)),
    block("section", fields=[mrkdwn("x" * 2_000)] * 10),
    block("section", text=plain("x"), accessory=button(), expand=True, block_id="b" * 255),
    block("section", text=mrkdwn("x"), accessory=block("image", **IMAGE)),
    block("header", text=plain("x" * 150)),
    block("divider"),
    block("image", **IMAGE, title=plain("x" * 2_000)),
    block("context", elements=[mrkdwn("x"), plain("y"), block("image", **IMAGE)] * 3),
    actions(*[button(action_id=str(number)) for number in range(25)]),
    actions(button(value="x" * 2_000, url="https://a.example", style="danger", confirm=confirm())),
    actions(select(), select(action_id="m", options=options(100), placeholder=plain("x" * 150))),
    actions(block("overflow", action_id="o", options=options(5))),
    actions(block("radio_buttons", action_id="r", options=options(10))),
    actions(block("datetimepicker", action_id="d", initial_date_time=1)),
    block(
        "context_actions",
        elements=[
            {
                "type": "feedback_buttons",
                "action_id": "f",
                "positive_button": {"text": plain("good"), "value": "1"},
                "negative_button": {"text": plain("bad"), "value": "0"},
            },
            {"type": "icon_button", "action_id": "i", "icon": "trash", "text": plain("remove")},
        ],
    ),
    line({"type": "text", "text": "x", "style": {"bold": True}}, {"type": "user", "user_id": "U1"}),
    block(
        "rich_text",
        elements=[
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x"}]},
            {
                "type": "rich_text_list",
                "style": "ordered",
                "elements": [{"type": "rich_text_section", "elements": []}],
            },
        ],
    ),
    block("markdown", text="# x"),
    block("table", rows=[[{"type": "raw_text", "text": "x"}] * 20] * 100),
    block("plan", title="p", tasks=[TASK]),
    TASK,
    CARD | {"actions": [button()]},
    block("carousel", elements=[CARD] * 10),
    entry(TEXT_INPUT | {"max_length": 3_000, "multiline": True}, hint=plain("h")),
]


@pytest.mark.parametrize("good", GOOD, ids=lambda each: each["type"])
def test_a_block_at_its_limits_is_accepted(good: Json) -> None:
    assert check_message_blocks([good]) == []


BAD: list[tuple[Json, str]] = [
    (block("section"), "at least one of text, fields"),
    (block("section", text=mrkdwn("x" * 3_001)), "less than 3001 characters"),
    (block("section", text=mrkdwn("")), "more than 0 characters"),
    (block("section", text="x"), "must be an object"),
    (block("section", text={"type": "markdown", "text": "x"}), "unsupported type: markdown"),
    (block("section", text={"text": "x"}), "missing required field: type"),
    (block("section", text=mrkdwn("x") | {"emoji": True}), "additional property: emoji"),
    (block("section", text=plain("x") | {"verbatim": True}), "additional property: verbatim"),
    (block("section", text=mrkdwn("x"), color="red"), "additional property: color"),
    (block("section", fields=[mrkdwn("x")] * 11), "no more than 10 items"),
    (block("section", fields=[]), "no fewer than 1 items"),
    (block("section", fields=[mrkdwn("x" * 2_001)]), "less than 2001 characters"),
    (block("section", text=mrkdwn("x"), accessory=TEXT_INPUT), "unsupported type"),
    (block("section", text=mrkdwn("x"), block_id="b" * 256), "less than 256 characters"),
    (block("header", text=plain("x" * 151)), "less than 151 characters"),
    (block("header", text=mrkdwn("x")), "unsupported type: mrkdwn"),
    (block("header"), "missing required field: text"),
    (block("divider", text=plain("x")), "additional property: text"),
    (block("image", image_url="https://a.example/i.png"), "missing required field: alt_text"),
    (block("image", image_url="x" * 3_001, alt_text="x"), "less than 3001 characters"),
    (block("image", **IMAGE | {"alt_text": "x" * 2_001}), "less than 2001 characters"),
    (block("image", **IMAGE, title=plain("x" * 2_001)), "less than 2001 characters"),
    (block("image", alt_text="x"), "exactly one of image_url, slack_file"),
    (block("context", elements=[mrkdwn("x")] * 11), "no more than 10 items"),
    (block("context", elements=[button()]), "unsupported type: button"),
    (actions(*[button(action_id=str(each)) for each in range(26)]), "no more than 25 items"),
    (actions(button(), button()), 'action_id` "a" already exists'),
    (actions(button(text=plain("x" * 76))), "less than 76 characters"),
    (actions(button(text=mrkdwn("x"))), "unsupported type: mrkdwn"),
    (actions(button(value="x" * 2_001)), "less than 2001 characters"),
    (actions(button(url="x" * 3_001)), "less than 3001 characters"),
    (actions(button(action_id="x" * 256)), "less than 256 characters"),
    (actions(button(accessibility_label="x" * 76)), "less than 76 characters"),
    (actions(button(style="green")), "must be one of primary, danger"),
    (actions(button(confirm=confirm(title=plain("x" * 101)))), "less than 101 characters"),
    (actions(button(confirm=confirm(text=plain("x" * 301)))), "less than 301 characters"),
    (actions(button(confirm=confirm(confirm=plain("x" * 31)))), "less than 31 characters"),
    (actions(button(confirm=confirm(deny=plain("x" * 31)))), "less than 31 characters"),
    (actions(TEXT_INPUT), "unsupported type: plain_text_input"),
    (actions(select(options=options(101))), "no more than 100 items"),
    (actions(select(options=[option(text=plain("x" * 76))])), "less than 76 characters"),
    (actions(select(options=[option(value="x" * 151)])), "less than 151 characters"),
    (actions(select(options=[option(), option()])), 'value` "1" already exists'),
    (actions(select(placeholder=plain("x" * 151))), "less than 151 characters"),
    (
        actions(select(option_groups=[{"label": plain("g"), "options": options(1)}])),
        "exactly one of options, option_groups",
    ),
    (actions(block("overflow", action_id="o", options=options(6))), "no more than 5 items"),
    (actions(block("radio_buttons", action_id="r", options=options(11))), "no more than 10 items"),
    (actions(block("checkboxes", action_id="c", options=options(11))), "no more than 10 items"),
    (block("context_actions", elements=[button()]), "unsupported type: button"),
    (
        block(
            "context_actions", elements=[block("icon_button", icon="trash", text=plain("x"))] * 6
        ),
        "no more than 5 items",
    ),
    (entry(button()), "unsupported type: button"),
    (entry(TEXT_INPUT | {"max_length": 3_001}), "between 1 and 3000"),
    (entry(TEXT_INPUT | {"placeholder": plain("x" * 151)}), "less than 151 characters"),
    (block("input", label=plain("x" * 2_001), element=TEXT_INPUT), "less than 2001 characters"),
    (entry(TEXT_INPUT, hint=plain("x" * 2_001)), "less than 2001 characters"),
    (line({"type": "text", "text": ""}), "more than 0 characters"),
    (line({"type": "text", "text": "x", "style": {"big": True}}), "additional property: big"),
    (line({"type": "mrkdwn", "text": "x"}), "unsupported type: mrkdwn"),
    (
        block(
            "rich_text",
            elements=[{"type": "rich_text_preformatted", "elements": [{"type": "user"}]}],
        ),
        "unsupported type: user",
    ),
    (block("markdown", text=""), "more than 0 characters"),
    (block("table", rows=[[{"type": "raw_text", "text": "x"}]] * 101), "no more than 100 items"),
    (block("table", rows=[[{"type": "raw_text", "text": "x"}] * 21]), "no more than 20 items"),
    (
        block("table", rows=[[{"type": "raw_text", "text": "x"}]], column_settings=[{}] * 21),
        "no more than 20 items",
    ),
    (
        block("table", rows=[[{"type": "raw_text", "text": "x" * 5_001}] * 2]),
        "less than 10001 characters in all",
    ),
    (TASK | {"status": "done"}, "must be one of pending"),
    (block("card"), "at least one of hero_image"),
    (CARD | {"body": plain("x" * 201)}, "less than 201 characters"),
    (block("carousel", elements=[CARD] * 11), "no more than 10 items"),
    (block("alert", text=plain("x")), "unsupported type: alert"),
    (block("marquee"), "unsupported type: marquee"),
    ({"text": "x"}, "missing required field: type"),
]


@pytest.mark.parametrize(("bad", "words"), BAD, ids=lambda each: str(each)[:60])
def test_a_block_beyond_a_limit_is_refused(bad: Json, words: str) -> None:
    faults = check_message_blocks([block("divider"), bad])

    assert len(faults) >= 1
    assert words in faults[0]
    assert "[json-pointer:/blocks/1" in faults[0]


def test_block_ids_are_unique_in_a_message() -> None:
    twice = [block("divider", block_id="x"), block("divider", block_id="x")]

    assert check_message_blocks(twice) == [
        '`block_id` "x" already exists [json-pointer:/blocks/1/block_id]'
    ]


def test_fifty_blocks_in_a_message() -> None:
    assert check_message_blocks([block("divider")] * 50) == []
    assert "no more than 50 items" in check_message_blocks([block("divider")] * 51)[0]


def modal(**fields: object) -> Json:
    return {"type": "modal", "title": plain("Title"), "blocks": [], **fields}


def home(**fields: object) -> Json:
    return {"type": "home", "blocks": [], **fields}


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (modal(title=plain("x" * 25)), "less than 25 characters"),
        (modal(submit=plain("x" * 25)), "less than 25 characters"),
        (modal(close=plain("x" * 25)), "less than 25 characters"),
        (modal(private_metadata="x" * 3_001), "less than 3001 characters"),
        (modal(callback_id="x" * 256), "less than 256 characters"),
        (modal(external_id="x" * 256), "less than 256 characters"),
        (modal(blocks=[block("divider")] * 101), "no more than 100 items"),
        (modal(blocks=[entry(TEXT_INPUT)]), "missing required field: submit"),
        (modal(blocks=[block("markdown", text="x")]), "unsupported type: markdown"),
        (modal(blocks=[block("context_actions", elements=[])]), "unsupported type"),
        (modal(notify_on_close="yes"), "must be a boolean"),
        (modal(footer="x"), "additional property: footer"),
        ({"type": "modal", "blocks": []}, "missing required field: title"),
        (home(), "value must be one of modal"),
        ({"type": "modal", "title": plain("x")}, "missing required field: blocks"),
    ],
    ids=lambda each: str(each)[:60],
)
def test_a_bad_modal_is_refused(view: Json, words: str) -> None:
    assert any(words in fault for fault in check_view(view, "modal"))


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (home(title=plain("x")), "additional property: title"),
        (home(blocks=[block("divider")] * 101), "no more than 100 items"),
        (home(blocks=[block("table", rows=[])]), "unsupported type: table"),
        (modal(), "value must be one of home"),
    ],
    ids=lambda each: str(each)[:60],
)
def test_a_bad_home_tab_is_refused(view: Json, words: str) -> None:
    assert any(words in fault for fault in check_view(view, "home"))


def test_a_modal_and_a_home_tab_at_their_limits() -> None:
    full = modal(
        title=plain("x" * 24),
        submit=plain("x" * 24),
        private_metadata="x" * 3_000,
        blocks=[entry(TEXT_INPUT), block("alert", text=plain("x"), level="warning")],
    )

    assert check_view(full, "modal") == []
    assert check_view(home(blocks=[block("divider")] * 100), "home") == []
