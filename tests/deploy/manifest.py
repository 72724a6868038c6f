"""Slack's rules for the parts of an app manifest that an app like this one has.

The limits are those of slackapi/manifest-schema, schemas/manifest.schema.1.0.0.json; a key that
is not listed there is refused by Slack, as it is here.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


def _text(least: int, most: int, pattern: str | None = None) -> object:
    return Field(min_length=least, max_length=most, pattern=pattern)


Url = Annotated[str, _text(8, 3000, r"^https?://")]
Name = Annotated[str, _text(1, 50)]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Metadata(Part):
    schema_version: Annotated[int, Field(ge=1, le=2)] | None = None
    min_version: int | None = None
    major_version: int | None = None
    minor_version: int | None = None


class DisplayInformation(Part):
    name: Annotated[str, _text(1, 35)]
    description: Annotated[str, _text(1, 140)] | None = None
    background_color: Annotated[str, _text(4, 7, "^#")] | None = None
    long_description: Annotated[str, _text(175, 4000)] | None = None


class AppHome(Part):
    home_tab_enabled: bool = False
    messages_tab_enabled: bool = False
    messages_tab_read_only_enabled: bool = False


class BotUser(Part):
    display_name: Annotated[str, _text(1, 80)]
    always_online: bool = False


class ManifestShortcut(Part):
    name: Annotated[str, _text(1, 24)]
    type: Literal["message", "global"]
    callback_id: Annotated[str, _text(1, 255)]
    description: Annotated[str, _text(1, 150)]


class SlashCommand(Part):
    command: Annotated[str, _text(2, 32, "^/")]
    url: Url | None = None
    description: Annotated[str, _text(1, 2000)]
    usage_hint: Annotated[str, _text(1, 1000)] | None = None
    should_escape: bool = False


class Features(Part):
    app_home: AppHome
    bot_user: BotUser
    shortcuts: Annotated[list[ManifestShortcut], Field(min_length=1, max_length=10)]
    slash_commands: Annotated[list[SlashCommand], Field(min_length=1, max_length=50)]


class Scopes(Part):
    bot: Annotated[list[Name], Field(max_length=255)]


class OauthConfig(Part):
    redirect_urls: Annotated[list[str], Field(max_length=1000)] | None = None
    scopes: Scopes


class EventSubscriptions(Part):
    request_url: Url | None = None
    bot_events: Annotated[list[Name], Field(max_length=100)]


class Interactivity(Part):
    is_enabled: bool
    request_url: Url | None = None


class ManifestSettings(Part):
    event_subscriptions: EventSubscriptions
    interactivity: Interactivity
    org_deploy_enabled: bool = False
    socket_mode_enabled: bool = False
    token_rotation_enabled: bool = False


class Manifest(Part):
    """A manifest that Slack takes."""

    metadata: Annotated[Metadata, Field(alias="_metadata")]
    display_information: DisplayInformation
    features: Features
    oauth_config: OauthConfig
    settings: ManifestSettings
