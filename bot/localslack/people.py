"""What a person does in a workspace: each act changes it and tells the apps."""

from bot.localslack import acts, payloads, render
from bot.localslack.delivery import Delivery
from bot.localslack.errors import SlackError
from bot.localslack.model import SLACKBOT, App, Channel, File, Json, Message, User
from bot.localslack.passes import ResponseUrl
from bot.localslack.respond import respond
from bot.localslack.stage import Stage
from bot.localslack.world import Occurrence


class People(Stage):
    """Posts, reactions, files, commands and shortcuts."""

    async def post(
        self,
        user: User,
        channel: Channel,
        text: str,
        *,
        thread: Message | None = None,
        broadcast: bool = False,
        files: list[File] | None = None,
    ) -> Message:
        """Type a message; a thread is named by any of its messages."""
        self._check_member(user, channel)
        root = _root_of(thread)
        message = acts.typed_message(
            self.world, user, channel, text, thread=root, files=files or []
        )
        if broadcast and message.is_reply:
            message.subtype = "thread_broadcast"
        acts.publish(self.world, message)
        for file in files or []:
            self._tell_shared(user, channel, file)
        return message

    def _check_member(self, user: User, channel: Channel) -> None:
        if user.id not in channel.members:
            raise SlackError("not_in_channel")
        if channel.archived:
            raise SlackError("is_archived")

    def _tell_shared(self, user: User, channel: Channel, file: File) -> None:
        event: Json = {"type": "file_shared", "file_id": file.id, "user_id": user.id}
        event |= {"file": {"id": file.id}, "channel_id": channel.id}
        event["event_ts"] = self.world.stamp()
        self.world.tell(Occurrence(event, channel.team_id, channel.id))

    async def upload(
        self,
        user: User,
        channel: Channel,
        name: str,
        content: str | bytes,
        *,
        comment: str = "",
        thread: Message | None = None,
    ) -> Message:
        """Share a file or snippet, with or without a comment."""
        raw = content.encode() if isinstance(content, str) else content
        file = self.workshop.make_file(user.team_id, user.id, name, raw)
        return await self.post(user, channel, comment, thread=thread, files=[file])

    async def post_bot(
        self,
        bot: User,
        channel: Channel,
        text: str = "",
        *,
        blocks: list[Json] | None = None,
        attachments: list[Json] | None = None,
        webhook: bool = False,
        thread: Message | None = None,
    ) -> Message:
        """Post as somebody else's bot; an incoming webhook's post carries no user."""
        message = Message(channel.id, bot.team_id, self.world.stamp(), text, bot_id=bot.bot_id)
        message.blocks, message.attachments = blocks, attachments
        message.thread_ts = _root_of(thread)
        if webhook:
            message.subtype, message.username = "bot_message", bot.name
        else:
            message.user, message.app_id = bot.id, bot.app_id
        return acts.publish(self.world, message)

    async def edit(self, message: Message, text: str) -> None:
        """Change one's own message."""
        acts.retype(self.world, message, text)

    async def unfurl(self, message: Message, attachments: list[Json]) -> None:
        """Let Slack add link previews to a message."""
        acts.unfurl(self.world, message, attachments)

    async def delete(self, message: Message) -> None:
        """Delete a message; a parent with replies leaves a tombstone."""
        acts.delete(self.world, message)

    async def react(self, user: User, message: Message, emoji: str) -> None:
        """Add a reaction, by its name or an alias, with or without a skin tone."""
        acts.react(self.world, user.id, message, emoji)

    async def unreact(self, user: User, message: Message, emoji: str) -> None:
        """Take a reaction back."""
        acts.unreact(self.world, user.id, message, emoji)

    async def command(
        self, user: User, channel: Channel, command: str, text: str = "", *, app: App | None = None
    ) -> Delivery:
        """Run a slash command and return once it is acknowledged or has failed."""
        target = app or self._app_with(channel.team_id, command)
        fields = payloads.slash_command(
            self.passes, target, user, channel, command=command, text=text
        )
        delivery = self.dispatcher.send(target, "slash_commands", fields)
        await delivery.done.wait()
        if delivery.acknowledged:
            self._show_answer(delivery, target, user, channel)
        else:
            self._whisper_failure(user, channel, command, delivery)
        return delivery

    def _app_with(self, team_id: str, command: str) -> App:
        # Command names are not namespaced: the app installed last wins.
        for app in reversed(list(self.world.apps.values())):
            if command in app.commands and team_id in app.installations:
                return app
        raise LookupError(f"no app answers to {command}")

    def _show_answer(self, delivery: Delivery, app: App, user: User, channel: Channel) -> None:
        body = delivery.answer.body if delivery.answer else None
        if body is None:
            return
        installation = app.installations[channel.team_id]
        pass_ = ResponseUrl(app, installation, channel.id, user.id, self.clock.now())
        shown = body if isinstance(body, dict) and body else {"text": str(body)}
        respond(self.world, pass_, shown)

    def _whisper_failure(
        self, user: User, channel: Channel, command: str, delivery: Delivery
    ) -> None:
        reason = delivery.failures[-1]
        code = "operation_timeout" if reason.endswith("timeout") else "http_service_error"
        text = f'{command} failed with the error "{code}"'
        message = Message(channel.id, channel.team_id, self.world.stamp(), text, SLACKBOT)
        message.visible_to = user.id
        acts.whisper(self.world, message)

    async def shortcut(
        self,
        user: User,
        callback_id: str,
        message: Message | None = None,
        *,
        app: App | None = None,
    ) -> Delivery:
        """Use a message shortcut, or a global one where no message is given."""
        target = app or self._app_with_shortcut(callback_id)
        if message is None:
            body = payloads.global_shortcut(self.passes, target, user, callback_id)
        else:
            body = payloads.message_shortcut(self.passes, target, user, callback_id, message)
        return await self._interact(target, body)

    def _app_with_shortcut(self, callback_id: str) -> App:
        apps = list(self.world.apps.values())
        for app in apps:
            if any(each.callback_id == callback_id for each in app.shortcuts):
                return app
        if len(apps) == 1:
            return apps[0]
        raise LookupError(f"no app has a shortcut {callback_id}")

    async def _interact(self, app: App, body: Json) -> Delivery:
        delivery = self.dispatcher.send(app, "interactive", body)
        await delivery.done.wait()
        return delivery

    async def open_home(self, user: User, app: App | None = None, tab: str = "home") -> None:
        """Open the app's Home or Messages tab."""
        target = app or next(iter(self.world.apps.values()))
        channel = self.dm(user, target)
        event: Json = {"type": "app_home_opened", "user": user.id, "channel": channel.id}
        event |= {"tab": tab, "event_ts": self.world.stamp()}
        view = self.gallery.homes.get((target.id, user.id))
        if view is not None and tab == "home":
            event["view"] = render.show_view(view, target)
        self.world.tell(Occurrence(event, user.team_id, app_id=target.id))

    async def uninstall(self, app: App, team_id: str | None = None) -> None:
        """Remove an app from a workspace: both lifecycle events, and its token dies."""
        installation = app.installations[team_id or app.home.team_id]
        tokens: Json = {"oauth": [], "bot": [installation.bot_user]}
        installation.uninstalled = installation.revoked = True
        for event in ({"type": "app_uninstalled"}, {"type": "tokens_revoked", "tokens": tokens}):
            self.world.tell(Occurrence(event, installation.team_id, app_id=app.id))


def _root_of(thread: Message | None) -> str | None:
    return None if thread is None else thread.thread_ts or thread.ts
