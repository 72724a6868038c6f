"""Modals and Home tabs: their stacks, and what may be put into them."""

import json
from collections import defaultdict
from dataclasses import dataclass, field

from bot.localslack.blocks.surfaces import check_view
from bot.localslack.errors import SlackError, refuse_with
from bot.localslack.model import Json, View
from bot.localslack.normalise import normalise_blocks
from bot.localslack.world import Occurrence, World

STACK_MAX = 3
VIEW_BYTES = 250_000


@dataclass(eq=False, slots=True)
class Gallery:
    """The open modals of each person, lowest first, and each app's Home tab for them."""

    world: World
    stacks: dict[str, list[View]] = field(default_factory=lambda: defaultdict(list))
    homes: dict[tuple[str, str], View] = field(default_factory=dict)

    def check(self, body: object, kind: str) -> Json:
        """Return a view body with defaults; raises invalid_arguments or view_too_large."""
        if not isinstance(body, dict):
            raise refuse_with("invalid_arguments", ["must provide an object [json-pointer:/view]"])
        if len(json.dumps(body).encode()) > VIEW_BYTES:
            raise SlackError("view_too_large")
        faults = check_view(body, kind)
        if faults:
            raise refuse_with("invalid_arguments", faults)
        shown = dict(body)
        shown["blocks"] = normalise_blocks(self.world, body["blocks"])
        for part in ("title", "submit", "close"):
            if isinstance(shown.get(part), dict):
                shown[part] = {"emoji": True} | shown[part]
        return shown

    def open(self, app_id: str, team_id: str, user: str, body: object) -> View:
        """Show a first modal; an open one of the same person goes away."""
        checked = self.check(body, "modal")
        self._claim(app_id, checked, None)
        view = self._make(app_id, team_id, user, checked)
        self.stacks[user] = [view]
        self._tell(view)
        return view

    def push(self, app_id: str, team_id: str, user: str, body: object) -> View:
        """Lay a modal over the open one; raises push_limit_reached at three."""
        checked = self.check(body, "modal")
        stack = self.stacks[user]
        if not stack:
            raise SlackError("not_found")
        if len(stack) >= STACK_MAX:
            raise SlackError("push_limit_reached")
        self._claim(app_id, checked, None)
        view = self._make(app_id, team_id, user, checked)
        view.root_id, view.previous_id = stack[0].id, stack[-1].id
        stack.append(view)
        self._tell(view)
        return view

    def update(self, view: View, body: object) -> None:
        """Replace what an open view shows; values of inputs that remain are kept."""
        checked = self.check(body, str(view.body["type"]))
        self._claim(view.app_id, checked, view)
        kept = {block.get("block_id") for block in checked["blocks"]}
        view.body, view.hash, view.errors = checked, self._hash(), {}
        view.values = {key: value for key, value in view.values.items() if key in kept}
        self._tell(view)

    def publish(self, app_id: str, team_id: str, user: str, body: object) -> View:
        """Show a Home tab to one person."""
        checked = self.check(body, "home")
        view = self.homes.get((app_id, user))
        self._claim(app_id, checked, view)
        if view is None:
            view = self._make(app_id, team_id, user, checked)
            self.homes[app_id, user] = view
        else:
            view.body, view.hash = checked, self._hash()
        self._tell(view)
        return view

    def find(self, app_id: str, view_id: str | None, external_id: str | None) -> View:
        """Return an open view by either id; raises not_found."""
        for view in self._open_views():
            ids = {view.id: view_id, view.body.get("external_id"): external_id}
            if view.app_id == app_id and any(key and key == given for key, given in ids.items()):
                return view
        raise SlackError("not_found")

    def _open_views(self) -> list[View]:
        stacked = [view for stack in self.stacks.values() for view in stack]
        return [*stacked, *self.homes.values()]

    def close(self, view: View, *, everything: bool = False) -> None:
        """Take the view away, or the person's whole stack."""
        stack = self.stacks[view.user]
        if everything:
            stack.clear()
        elif view in stack:
            stack.remove(view)
        self._tell(view, "view_closed")

    def show_errors(self, view: View, errors: dict[str, str]) -> None:
        """Show errors below the inputs of a modal."""
        view.errors = errors
        self._tell(view)

    def _claim(self, app_id: str, body: Json, holder: View | None) -> None:
        external = body.get("external_id")
        for view in self._open_views():
            taken = external and view.body.get("external_id") == external
            if taken and view.app_id == app_id and view is not holder:
                raise SlackError("duplicate_external_id")

    def _make(self, app_id: str, team_id: str, user: str, body: Json) -> View:
        key = self.world.mint("V")
        view = View(key, team_id, app_id, user, body, self._hash(), root_id=key)
        self.world.views[key] = view
        return view

    def _hash(self) -> str:
        return f"{int(self.world.clock.now())}.{self.world.count('hash'):08x}"

    def _tell(self, view: View, kind: str = "view") -> None:
        event: Json = {"type": kind, "view": view.id, "user": view.user}
        self.world.tell(Occurrence(event, view.team_id, visible=False))
