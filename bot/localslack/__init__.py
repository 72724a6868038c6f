r"""A Slack on this machine, strict enough to develop and test an app against.

It imports nothing of the bot. The bot reaches it by `base_url` alone.

    async with LocalSlack() as slack:
        alice, bob = slack.add_user("alice"), slack.add_user("bob")
        app = slack.add_app("nccl-bot")                  # Socket Mode; request_url=... for HTTP
        channel = slack.add_channel("train", [alice, bob, app])
        # start the bot with slack.base_url, app.bot_token and app.app_token (or
        # app.signing_secret), then:
        await slack.connected(app)
        post = await slack.post(alice, channel, "it hangs:\n```...```")
        answer = await slack.wait_for(lambda: slack.replies(post))
        await slack.react(bob, answer[0], "+1")
        await slack.settled()

Set-up (tells nobody): `add_team`, `add_user(name, team=, admin=, guest=)`, `add_bot`,
`add_group`, `add_channel(name, members, private=, shared_with=)`, `dm`,
`add_app(name, scopes=, events=, commands=, shortcuts=, request_url=, install=)`, `install`.
`invite` and `remove` do send their events.

People act (coroutines; each returns once the workspace has changed, and those that an app has to
acknowledge return their `Delivery` once it did or failed to):
`post(user, channel, text, thread=, broadcast=)`, `upload(user, channel, name, content, comment=)`,
`post_bot(bot, channel, text, attachments=, blocks=, webhook=)`, `edit`, `unfurl`, `delete`,
`react`, `unreact`, `command(user, channel, "/nccl", text)`, `shortcut(user, callback_id, message)`,
`click(user, message_or_view, action_id, value)`, `open_home`, `home(user)`, `modal(user)`,
`submit(user, view, {block_id: {action_id: value}})`, `close_modal`, `uninstall`.
In typed text `@name`, `#channel` and `<@U...>` of what exists become mentions.

Observe: `messages(channel)`, `replies(message)`, `ephemerals(user)`, `elements(message)`,
`find(channel, ts)`, `calls`, `calls_of("chat.postMessage")` (each with args, answer, status),
`deliveries`, `events("message")`, `await wait_for(condition, timeout)`, `await settled()`,
`await connected(app)`, `subscribe(listener)`.

Disturb: `fail(method, kind, times=)` with drop_answer, reset, http_500, error, delay,
ratelimited; `limits.enabled = True` or `limits.set(method, per_second, burst)`;
`hold()` and `release(order)` to reorder or double events; `redeliver(delivery)`;
`disconnect(app, reason)`; `verify_url(app)`.

Time: `LocalSlack(clock=ManualClock())` with `clock.advance(seconds)`, or
`timing=Timing(ack=0.2, retries=(0, 0.05, 0.05))` to compress acknowledgement and retries.
An app that checks signatures by the machine's time needs `ManualClock(time.time())` over HTTP.
"""

from bot.localslack.clock import ManualClock, SystemClock
from bot.localslack.delivery import Delivery, Timing
from bot.localslack.errors import SlackError
from bot.localslack.faults import Fault
from bot.localslack.model import App, Channel, File, Message, Shortcut, Team, User, View
from bot.localslack.server import LocalSlack

__all__ = [
    "App",
    "Channel",
    "Delivery",
    "Fault",
    "File",
    "LocalSlack",
    "ManualClock",
    "Message",
    "Shortcut",
    "SlackError",
    "SystemClock",
    "Team",
    "Timing",
    "User",
    "View",
]
