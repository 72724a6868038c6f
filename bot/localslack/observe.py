"""Looking at what the apps did: messages, threads, ephemeral messages, buttons, deliveries."""

from collections.abc import Callable

from bot.localslack.core import Core
from bot.localslack.delivery import Delivery
from bot.localslack.elements import interactive_elements
from bot.localslack.faults import Fault, FaultKind
from bot.localslack.model import App, Channel, Json, Message, User
from bot.localslack.socket_mode import Reason


class Observe(Core):
    """Reading the workspace, and disturbing what goes between it and the apps."""

    def messages(self, channel: Channel) -> list[Message]:
        """Return every message of a channel with its replies, oldest first."""
        return list(self.world.messages[channel.id].values())

    def replies(self, message: Message) -> list[Message]:
        """Return the replies below a message, oldest first."""
        thread = self.world.thread(message.channel, message.ts)
        return [each for each in thread if each.ts != message.ts]

    def find(self, channel: Channel | str, ts: str) -> Message:
        """Return the message at a time; raises message_not_found."""
        return self.world.message(channel if isinstance(channel, str) else channel.id, ts)

    def ephemerals(self, user: User, channel: Channel | None = None) -> list[Message]:
        """Return what only this person sees, oldest first."""
        return [
            each
            for each in self.world.ephemerals.values()
            if each.visible_to == user.id and (channel is None or each.channel == channel.id)
        ]

    def elements(self, message: Message) -> list[Json]:
        """Return the buttons and selects of a message, in order."""
        return [element for element, _ in interactive_elements(message.blocks or [])]

    def fail(
        self,
        method: str,
        kind: FaultKind,
        *,
        times: int = 1,
        code: str = "internal_error",
        seconds: float = 1.0,
        matches: Callable[[Json], bool] | None = None,
    ) -> None:
        """Disturb the next calls of a method (`*` for any); see `Fault` for the kinds."""
        self.faults.add(Fault(method, kind, times, code, seconds, matches))

    def hold(self) -> None:
        """Keep events back until `release`; commands and interactions still go out."""
        self.dispatcher.hold()

    def release(
        self, order: Callable[[list[Delivery]], list[Delivery]] = lambda held: held
    ) -> None:
        """Send what was held, in another order, some of it twice or not at all."""
        self.dispatcher.release(order)

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Send an event once more under the same event id, marked as a retry."""
        return self.dispatcher.repeat(delivery)

    async def disconnect(self, app: App, reason: Reason = "refresh_requested") -> None:
        """Tell the app's connections to go; they are closed unless it is a warning."""
        if reason == "link_disabled":
            app.socket_mode = False
        for link in list(self.socket.links[app.id]):
            await link.disconnect(reason)
