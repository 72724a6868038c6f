"""Clicks and modals: finding the element, building its action, carrying out the answer."""

from bot.localslack import payloads
from bot.localslack.consent import query_of
from bot.localslack.delivery import Delivery
from bot.localslack.elements import (
    build_action,
    collect_state,
    files_in,
    find_element,
    response_channels,
)
from bot.localslack.errors import SlackError
from bot.localslack.model import App, Json, Message, User, View
from bot.localslack.people import People


class Interact(People):
    """Buttons, selects, modals and Home tabs."""

    async def click(
        self,
        user: User,
        target: Message | View,
        action_id: str,
        value: str | list[str] | None = None,
        *,
        values: Json | None = None,
    ) -> Delivery:
        """Use an element of a message or view: press a button, choose an option by its value.

        `value` tells apart buttons that share an action id, and names what is chosen in a
        select; `values` is what inputs of the same message hold.
        """
        element, block_id = find_element(_blocks_of(target), action_id, value)
        action = build_action(element, block_id, value, self.world.stamp())
        if isinstance(target, View):
            app = self.world.apps[target.app_id]
            return await self._interact(
                app, payloads.view_action(self.passes, app, user, target, action)
            )
        app = self._owner(target)
        body = payloads.message_action(
            self.passes, app, user, target, values=values or {}, action=action
        )
        return await self._interact(app, body)

    def _owner(self, message: Message) -> App:
        app = self.world.apps.get(message.app_id or "")
        if app is None:
            raise LookupError("the message is no app's")
        return app

    def consent_to(self, url: str, user: User) -> str:
        """Allow what an app's authorize address asks for; returns where the browser goes next."""
        return self.consent.allow(query_of(url), user)

    def modal(self, user: User) -> View | None:
        """Return the modal on top for a person."""
        stack = self.gallery.stacks[user.id]
        return stack[-1] if stack else None

    def home(self, user: User, app: App | None = None) -> View | None:
        """Return the Home tab that an app shows to a person."""
        target = app or next(iter(self.world.apps.values()))
        return self.gallery.homes.get((target.id, user.id))

    async def submit(self, user: User, view: View, typed: Json | None = None) -> Delivery:
        """Submit a modal with `{block_id: {action_id: value}}`, and follow the app's answer."""
        view.values = collect_state(self.world, view.body["blocks"], typed or {})
        app = self.world.apps[view.app_id]
        for file in files_in(view.values):
            self.world.files[file].given_to.add(app.id)
        urls = self._response_urls(app, user, view)
        body = payloads.view_submission(self.passes, app, user, view, urls)
        delivery = await self._interact(app, body)
        if delivery.acknowledged:
            self._follow(view, delivery.answer.body if delivery.answer else None)
        return delivery

    def _response_urls(self, app: App, user: User, view: View) -> list[Json]:
        urls: list[Json] = []
        for block_id, action_id, channel in response_channels(view):
            installation = app.installations[view.team_id]
            url = self.passes.respond_url("app", app, installation, channel=channel, user=user.id)
            entry = {"block_id": block_id, "action_id": action_id, "channel_id": channel}
            urls.append(entry | {"response_url": url})
        return urls

    def _follow(self, view: View, answer: Json | str | None) -> None:
        action = answer.get("response_action") if isinstance(answer, dict) else None
        if action is None:
            self.gallery.close(view)
            return
        assert isinstance(answer, dict)
        if action == "errors":
            self.gallery.show_errors(view, _check_errors(view, answer.get("errors")))
        elif action == "update":
            self.gallery.update(view, answer["view"])
        elif action == "push":
            self.gallery.push(view.app_id, view.team_id, view.user, answer["view"])
        elif action == "clear":
            self.gallery.close(view, everything=True)
        else:
            raise SlackError("invalid_arguments")

    async def close_modal(self, user: User, view: View, *, everything: bool = False) -> None:
        """Close a modal without submitting it; the app hears of it where it asked to."""
        app = self.world.apps[view.app_id]
        wants = [view, *self.gallery.stacks[user.id]] if everything else [view]
        self.gallery.close(view, everything=everything)
        for each in dict.fromkeys(each.id for each in wants):
            closed = self.world.views[each]
            if closed.body.get("notify_on_close"):
                body = payloads.view_closed(self.passes, app, user, closed, cleared=everything)
                await self._interact(app, body)


def _check_errors(view: View, errors: object) -> dict[str, str]:
    """Return the errors; raises where one is for no input block of the view."""
    inputs = {each["block_id"] for each in view.body["blocks"] if each["type"] == "input"}
    if not isinstance(errors, dict) or not errors or not errors.keys() <= inputs:
        raise SlackError("invalid_arguments")
    return errors


def _blocks_of(target: Message | View) -> list[Json]:
    if isinstance(target, View):
        blocks: list[Json] = target.body["blocks"]
        return blocks
    nested = [each.get("blocks", []) for each in target.attachments or []]
    return [*(target.blocks or []), *(block for blocks in nested for block in blocks)]
