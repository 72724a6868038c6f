"""Reaction names: which exist, and what Slack stores for an alias or a skin tone.

Names follow iamcal/emoji-data's short names; the list holds those in common use, since an
unknown name is refused (invalid_name) and a bot should use none that a reader may lack.
"""

import re

from bot.localslack.errors import SlackError

_ALIASES = {"thumbsup": "+1", "thumbsdown": "-1", "hankey": "poop", "robot_face": "robot"}
_TONED = "+1 -1 clap wave raised_hands pray ok_hand muscle point_up point_right raised_hand"
_PLAIN = """
    100 ab alarm_clock ambulance anger arrow_down arrow_forward arrow_left arrow_right arrow_up
    arrows_counterclockwise bangbang bar_chart beetle bell blue_heart blush boom bookmark broken_heart
    bug bulb calendar chart_with_downwards_trend chart_with_upwards_trend checkered_flag
    clipboard clock1 cloud coffee computer confused construction cry dart dizzy dog
    exclamation eye eyes face_with_monocle facepalm fast_forward file_folder fire flashlight
    gear ghost gift green_heart grey_question grin grinning hammer hammer_and_wrench heart
    heart_eyes heavy_check_mark heavy_minus_sign heavy_plus_sign hourglass
    hourglass_flowing_sand hugging_face information_source joy key large_blue_circle
    large_green_circle large_orange_circle large_red_circle large_yellow_circle laughing link
    lock loudspeaker mag mag_right mailbox mega memo microscope mute no_bell no_entry
    no_entry_sign o ok one open_mouth package page_facing_up paperclip partying_face pencil
    pencil2 poop pushpin question rage recycle red_circle repeat rewind robot rocket rotating_light
    satellite scream scroll see_no_evil shield ship skull sleeping slightly_smiling_face smile
    smiley snail sob sos sparkles speech_balloon star stop_sign sunglasses sweat_smile
    tada test_tube thinking_face three thread ticket toolbox traffic_light turtle two
    unlock v warning wastebasket whale white_check_mark wink wrench x zap zzz
"""
_KNOWN = frozenset(_PLAIN.split()) | frozenset(_TONED.split())
_NAME = re.compile(r"(?P<name>[a-z0-9_+'-]+?)(?P<tone>::skin-tone-[2-6])?")


def canonical(emoji: str) -> str:
    """Return the name that Slack stores; raises invalid_name for colons and unknown names."""
    match = _NAME.fullmatch(emoji)
    if match is None:
        raise SlackError("invalid_name")
    name = _ALIASES.get(match["name"], match["name"])
    if name not in _KNOWN or (match["tone"] and name not in _TONED.split()):
        raise SlackError("invalid_name")
    return name + (match["tone"] or "")
