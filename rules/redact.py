"""Secrets and e-mail addresses out of a text: always, before anything is stored or shown."""

from __future__ import annotations

import re2

REDACTED = "<redacted>"
EMAIL = "<email>"

_VALUE = r"[^\s\"'<>,;&|\\]{4,}"
# Between a name and its value; JSON within JSON has its quotation marks escaped.
_JOINT = r"\\{0,3}[\"']?\s{0,4}(?:[:=]|=>)\s{0,4}"
_OPENED = r"\\{0,3}[\"']?"
_QUOTED = {
    "": (_OPENED, _VALUE),
    "_double": (r'"', r'[^"\\\n]{4,}'),
    "_single": (r"'", r"[^'\\\n]{4,}"),
}
_SHOUT = (
    r"\b[A-Z0-9_]*(?:TOKEN|_KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|APIKEY|_PASS|_PWD)"
)
_NAMED = (
    r"(?i:\b[a-z0-9_-]*(?:(?:api|access|secret|private|account|signing|encryption|license|shared)[_ -]?"
    r"(?:access[_ -]?)?key|(?:auth|access|api|bearer|refresh|session|security|vault|bot|hub|hf|id)[_-]?token"
    r"|password|passwd|passphrase|(?:db|storage|root|user|admin|mysql|redis|ldap|smtp|ssh|key)_?pass"
    r"|client[_-]?secret|sharedaccesssignature))\b"
)
_FLAG = r"--?(?:[a-z0-9]+[-_]){0,5}(?i:key|token|secret|password|passwd|credentials?)[ =]{1,2}"


def _assigned(name: str, before: str, joint: str) -> dict[str, str]:
    """Rules for a value behind a name: up to its closing quotation mark, else up to a blank."""
    return {
        f"{name}{how}": f"(?P<{name}{how}_keep>{before}{joint}{opened}){value}"
        for how, (opened, value) in reversed(_QUOTED.items())
    }


# Name of the group -> rule. `(?P<x_keep>...)` before the secret stays. RE2 keeps this linear.
_RULES = {
    "pem": r"(?s:-----BEGIN[A-Z0-9 ]+PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END[A-Z0-9 ]+PRIVATE KEY(?: BLOCK)?-----|\z))",
    "pem_line": r"(?m:^[ \t]{0,8}[A-Za-z0-9+/]{60,}={0,2}[ \t]{0,8}$)",
    "slack": r"\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}|\bxapp-\d-[A-Za-z0-9-]{8,}",
    "hook": r"(?P<hook_keep>hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/webhooks/|\.webhook\.office\.com/webhookb2/)[\w/@.-]{8,}",
    "aws": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "git": r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"
    r"|\bgl(?:pat|dt|rt|cbt|ptt|soat|ft|agent|oas|imt)-[\w.-]{16,}",
    "hub": r"\bhf_[A-Za-z0-9]{20,}|\bapi_org_[A-Za-z0-9]{20,}|\bdckr_pat_[\w-]{20,}"
    r"|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{16,}",
    "model": r"\bsk-(?:ant-|proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}|\bnvapi-[\w-]{20,}"
    r"|\bgsk_[A-Za-z0-9]{20,}|\bpplx-[A-Za-z0-9]{20,}|\bxai-[A-Za-z0-9]{20,}|\br8_[A-Za-z0-9]{20,}"
    r"|\blsv2_(?:pt|sk)_[0-9a-f_]{20,}",
    "service": r"\bhv[sbr]\.[\w-]{20,}|\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}|\bntn_[A-Za-z0-9]{30,}|\blin_api_\w{20,}"
    r"|\bAGE-SECRET-KEY-1[A-Z0-9]{40,}|\btskey-[a-z]{2,12}-[\w-]{16,}|\bNRAK-[A-Z0-9]{20,}|\bsntry[su]_[\w+/=-]{20,}"
    r"|\bfm[12][ar]?_[\w+/=,-]{40,}|\bSK[0-9a-f]{32}\b",
    "track": r"\bwandb_v\d_[\w-]{20,}"
    r"|(?P<track_keep>(?i:wandb|comet|neptune)[^\n0-9]+\b)[0-9a-fA-F]{40}\b",
    "cloud": r"\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bdapi[0-9a-f]{32}\b|\bdop_v1_[0-9a-f]{32,}"
    r"|\bgl(?:sa|c)_[\w+/=-]{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\b[sr]k_live_\w{16,}",
    "jwt": r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?",
    "authorization": r"(?P<authorization_keep>(?i:authorization)[\"']?\s*[:=]\s*[\"']?"
    r"(?i:(?:bearer|basic|token)\s+)?)[A-Za-z0-9._~+/-]{8,}={0,2}",
    "header": r"(?P<header_keep>(?i:\b(?:bearer|basic)\s{1,4}))[A-Za-z0-9._~+/-]{8,}={0,2}",
    "url": r"(?P<url_keep>\b[a-z][a-z0-9+.-]+://)(?:[^\s/@:\"'<>]*:(?:[^\s/@\"'<>]*@[^\s@\"'<>]*|[^\s/@\d\"'<>][^\s@\"'<>]*)"
    r"|[^\s/@\"'<>]+)(?P<url_end>@)",
    "query": r"(?P<query_keep>[?&;](?i:sig|signature|x-amz-(?:signature|credential|security-token)"
    r"|x-goog-(?:signature|credential)|awsaccesskeyid|(?:access_|auth_|api_?)?(?:token|key)|password"
    r"|secret|client_secret|code)=)[^&\s\"'<>]{4,}",
    **_assigned("flag", _FLAG, ""),
    **_assigned("shout", _SHOUT, _JOINT),
    **_assigned("named", _NAMED, _JOINT),
    # A long value of letters is a secret under a name that is otherwise used for words and numbers.
    "long": r"(?P<long_keep>(?i:\b[a-z0-9_-]*token|[\"']key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?)[A-Za-z0-9_-]{28,}",
    "field": r"(?P<field_keep>\\{0,3}[\"'](?:token|secret|auth|passwd|pass)\\{0,3}[\"']\s{0,4}:\s{0,4}\\{0,3}[\"'])[^\s\"'\\]{8,}",
    "cookie": r"(?P<cookie_keep>(?i:\b(?:set-)?cookie)[\"']?:\s{0,4})[^\n\"']{4,}",
    "netrc": r"(?P<netrc_keep>\blogin\s{1,4}\S{1,64}\s{1,4}password\s{1,4})\S{3,}",
    "element": r"(?P<element_keep><(?i:password|passwd|secret|token|api_?key)>)[^<\n]{3,}",
    "pair": r"(?P<pair_keep>[\"'](?i:password|passwd|secret|api_?key)[\"']\s{0,4},\s{0,4}[\"'])[^\"'\n]{3,}",
    "user": r"(?P<user_keep>\bcurl\b[^\n]{0,200}?\s(?:-[A-Za-z]{0,8}u|--user)[ =][\"']?[^\s:\"']{1,64}:|\bsshpass\s{1,4}-p\s?[\"']?)[^\s\"']{4,}",
    "email": r"\b[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.){1,6}[A-Za-z]{2,}\b",
}
_OPTIONS = re2.Options()
_OPTIONS.max_mem = 32 << 20
_OPTIONS.log_errors = False
_SECRET = re2.compile(
    "|".join(f"(?P<{name}>{rule})" for name, rule in _RULES.items()), options=_OPTIONS
)
_KEY = re2.compile(
    "|".join(
        _RULES[name] for name in ("slack", "aws", "git", "hub", "model", "service", "cloud", "jwt")
    ),
    options=_OPTIONS,
)
_GROUPS = tuple(
    (name, _SECRET.groupindex[name], _SECRET.groupindex.get(f"{name}_keep")) for name in _RULES
)
_PLAIN = frozenset({"true", "false", "none", "null", "yes", "no", "auto"})
_ASSIGNED = frozenset(f"{name}{how}" for name in ("flag", "shout", "named") for how in _QUOTED)
_MIXED = frozenset({"header", "long", "field"})


def redact(text: str) -> str:
    """Hide secrets and e-mail addresses; the name of a secret stays. Idempotent.

    Addresses, hosts and users stay: `Pseudonyms` hides them where a workspace asks for it.
    """
    # What a secret ran into may be one too: each round hides more, and the last finds nothing.
    while text != (hidden := _SECRET.sub(_hide, text)):
        text = hidden
    return text


def _hide(match: re2._Match) -> str:
    name, keep = next((n, k) for n, group, k in _GROUPS if match.span(group)[0] >= 0)
    whole: str = match.group()
    if name == "email":
        return EMAIL
    kept: str = (match.group(keep) if keep else "") or ""
    secret = whole[len(kept) :]
    if not _is_hidden(name, kept, secret):
        # What is no secret as a whole may hold a key that shows by itself that it is one.
        return kept + str(_KEY.sub(REDACTED, secret))
    return f"{kept}{REDACTED}{match.group('url_end') or ''}"


def _is_hidden(name: str, kept: str, secret: str) -> bool:
    """Tell whether what a rule found is a secret, where the rule alone cannot say."""
    if name == "url":
        # A user alone names an account; with a colon, or over HTTP, it is a password or token.
        return ":" in secret or kept.startswith("http")
    if name in _ASSIGNED:
        return _is_secret(secret)
    if name == "pem_line":
        return _is_encoded(secret)
    if name in _MIXED:
        return any(char.isdigit() or char in "=+/" for char in secret) and not secret.isdigit()
    return True


def _is_secret(value: str) -> bool:
    """Tell a value that can be one: neither a number, a switch, a path nor a name of a variable."""
    bare = value.strip("`).]}")
    if bare.lower() in _PLAIN or bare.replace(".", "").replace("-", "").isdigit():
        return False
    return not bare.startswith(("$", "/", "{", "[", "(", "***")) and len(bare) >= 4


def _is_encoded(line: str) -> bool:
    """Tell a line of base64, not a ruler, a path or one repeated letter."""
    return not line.lstrip().startswith("/") and all(
        any(test(char) for char in line) for test in (str.isupper, str.islower, str.isdigit)
    )
