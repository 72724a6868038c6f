"""files.*: looking files up and uploading them in two steps."""

from bot.localslack import acts, render
from bot.localslack.errors import SlackError
from bot.localslack.model import Json, Message
from bot.localslack.webapi.registry import Call, method


@method(
    "files.info",
    {"file": "string!", "count": "integer", "cursor": "string", "limit": "integer"},
    scope="files:read",
    tier="4",
)
def info(call: Call) -> Json:
    """Return a file that the bot may see, whole even where an event showed only its id."""
    file = call.world.files.get(str(call.args["file"]))
    if file is None:
        raise SlackError("file_not_found")
    if file.deleted:
        raise SlackError("file_deleted")
    channels = [call.world.channels[each] for each in file.channels]
    is_shared = any(call.is_member(each) for each in channels)
    if not is_shared and file.user != call.bot.id and call.app.id not in file.given_to:
        raise SlackError("file_not_found")
    shown = render.show_whole_file(call.world, file) | {"file_access": "visible"}
    kinds = {"channels": {"channel"}, "groups": {"group", "mpim"}, "ims": {"im"}}
    for name, those in kinds.items():
        shown[name] = [each.id for each in channels if each.kind in those]
    shares = {channel: [{"ts": ts} for ts in all_ts] for channel, all_ts in file.shares.items()}
    shown["shares"] = {"public": shares}
    return {"file": shown, "comments": [], "response_metadata": {"next_cursor": ""}}


@method(
    "files.getUploadURLExternal",
    {
        "filename": "string!",
        "length": "integer!",
        "alt_txt": "string",
        "snippet_type": "string",
    },
    scope="files:write",
    tier="4",
)
def get_upload_url(call: Call) -> Json:
    """Return an address to post the bytes of a file to."""
    assert call.services is not None
    return call.services.start_upload(call)


@method(
    "files.completeUploadExternal",
    {
        "files": "json!",
        "channel_id": "string",
        "channels": "list",
        "initial_comment": "text",
        "thread_ts": "timestamp",
        "blocks": "json",
    },
    scope="files:write",
    tier="4",
)
def complete_upload(call: Call) -> Json:
    """Share uploaded files; the answer carries no message ts."""
    assert call.services is not None
    entries = call.args["files"]
    if not isinstance(entries, list) or not entries:
        raise SlackError("invalid_arguments")
    if not all(isinstance(each, dict) and "id" in each for each in entries):
        raise SlackError("invalid_arguments")
    channel = call.joined_channel("channel_id") if "channel_id" in call.args else None
    files = [call.services.finish_upload(str(each["id"]), each.get("title")) for each in entries]
    if channel is not None:
        message = Message(
            channel.id,
            call.installation.team_id,
            call.world.stamp(),
            str(call.args.get("initial_comment", "")),
            call.bot.id,
            "file_share",
            bot_id=call.installation.bot_id,
            app_id=call.app.id,
            files=[each.id for each in files],
            thread_ts=call.args.get("thread_ts"),
        )
        for file in files:
            acts.share_file(file, channel, message.ts)
        acts.publish(call.world, message)
    return {"files": [render.show_whole_file(call.world, each) for each in files]}
