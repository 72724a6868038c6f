"""views.*: modals and Home tabs."""

from bot.localslack import render
from bot.localslack.errors import SlackError, refuse_with
from bot.localslack.model import Json, View
from bot.localslack.viewing import Gallery
from bot.localslack.webapi.registry import Call, method

_OPEN = {"trigger_id": "string!", "view": "json!"}


def _gallery(call: Call) -> Gallery:
    assert call.services is not None
    return call.services.gallery


def _show(call: Call, view: View) -> Json:
    return {"view": render.show_view(view, call.app)}


@method("views.open", _OPEN, tier="4")
def open_view(call: Call) -> Json:
    """Open a modal in answer to a person's act."""
    assert call.services is not None
    trigger = call.services.use_trigger(str(call.args["trigger_id"]), call.app)
    view = _gallery(call).open(call.app.id, trigger.team_id, trigger.user, call.args["view"])
    return _show(call, view)


@method("views.push", _OPEN, tier="4")
def push_view(call: Call) -> Json:
    """Lay a modal over the one that the person acted in."""
    assert call.services is not None
    trigger = call.services.use_trigger(str(call.args["trigger_id"]), call.app)
    view = _gallery(call).push(call.app.id, trigger.team_id, trigger.user, call.args["view"])
    return _show(call, view)


@method(
    "views.update",
    {"view": "json!", "view_id": "string", "external_id": "string", "hash": "string"},
    tier="4",
)
def update_view(call: Call) -> Json:
    """Replace an open view."""
    view_id, external_id = call.args.get("view_id"), call.args.get("external_id")
    if not view_id and not external_id:
        raise refuse_with("invalid_arguments", ["missing required field: view_id"])
    view = _gallery(call).find(call.app.id, view_id, external_id)
    _check_hash(call, view)
    _gallery(call).update(view, call.args["view"])
    return _show(call, view)


@method("views.publish", {"user_id": "string!", "view": "json!", "hash": "string"}, tier="4")
def publish_view(call: Call) -> Json:
    """Show the app's Home tab to a person."""
    user = call.world.users.get(str(call.args["user_id"]))
    if user is None or user.team_id != call.installation.team_id or user.is_bot:
        raise SlackError("invalid_arguments")
    gallery = _gallery(call)
    shown = gallery.homes.get((call.app.id, user.id))
    if shown is not None:
        _check_hash(call, shown)
    view = gallery.publish(call.app.id, user.team_id, user.id, call.args["view"])
    return _show(call, view)


def _check_hash(call: Call, view: View) -> None:
    if call.args.get("hash", view.hash) != view.hash:
        raise SlackError("hash_conflict")
