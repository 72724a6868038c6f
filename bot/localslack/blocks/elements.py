"""Block elements, and which of them each kind of block may hold.

Limits: docs.slack.dev/reference/block-kit/block-elements
"""

from bot.localslack.blocks.composition import (
    CONFIRM,
    DISPATCH,
    FILTER,
    IDENTIFIER,
    IMAGE,
    MARKED_OPTION,
    OPTION,
    OPTION_GROUPS,
    OPTIONS,
    OVERFLOW_OPTION,
    URL,
    plain,
)
from bot.localslack.blocks.rules import (
    Check,
    array,
    boolean,
    choice,
    exactly_one,
    integer,
    shape,
    string,
)

TEXT_INPUT_MAX = 3_000
_ID = {"action_id": IDENTIFIER}
_FOCUS = {"focus_on_load": boolean}
_PLACEHOLDER = {"placeholder": plain(150)}
_MENU: dict[str, Check] = _ID | _FOCUS | _PLACEHOLDER | {"confirm": CONFIRM}
_MANY: dict[str, Check] = {"max_selected_items": integer(1, 100)}
_WORD = string(255)
_WORDS = array(_WORD, 100)
_STYLE = choice("primary", "danger")
_ONE_SOURCE = exactly_one("options", "option_groups")
_SOURCE: dict[str, Check] = {"options": OPTIONS, "option_groups": OPTION_GROUPS}
_FEEDBACK = shape({"text!": plain(75), "value!": string(2_000), "accessibility_label": string(75)})
_MARKED = array(MARKED_OPTION, 10)
_QUERY: dict[str, Check] = {"min_query_length": integer(0, 100)}

BUTTON = shape(
    _ID
    | {
        "text!": plain(75),
        "url": URL,
        "value": string(2_000),
        "style": _STYLE,
        "confirm": CONFIRM,
        "accessibility_label": string(75),
    }
)

_SELECTS: dict[str, Check] = {
    "static_select": shape(_MENU | _SOURCE | {"initial_option": OPTION}, _ONE_SOURCE),
    "external_select": shape(_MENU | _QUERY | {"initial_option": OPTION}),
    "users_select": shape(_MENU | {"initial_user": _WORD}),
    "conversations_select": shape(
        _MENU
        | {
            "initial_conversation": _WORD,
            "default_to_current_conversation": boolean,
            "response_url_enabled": boolean,
            "filter": FILTER,
        }
    ),
    "channels_select": shape(_MENU | {"initial_channel": _WORD, "response_url_enabled": boolean}),
}
_MULTI_SELECTS: dict[str, Check] = {
    "multi_static_select": shape(
        _MENU | _MANY | _SOURCE | {"initial_options": array(OPTION, 100)}, _ONE_SOURCE
    ),
    "multi_external_select": shape(
        _MENU | _MANY | _QUERY | {"initial_options": array(OPTION, 100)}
    ),
    "multi_users_select": shape(_MENU | _MANY | {"initial_users": _WORDS}),
    "multi_conversations_select": shape(
        _MENU
        | _MANY
        | {
            "initial_conversations": _WORDS,
            "default_to_current_conversation": boolean,
            "filter": FILTER,
        }
    ),
    "multi_channels_select": shape(_MENU | _MANY | {"initial_channels": _WORDS}),
}
_PICKERS: dict[str, Check] = {
    "datepicker": shape(_MENU | {"initial_date": string(10, 10)}),
    "timepicker": shape(_MENU | {"initial_time": string(5, 5), "timezone": _WORD}),
    "checkboxes": shape(
        _ID | _FOCUS | {"options!": _MARKED, "initial_options": _MARKED, "confirm": CONFIRM}
    ),
    "radio_buttons": shape(
        _ID | _FOCUS | {"options!": _MARKED, "initial_option": MARKED_OPTION, "confirm": CONFIRM}
    ),
}
_DATETIME: dict[str, Check] = {
    "datetimepicker": shape(
        _ID | _FOCUS | {"initial_date_time": integer(0, 9_999_999_999), "confirm": CONFIRM}
    )
}
_PRESSED: dict[str, Check] = {
    "button": BUTTON,
    "overflow": shape(_ID | {"options!": array(OVERFLOW_OPTION, 5), "confirm": CONFIRM}),
}
_TYPED: dict[str, Check] = _ID | _FOCUS | _PLACEHOLDER | {"dispatch_action_config": DISPATCH}
_INPUTS: dict[str, Check] = {
    "plain_text_input": shape(
        _TYPED
        | {
            "initial_value": string(TEXT_INPUT_MAX, 0),
            "multiline": boolean,
            "min_length": integer(0, TEXT_INPUT_MAX),
            "max_length": integer(1, TEXT_INPUT_MAX),
        }
    ),
    "email_text_input": shape(_TYPED | {"initial_value": string(TEXT_INPUT_MAX, 0)}),
    "url_text_input": shape(_TYPED | {"initial_value": string(TEXT_INPUT_MAX, 0)}),
    "number_input": shape(
        _TYPED
        | {
            "is_decimal_allowed!": boolean,
            "initial_value": _WORD,
            "min_value": _WORD,
            "max_value": _WORD,
        }
    ),
    "rich_text_input": shape(
        _TYPED
        | {
            "initial_value": shape({"elements!": array(lambda *_: iter(()), 1_000)}),
            "min_lines": integer(1, 100),
            "max_lines": integer(1, 100),
        }
    ),
    "file_input": shape(_ID | {"filetypes": array(string(50), 100), "max_files": integer(1, 10)}),
}

IN_SECTION = _PRESSED | _SELECTS | _MULTI_SELECTS | _PICKERS | {"image": IMAGE}
IN_ACTIONS = _PRESSED | _SELECTS | _PICKERS | _DATETIME
IN_INPUT = _SELECTS | _MULTI_SELECTS | _PICKERS | _DATETIME | _INPUTS
IN_CONTEXT_ACTIONS: dict[str, Check] = {
    "feedback_buttons": shape(_ID | {"positive_button!": _FEEDBACK, "negative_button!": _FEEDBACK}),
    "icon_button": shape(
        _ID
        | {
            "icon!": choice("trash"),
            "text!": plain(75),
            "value": string(2_000),
            "accessibility_label": string(75),
            "confirm": CONFIRM,
            "visible_to_user_ids": _WORDS,
        }
    ),
}
