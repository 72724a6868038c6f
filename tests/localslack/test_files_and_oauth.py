"""Files up and down; installing by OAuth, rotating, revoking."""

import gzip
from urllib.parse import parse_qs, urlencode, urlsplit

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.oauth import AuthorizeUrlGenerator
from slack_sdk.web.async_client import AsyncWebClient

from bot.localslack import App, LocalSlack, ManualClock
from tests.localslack.conftest import Cast

# The SDK itself still uses what aiohttp deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")


async def download(url: str, token: str = "") -> tuple[int, str, bytes]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        aiohttp.ClientSession(headers=headers, auto_decompress=False) as session,
        session.get(url) as response,
    ):
        return response.status, response.content_type, await response.read()


async def test_a_file_is_downloaded_with_the_bots_token(cast: Cast) -> None:
    packed = gzip.compress(b"NCCL WARN")
    text = await cast.slack.upload(cast.alice, cast.channel, "rank5.log", "NCCL WARN")
    binary = await cast.slack.upload(cast.alice, cast.channel, "rank5.log.gz", packed)
    token = cast.app.bot_token
    found = [await cast.web.files_info(file=message.files[0]) for message in (text, binary)]
    bodies = [await download(each["file"]["url_private_download"], token) for each in found]

    assert bodies == [(200, "text/plain", b"NCCL WARN"), (200, "application/gzip", packed)]
    assert [each["file"]["mode"] for each in found] == ["snippet", "hosted"]


async def test_without_token_or_scope_the_sign_in_page_comes_with_200(cast: Cast) -> None:
    message = await cast.slack.upload(cast.alice, cast.channel, "rank5.log", "NCCL WARN")
    url = (await cast.web.files_info(file=message.files[0]))["file"]["url_private"]
    cast.app.home.scopes -= {"files:read"}
    for token in ("", "xoxb-wrong", cast.app.bot_token):
        status, content_type, body = await download(url, token)

        assert (status, content_type) == (200, "text/html")
        assert body.startswith(b"<!DOCTYPE html>")


async def test_a_file_elsewhere_or_deleted_is_not_shown(cast: Cast) -> None:
    private = cast.slack.add_channel("secret", [cast.alice], private=True)
    hidden = await cast.slack.upload(cast.alice, private, "x.log", "x")
    gone = await cast.slack.upload(cast.alice, cast.channel, "x.log", "x")
    url = (await cast.web.files_info(file=gone.files[0]))["file"]["url_private"]
    cast.slack.world.files[gone.files[0]].deleted = True

    assert (await cast.call("files.info", file=hidden.files[0]))["error"] == "file_not_found"
    assert (await cast.call("files.info", file=gone.files[0]))["error"] == "file_deleted"
    assert (await download(url, cast.app.bot_token))[0] == 404


async def test_a_file_that_needs_a_look_up(cast: Cast) -> None:
    message = await cast.slack.upload(cast.alice, cast.channel, "x.log", "NCCL WARN")
    cast.slack.world.files[message.files[0]].access = "check_file_info"
    found = await cast.web.files_info(file=message.files[0])

    assert found["file"]["file_access"] == "visible"
    assert (await download(found["file"]["url_private"], cast.app.bot_token))[2] == b"NCCL WARN"


async def test_the_sdk_uploads_into_a_thread(cast: Cast) -> None:
    post = await cast.slack.post(cast.alice, cast.channel, "it hangs")
    sent = await cast.web.files_upload_v2(
        channel=cast.channel.id,
        thread_ts=post.ts,
        filename="report.txt",
        content="what I found",
        initial_comment="full report",
        title="Report",
    )
    reply = cast.slack.replies(post)[0]

    assert "ts" not in sent["files"][0]
    assert (reply.text, reply.subtype, reply.files) == (
        "full report",
        "file_share",
        [sent["files"][0]["id"]],
    )
    assert cast.slack.world.files[reply.files[0]].content == b"what I found"


async def test_an_upload_must_be_announced_and_whole(cast: Cast) -> None:
    announced = await cast.web.files_getUploadURLExternal(filename="x.log", length=5)
    for url, body, status in (
        (announced["upload_url"], b"1234", 400),
        (announced["upload_url"] + "0", b"12345", 404),
    ):
        async with aiohttp.ClientSession() as session, session.post(url, data=body) as response:
            assert response.status == status
    with pytest.raises(SlackApiError, match="file_not_found"):
        await cast.web.files_completeUploadExternal(files=[{"id": announced["file_id"]}])


REDIRECT = "http://127.0.0.1:1/slack/oauth_redirect"


@pytest.fixture
def app(slack: LocalSlack) -> App:
    return slack.add_app(install=False, redirect_url=REDIRECT)


def authorize_url(slack: LocalSlack, app: App, **more: str) -> str:
    generator = AuthorizeUrlGenerator(
        client_id=app.client_id,
        redirect_uri=REDIRECT,
        scopes=["chat:write", "channels:history"],
        authorization_url=f"{slack.origin}/oauth/v2/authorize",
    )
    return generator.generate("the-state") + "".join(f"&{k}={v}" for k, v in more.items())


async def exchange(slack: LocalSlack, app: App, **more: str) -> AsyncWebClient:
    web = AsyncWebClient(base_url=slack.base_url)
    answer = await web.oauth_v2_access(
        client_id=app.client_id, client_secret=app.client_secret, **more
    )
    web.token = answer["access_token"]
    return web


async def test_a_person_installs_an_app(slack: LocalSlack, app: App) -> None:
    alice = slack.add_user("alice")
    target = slack.consent_to(authorize_url(slack, app), alice)
    query = {key: value[0] for key, value in parse_qs(urlsplit(target).query).items()}
    web = await exchange(slack, app, code=query["code"], redirect_uri=REDIRECT)
    me = await web.auth_test()

    assert target.startswith(REDIRECT)
    assert query["state"] == "the-state"
    assert app.home.scopes == {"chat:write", "channels:history"}
    assert (me["team_id"], app.home.installed_by) == (slack.team.id, alice.id)
    with pytest.raises(SlackApiError, match="invalid_code"):
        await exchange(slack, app, code=query["code"])


async def test_the_consent_page_in_a_browser(slack: LocalSlack, app: App) -> None:
    slack.add_user("alice")
    url = authorize_url(slack, app)
    async with aiohttp.ClientSession() as session:
        async with session.get(url) as page:
            assert app.name in await page.text()
        locations = []
        for allow in ("1", "0"):
            data = {"allow": allow}
            async with session.post(url, data=data, allow_redirects=False) as response:
                locations.append(response.headers["Location"])
        async with session.get(url.replace("chat", "admin")) as refused:
            assert (await refused.json())["error"] == "invalid_scope"

    assert "code=" in locations[0]
    assert "error=access_denied" in locations[1]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"client_id": "0.0"}, "invalid_client_id"),
        ({"redirect_uri": "http://evil.example/"}, "bad_redirect_uri"),
        ({"scope": "admin"}, "invalid_scope"),
    ],
)
async def test_a_bad_request_for_consent(
    slack: LocalSlack, app: App, change: dict[str, str], code: str
) -> None:
    query = {"client_id": app.client_id, "redirect_uri": REDIRECT, "scope": "chat:write"}
    url = f"{slack.origin}/oauth/v2/authorize?{urlencode(query | change)}"
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        assert (await response.json())["error"] == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"client_secret": "wrong"}, "bad_client_secret"),
        ({"code": "wrong"}, "invalid_code"),
        ({"redirect_uri": "http://evil.example/"}, "bad_redirect_uri"),
        ({"grant_type": "refresh_token", "refresh_token": "wrong"}, "invalid_refresh_token"),
    ],
)
async def test_a_bad_exchange(
    slack: LocalSlack, app: App, change: dict[str, str], code: str
) -> None:
    alice = slack.add_user("alice")
    given = {
        "client_id": app.client_id,
        "client_secret": app.client_secret,
        "code": slack.workshop.approve(app, slack.team.id, alice.id, "chat:write", REDIRECT),
        "redirect_uri": REDIRECT,
    }
    web = AsyncWebClient(base_url=slack.base_url)
    with pytest.raises(SlackApiError, match=code):
        await web.oauth_v2_access(**(given | change))


async def test_a_code_lives_ten_minutes() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack:
        app = slack.add_app(install=False)
        code = slack.workshop.approve(app, slack.team.id, "U1", "chat:write", REDIRECT)
        clock.advance(601)
        with pytest.raises(SlackApiError, match="code_already_used"):
            await exchange(slack, app, code=code)


async def test_tokens_rotate_and_expire() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack:
        app = slack.add_app(install=False, rotates_tokens=True)
        code = slack.workshop.approve(app, slack.team.id, "U1", "chat:write", REDIRECT)
        first = await exchange(slack, app, code=code)
        refresh = app.home.refresh_token or ""
        clock.advance(43_200)
        with pytest.raises(SlackApiError, match="token_expired"):
            await first.auth_test()
        second = await exchange(slack, app, grant_type="refresh_token", refresh_token=refresh)
        await second.auth_test()
        with pytest.raises(SlackApiError, match="invalid_auth"):
            await first.auth_test()
        with pytest.raises(SlackApiError, match="invalid_refresh_token"):
            await exchange(slack, app, grant_type="refresh_token", refresh_token=refresh)


async def test_an_app_comes_back_after_it_was_removed(slack: LocalSlack) -> None:
    app = slack.add_app()
    bot, token = app.bot_user_id, app.bot_token
    await slack.uninstall(app)
    slack.install(app)

    assert app.bot_user_id == bot
    assert app.bot_token != token
    assert (await AsyncWebClient(app.bot_token, base_url=slack.base_url).auth_test())["ok"]
