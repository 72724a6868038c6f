"""What a message may hold: the limits on text, blocks, attachments and metadata."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.localslack.blocks.surfaces import check_message_blocks
from bot.localslack.errors import SlackError, refuse_with
from bot.localslack.model import Json
from bot.localslack.normalise import normalise_blocks, normalise_text
from bot.localslack.world import World

SPLIT_AT = 4_000
TRUNCATE_AT = 40_000
MARKDOWN_MAX = 12_000
# Measured by users at about 13,200 characters with their containers (slackapi/bolt-js#2509).
BLOCKS_MAX = 13_200
ATTACHMENTS_MAX = 100
FOOTER_MAX = 300
METADATA_MAX = 8_000

_ATTACHMENT_FIELDS = frozenset(
    [
        "actions",
        "attachment_type",
        "author_icon",
        "author_link",
        "author_name",
        "blocks",
        "callback_id",
        "color",
        "fallback",
        "fields",
        "footer",
        "footer_icon",
        "id",
        "image_url",
        "mrkdwn_in",
        "pretext",
        "text",
        "thumb_url",
        "title",
        "title_link",
        "ts",
    ]
)
CONTENT = {
    "text": "text",
    "blocks": "json",
    "attachments": "json",
    "markdown_text": "text",
    "metadata": "json",
    "unfurl_links": "boolean",
    "unfurl_media": "boolean",
    "mrkdwn": "boolean",
    "parse": "string",
    "link_names": "boolean",
    "as_user": "boolean",
}


@dataclass(frozen=True, slots=True)
class Content:
    """Checked content, as Slack stores it; None where the call says nothing of a part."""

    text: str | None
    blocks: list[Json] | None
    attachments: list[Json] | None
    metadata: Json | None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that could be shown."""
        return not (self.text or "").strip() and not self.blocks and not self.attachments


def read_content(world: World, args: Json) -> Content:
    """Check and normalise the content arguments; raises Slack's error for each limit."""
    text = args.get("text")
    blocks = _read_blocks(args.get("blocks"))
    if "markdown_text" in args:
        text = _read_markdown(args)
    return Content(
        None if text is None else normalise_text(str(text)),
        None if blocks is None else normalise_blocks(world, blocks),
        _read_attachments(world, args.get("attachments")),
        _read_metadata(args.get("metadata")),
    )


def _read_markdown(args: Json) -> str:
    if args.get("text") or args.get("blocks"):
        raise SlackError("markdown_text_conflict")
    text = str(args["markdown_text"])
    if len(text) > MARKDOWN_MAX:
        raise SlackError("msg_too_long")
    return text


def _read_blocks(blocks: object) -> list[Json] | None:
    if blocks is None:
        return None
    if not isinstance(blocks, list):
        raise SlackError("invalid_blocks_format")
    faults = check_message_blocks(blocks)
    if faults:
        raise refuse_with("invalid_blocks", faults)
    if sum(map(_markdown_length, blocks)) > MARKDOWN_MAX:
        raise SlackError("msg_too_long")
    if len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))) > BLOCKS_MAX:
        raise SlackError("msg_blocks_too_long")
    return blocks


def _markdown_length(block: Json) -> int:
    return len(block["text"]) if block["type"] == "markdown" else 0


def _read_attachments(world: World, attachments: object) -> list[Json] | None:
    if attachments is None:
        return None
    if not isinstance(attachments, list) or not all(isinstance(each, dict) for each in attachments):
        raise SlackError("invalid_attachments")
    if len(attachments) > ATTACHMENTS_MAX:
        raise SlackError("too_many_attachments")
    faults = [
        fault
        for number, attachment in enumerate(attachments)
        for fault in _attachment_faults(attachment, f"/attachments/{number}")
    ]
    if faults:
        raise refuse_with("invalid_attachments", faults)
    return [_store_attachment(world, each, number) for number, each in enumerate(attachments, 1)]


def _attachment_faults(attachment: Json, pointer: str) -> Iterator[str]:
    for name in attachment.keys() - _ATTACHMENT_FIELDS:
        yield f"unknown field: {name} [json-pointer:{pointer}]"
    if len(str(attachment.get("footer", ""))) > FOOTER_MAX:
        yield f"must be less than {FOOTER_MAX + 1} characters [json-pointer:{pointer}/footer]"
    if "blocks" in attachment:
        nested = attachment["blocks"]
        if isinstance(nested, list):
            yield from check_message_blocks(nested, f"{pointer}/blocks")
        else:
            yield f"must be an array [json-pointer:{pointer}/blocks]"


def _store_attachment(world: World, attachment: Json, number: int) -> Json:
    stored: Json = {"id": number} | attachment
    for key in ("text", "pretext", "title"):
        if key in stored:
            stored[key] = normalise_text(str(stored[key]))
    if "blocks" in stored:
        stored["blocks"] = normalise_blocks(world, stored["blocks"])
        stored.setdefault("fallback", "[no preview available]")
    stored.setdefault("fallback", str(stored.get("title") or stored.get("text") or ""))
    return stored


def _read_metadata(metadata: object) -> Json | None:
    if metadata is None:
        return None
    if not isinstance(metadata, dict):
        raise SlackError("invalid_metadata_format")
    if not metadata:
        return {}
    payload = metadata.get("event_payload")
    if metadata.keys() - {"event_type", "event_payload", "entities"} or not isinstance(
        payload, dict
    ):
        raise SlackError("invalid_metadata_schema")
    if not isinstance(metadata.get("event_type"), str) or not metadata["event_type"]:
        raise SlackError("invalid_metadata_schema")
    if any(isinstance(value, dict | list) for value in payload.values()):
        raise SlackError("invalid_metadata_schema")
    if len(json.dumps(metadata, ensure_ascii=False)) > METADATA_MAX:
        raise SlackError("metadata_too_large")
    return metadata


def split_text(text: str) -> list[str]:
    """Return the messages that Slack makes of a long text: cut off at 40,000, then in pieces of 4,000."""
    kept = text[:TRUNCATE_AT]
    return re.findall(rf"(?s).{{1,{SPLIT_AT}}}", kept) or [""]
