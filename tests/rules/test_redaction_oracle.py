"""Betterleaks, which knows the keys of several hundred services, finds nothing after redaction.

It brings a Go runtime, which must not be forked: it runs in a process of its own.
"""

from __future__ import annotations

import json
import random
import string
import subprocess
import sys

import pytest

from rules.redact import redact

pytestmark = pytest.mark.services
SCAN = """
import json, sys
import betterleaks
print(json.dumps([bool(betterleaks.scan_string(text)) for text in json.load(sys.stdin)]))
"""
_HEX, _UPPER = "0123456789abcdef", string.ascii_uppercase + string.digits
_ANY = string.ascii_letters + string.digits
_BASE64 = f"{_ANY}+/"
# `{n}` stands for n characters of any kind, `{nh}` hexadecimal, `{nd}` digits, `{nu}` upper case,
# `{nb}` base64.
SHAPES = [
    "xoxb-{12d}-{12d}-{24}",
    "xapp-1-A{9u}-{12d}-{64h}",
    "https://hooks.slack.com/services/T{8u}/B{8u}/{24}",
    "AWS_SECRET_ACCESS_KEY={40b}",
    "ghp_{36}",
    "github_pat_{22}_{59}",
    "glpat-{20}",
    "HF_TOKEN=hf_{34}",
    "sk-proj-{74}T3BlbkFJ{74}",
    "sk-ant-api03-{93}AA",
    "npm_{36}",
    "pypi-AgEIcHlwaS5vcmc{60}",
    "AIza{35}",
    "dapi{32h}",
    "glsa_{32}_{8h}",
    "eyJ{20}.eyJ{40}.{43}",
    "WANDB_API_KEY={40h}",
    'api_key = "{32}"',
    "client_secret: {40}",
    "DB_PASSWORD={20}",
    "curl -u user:{24} https://a.example",
    "curl -H 'Authorization: Bearer {40}' https://a.example",
    "sk_live_{24}",
    "SG.{22}.{43}",
    "dop_v1_{64h}",
    "CO_API_KEY={40}",
    "r8_{37}",
    "hvs.{95}",
    "dckr_pat_{27}",
    "{14}.atlasv1.{65}",
    "ntn_{11d}{35}",
    "lin_api_{40}",
    "TELEGRAM_TOKEN={10d}:A{34}",
    "discord_token={64h}",
    "COMET_API_KEY={25}",
    "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2,
    "gsk_{52}",
    "pplx-{48}",
    "xai-{80}",
    "lsv2_pt_{32h}_{10h}",
    "CLOUDFLARE_API_TOKEN={40}",
    "DD_API_KEY={32h}",
    '{{"username":"someone","key":"{32h}"}}',
    "NGC_API_KEY=nvapi-{60}",
    "token: {60}",
]


def make(shape: str, rng: random.Random) -> str:
    """A made-up secret of `shape`."""
    kinds = {"h": _HEX, "d": string.digits, "u": _UPPER, "b": _BASE64}
    parts = []
    for literal, field, _, _ in string.Formatter().parse(shape):
        parts.append(literal)
        if field:
            letters = kinds.get(field[-1], _ANY)
            parts.append("".join(rng.choices(letters, k=int(field.rstrip("hdub")))))
    return "".join(parts)


def scan(texts: list[str]) -> list[bool]:
    """Which of `texts` hold a secret, says betterleaks."""
    done = subprocess.run(
        [sys.executable, "-c", SCAN],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[bool] = json.loads(done.stdout)
    return found


def test_what_the_oracle_knows_is_hidden() -> None:
    rng = random.Random(20261201)
    texts = [f"INFO starts {make(shape, rng)}\nstep 3" for shape in SHAPES for _ in range(3)]

    known = [text for text, is_known in zip(texts, scan(texts), strict=True) if is_known]
    left = [
        text
        for text, is_left in zip(known, scan([redact(t) for t in known]), strict=True)
        if is_left
    ]

    # The made-up values are random: a few do not look random enough to the oracle.
    assert len(known) > 0.9 * len(texts)
    assert left == []
