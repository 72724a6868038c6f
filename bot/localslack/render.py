"""Records as the JSON objects that Slack shows for them."""

from bot.localslack.model import SLACKBOT, App, Channel, File, Json, Message, Team, User, View
from bot.localslack.world import World


def show_message(world: World, message: Message) -> Json:
    """Return a message as it stands inside events: no channel, no type."""
    author = _show_author(message) | {"ts": message.ts, "text": message.text}
    thread = _show_thread(world, message)
    content: Json = {
        "edited": message.edited,
        "blocks": message.blocks,
        "attachments": message.attachments,
        "metadata": message.metadata,
        "inviter": message.inviter,
    }
    shown = {key: value for key, value in content.items() if value is not None}
    if message.files:
        shown |= _show_upload(world, message)
    if message.bot_id and message.user and message.app_id:
        shown["bot_profile"] = show_bot_profile(world, message)
    return author | thread | shown


def show_inner(world: World, message: Message) -> Json:
    """Return a message as it stands below `message` and `previous_message`."""
    return {"type": "message"} | show_message(world, message)


def show_summary(world: World, message: Message) -> Json:
    """Return what a parent tells of its thread; empty for a message without replies."""
    replies = [each for each in world.thread(message.channel, message.ts) if each is not message]
    if not replies:
        return {}
    users = list(dict.fromkeys(each.user or each.bot_id or "" for each in replies))
    return {
        "reply_count": len(replies),
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts,
        "reply_users": users,
        "is_locked": False,
    }


def show_stored(world: World, message: Message, *, metadata: bool = False) -> Json:
    """Return a message as conversations.history and conversations.replies show it."""
    shown = show_inner(world, message) | show_summary(world, message)
    if message.subtype == "thread_broadcast":
        shown["root"] = show_root(world, message)
    if message.reactions:
        shown["reactions"] = show_reactions(message)
    if not metadata:
        shown.pop("metadata", None)
    return shown


def show_root(world: World, message: Message) -> Json:
    """Return the parent of a reply, with its summary."""
    parent = world.message(message.channel, message.thread_ts or message.ts)
    return show_inner(world, parent) | show_summary(world, parent) | {"subscribed": False}


def show_reactions(message: Message) -> list[Json]:
    """Return the reactions of a message with their counts."""
    return [
        {"name": each.name, "users": list(each.users), "count": len(each.users)}
        for each in message.reactions
    ]


def _show_author(message: Message) -> Json:
    fields: Json = {
        "subtype": message.subtype,
        "user": message.user,
        "username": message.username,
        "icons": message.icons,
        "bot_id": message.bot_id,
        "app_id": message.app_id,
        "client_msg_id": message.client_msg_id,
        "team": message.team_id if message.subtype in {None, "tombstone"} else None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _show_thread(world: World, message: Message) -> Json:
    if message.thread_ts is None:
        return {}
    if not message.is_reply:
        replies = len(world.thread(message.channel, message.ts)) - 1
        return {"thread_ts": message.thread_ts, "reply_count": replies}
    parent = world.messages[message.channel].get(message.thread_ts)
    shown = {"thread_ts": message.thread_ts}
    if parent and parent.user and message.subtype != "thread_broadcast":
        shown["parent_user_id"] = parent.user
    return shown


def _show_upload(world: World, message: Message) -> Json:
    files = [show_file(world, world.files[each]) for each in message.files]
    return {"files": files, "upload": False, "display_as_bot": False}


def show_bot_profile(world: World, message: Message) -> Json:
    """Return the card of the bot behind a message."""
    app = world.apps.get(message.app_id or "")
    user = world.users.get(message.user or "")
    return {
        "id": message.bot_id,
        "deleted": False,
        "name": app.name if app else user.name if user else "",
        "updated": user.created if user else 0,
        "app_id": message.app_id,
        "icons": {},
        "team_id": message.team_id,
    }


def show_file(world: World, file: File) -> Json:
    """Return a file object; a tombstone once deleted, only an address for a shared stranger's."""
    if file.deleted:
        return {"id": file.id, "mode": "tombstone"}
    if file.access == "check_file_info":
        return _show_foreign_file(file)
    shown = show_whole_file(world, file)
    if file.mode == "snippet":
        shown |= _show_preview(file, shown["permalink"])
    return shown


def _show_foreign_file(file: File) -> Json:
    return {
        "id": file.id,
        "created": 0,
        "timestamp": 0,
        "mode": "file_access",
        "user": file.user,
        "file_access": "check_file_info",
    }


def show_whole_file(world: World, file: File) -> Json:
    """Every field of a file that its own workspace may see."""
    private = f"{world.origin}/files-pri/{file.team_id}-{file.id}"
    return {
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title,
        "mimetype": file.mimetype,
        "filetype": file.filetype,
        "pretty_type": "Plain Text" if file.filetype == "text" else file.filetype.title(),
        "user": file.user,
        "user_team": file.team_id,
        "editable": file.mode == "snippet",
        "size": len(file.content),
        "mode": file.mode,
        "is_external": False,
        "external_type": "",
        "is_public": any(world.channels[each].kind == "channel" for each in file.channels),
        "public_url_shared": False,
        "display_as_bot": False,
        "username": "",
        "url_private": f"{private}/{file.name}",
        "url_private_download": f"{private}/download/{file.name}",
        "permalink": f"{world.origin}/files/{file.user}/{file.id}/{file.name}",
        "permalink_public": f"{world.origin}/files-pub/{file.team_id}-{file.id}",
        "has_rich_preview": False,
        "file_access": file.access,
    }


def _show_preview(file: File, permalink: str) -> Json:
    lines = file.content.decode(errors="replace").splitlines()
    shown = lines[:1]
    return {
        "edit_link": f"{permalink}/edit",
        "preview": "\n".join(shown)[:1000],
        "preview_highlight": '<div class="CodeMirror">...</div>',
        "lines": len(lines),
        "lines_more": max(len(lines) - len(shown), 0),
        "preview_is_truncated": len(lines) > len(shown),
    }


def show_user(user: User, viewer_team: str) -> Json:
    """Return a user object; a stranger of Slack Connect shows no more than a name."""
    profile: Json = {"real_name": user.real_name, "display_name": user.name, "team": user.team_id}
    shown: Json = {
        "id": user.id,
        "team_id": user.team_id,
        "name": user.name,
        "deleted": user.deleted,
        "real_name": user.real_name,
        "profile": profile,
        "is_bot": user.is_bot,
        "is_app_user": False,
        "updated": user.created,
    }
    if user.team_id != viewer_team:
        return shown | {"is_stranger": True}
    if user.is_bot:
        profile |= {"bot_id": user.bot_id, "api_app_id": user.app_id}
    return shown | {
        "tz": "Etc/UTC",
        "tz_label": "Coordinated Universal Time",
        "tz_offset": 0,
        "is_admin": user.is_admin,
        "is_owner": user.is_admin,
        "is_primary_owner": False,
        "is_restricted": user.is_guest,
        "is_ultra_restricted": False,
    }


def show_channel(channel: Channel, viewer: str) -> Json:
    """Return a conversation object as one of its viewers sees it."""
    shown: Json = {
        "id": channel.id,
        "created": channel.created,
        "creator": channel.creator,
        "is_archived": channel.archived,
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "group",
        "is_im": channel.kind == "im",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "channel",
        "is_general": False,
        "is_shared": bool(channel.shared_with),
        "is_ext_shared": bool(channel.shared_with),
        "is_org_shared": False,
        "is_pending_ext_shared": False,
        "context_team_id": channel.team_id,
        "shared_team_ids": [channel.team_id, *channel.shared_with],
    }
    if channel.kind == "im":
        others = [each for each in channel.members if each != viewer]
        return shown | {"user": others[0] if others else viewer, "is_open": True}
    topic: Json = {"value": channel.topic, "creator": "", "last_set": 0}
    purpose: Json = {"value": "", "creator": "", "last_set": 0}
    names: Json = {"name": channel.name, "name_normalized": channel.name}
    return (
        shown
        | names
        | {
            "is_member": viewer in channel.members,
            "topic": topic,
            "purpose": purpose,
            "num_members": len(channel.members),
        }
    )


def show_view(view: View, app: App) -> Json:
    """Return a view object with its state, as events and answers carry it."""
    installation = app.installations[view.team_id]
    defaults: Json = {
        "private_metadata": "",
        "callback_id": "",
        "title": {"type": "plain_text", "text": "View Title", "emoji": True},
        "clear_on_close": False,
        "notify_on_close": False,
        "close": None,
        "submit": None,
        "external_id": "",
    }
    return (
        {"id": view.id, "team_id": view.team_id}
        | defaults
        | view.body
        | {
            "state": {"values": view.values},
            "hash": view.hash,
            "previous_view_id": view.previous_id,
            "root_view_id": view.root_id,
            "app_id": view.app_id,
            "app_installed_team_id": view.team_id,
            "bot_id": installation.bot_id,
        }
    )


def show_team(team: Team) -> Json:
    """Return a workspace object."""
    shown: Json = {"id": team.id, "name": team.name, "domain": team.domain, "icon": {}}
    if team.enterprise_id:
        shown |= {"enterprise_id": team.enterprise_id, "enterprise_name": team.enterprise_name}
    return shown


def show_tombstone(world: World, message: Message) -> Json:
    """Return what remains of a deleted parent while it has replies."""
    rest: Json = {
        "type": "message",
        "subtype": "tombstone",
        "text": "This message was deleted.",
        "user": SLACKBOT,
        "hidden": True,
        "team": message.team_id,
        "thread_ts": message.ts,
    }
    return rest | show_summary(world, message) | {"ts": message.ts}
