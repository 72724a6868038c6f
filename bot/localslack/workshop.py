"""Files on their way up, and OAuth codes on their way to becoming tokens."""

import mimetypes
import secrets
from dataclasses import dataclass, field
from typing import Literal

from bot.localslack.errors import SlackError
from bot.localslack.model import App, File, Installation, Json
from bot.localslack.passes import Passes
from bot.localslack.webapi.registry import Call
from bot.localslack.world import World

SNIPPET_MAX = 1_000_000
ALT_TEXT_MAX = 1_000
ACCESS_SECONDS = 43_200
CODE_SECONDS = 600


@dataclass(slots=True)
class Upload:
    """A file that was announced; `content` comes with the upload itself."""

    file_id: str
    team_id: str
    user: str
    name: str
    length: int
    snippet: bool
    alt_text: str
    content: bytes | None = None


@dataclass(slots=True)
class Grant:
    """An OAuth code: what a person approved, for ten minutes and one use."""

    app: App
    team_id: str
    user: str
    scopes: frozenset[str]
    redirect_uri: str
    created: float


@dataclass(eq=False, slots=True)
class Workshop:
    """Uploads by their secret, and grants by their code."""

    world: World
    passes: Passes
    uploads: dict[str, Upload] = field(default_factory=dict)
    grants: dict[str, Grant] = field(default_factory=dict)

    def start_upload(self, call: Call) -> Json:
        """files.getUploadURLExternal: an address for the bytes of one file."""
        args = call.args
        snippet = "snippet_type" in args
        if args["length"] <= 0:
            raise SlackError("invalid_arguments")
        if snippet and args["length"] > SNIPPET_MAX:
            raise SlackError("snippet_too_large")
        if len(args.get("alt_txt", "")) > ALT_TEXT_MAX:
            raise SlackError("alt_txt_too_large")
        secret, file_id = secrets.token_hex(16), self.world.mint("F")
        self.uploads[secret] = Upload(
            file_id,
            call.installation.team_id,
            call.bot.id,
            args["filename"],
            args["length"],
            snippet,
            args.get("alt_txt", ""),
        )
        return {"upload_url": f"{self.world.origin}/upload/v1/{secret}", "file_id": file_id}

    def finish_upload(self, file_id: str, title: str | None) -> File:
        """Turn uploaded bytes into a file; raises file_not_found."""
        found = next((each for each in self.uploads.items() if each[1].file_id == file_id), None)
        if found is None or found[1].content is None:
            raise SlackError("file_not_found")
        secret, upload = found
        del self.uploads[secret]
        file = self.make_file(
            upload.team_id, upload.user, upload.name, upload.content, file_id=file_id
        )
        file.title, file.alt_text = title or upload.name, upload.alt_text
        file.mode = "snippet" if upload.snippet else file.mode
        return file

    def make_file(
        self, team_id: str, user: str, name: str, content: bytes | None, *, file_id: str = ""
    ) -> File:
        """Store a file; text up to a megabyte is a snippet, all else is hosted."""
        content = content or b""
        mimetype, encoding = mimetypes.guess_type(name)
        if encoding == "gzip":
            mimetype = "application/gzip"
        is_text = _is_text(content) and encoding is None
        mimetype = "text/plain" if is_text else mimetype or "application/octet-stream"
        mode: Literal["snippet", "hosted"] = "hosted"
        if is_text and len(content) <= SNIPPET_MAX:
            mode = "snippet"
        filetype = "text" if is_text else mimetype.rpartition("/")[2]
        file = File(
            file_id or self.world.mint("F"),
            team_id,
            user,
            name,
            name,
            mimetype,
            filetype,
            mode,
            content,
            int(self.world.clock.now()),
        )
        self.world.files[file.id] = file
        return file

    def approve(self, app: App, team_id: str, user: str, scopes: str, redirect_uri: str) -> str:
        """Return a person's consent, as the code that goes to the redirect URL."""
        code = f"{team_id}.{secrets.token_hex(12)}"
        wanted = frozenset(filter(None, scopes.replace(" ", ",").split(","))) or app.scopes
        now = self.world.clock.now()
        self.grants[code] = Grant(app, team_id, user, wanted, redirect_uri, now)
        return code

    def exchange(self, call: Call) -> Json:
        """oauth.v2.access: a code or a refresh token for an access token."""
        app = self._client(call)
        if call.args.get("grant_type") == "refresh_token":
            return self._describe(app, self._refresh(app, str(call.args.get("refresh_token"))))
        grant = self.grants.pop(str(call.args.get("code")), None)
        if grant is None or grant.app is not app:
            raise SlackError("invalid_code")
        if self.world.clock.now() - grant.created > CODE_SECONDS:
            raise SlackError("code_already_used")
        if call.args.get("redirect_uri", grant.redirect_uri) != grant.redirect_uri:
            raise SlackError("bad_redirect_uri")
        return self._describe(app, self.install(app, grant.team_id, grant.user, grant.scopes))

    def _client(self, call: Call) -> App:
        apps = self.world.apps.values()
        app = next((each for each in apps if each.client_id == call.args.get("client_id")), None)
        if app is None:
            raise SlackError("invalid_client_id")
        if app.client_secret != call.args.get("client_secret"):
            raise SlackError("bad_client_secret")
        return app

    def _refresh(self, app: App, token: str) -> Installation:
        installed = app.installations.values()
        found = next((each for each in installed if each.refresh_token == token), None)
        if found is None or found.uninstalled:
            raise SlackError("invalid_refresh_token")
        self._new_tokens(app, found)
        return found

    def install(self, app: App, team_id: str, user: str, scopes: frozenset[str]) -> Installation:
        """Put an app into a workspace; again, it keeps its bot user and gets a new token."""
        installation = app.installations.get(team_id)
        if installation is None:
            bot = self.world.add_user(team_id, app.name, is_bot=True, app_id=app.id)
            bot.bot_id = self.world.mint("B")
            installation = Installation(app.id, team_id, bot.id, bot.bot_id, "", scopes, user)
            app.installations[team_id] = installation
        installation.scopes, installation.installed_by = scopes, user
        installation.uninstalled = installation.revoked = False
        self._new_tokens(app, installation)
        return installation

    def _new_tokens(self, app: App, installation: Installation) -> None:
        number = self.world.count("token")
        if app.rotates_tokens:
            installation.bot_token = f"xoxe.xoxb-local-{number}-{secrets.token_hex(8)}"
            installation.refresh_token = f"xoxe-local-{number}-{secrets.token_hex(8)}"
            installation.expires_at = self.world.clock.now() + ACCESS_SECONDS
        else:
            installation.bot_token = f"xoxb-local-{number}-{secrets.token_hex(8)}"

    def _describe(self, app: App, installation: Installation) -> Json:
        team = self.world.teams[installation.team_id]
        enterprise: Json | None = None
        if team.enterprise_id:
            enterprise = {"id": team.enterprise_id, "name": team.enterprise_name}
        answer: Json = {
            "app_id": app.id,
            "authed_user": {"id": installation.installed_by},
            "scope": ",".join(sorted(installation.scopes)),
            "token_type": "bot",
            "access_token": installation.bot_token,
            "bot_user_id": installation.bot_user,
            "team": {"id": team.id, "name": team.name},
            "enterprise": enterprise,
            "is_enterprise_install": False,
        }
        if installation.refresh_token:
            answer |= {"refresh_token": installation.refresh_token, "expires_in": ACCESS_SECONDS}
        return answer


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\x00" not in content
