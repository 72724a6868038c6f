"""Secrets and e-mail addresses out of a text: always, before anything is stored or shown."""

from __future__ import annotations

import re2

REDACTED = "<redacted>"
EMAIL = "<email>"

_VALUE = r"[^\s\"'<>,;&|]{4,900}"
_JOINT = r"[\"']?\s{0,4}(?:[:=]|=>)\s{0,4}[\"']?"
# Name of the group -> rule. `(?P<x_keep>...)` before the secret stays. RE2 keeps this linear.
_RULES = {
    "pem": r"(?s:-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z))",
    "pem_line": r"(?m:^[ \t]{0,8}[A-Za-z0-9+/]{60,76}={0,2}[ \t]{0,8}$)",
    "slack": r"\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,400}|\bxapp-\d-[A-Za-z0-9-]{8,400}",
    "hook": r"(?P<hook_keep>hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/webhooks/|\.webhook\.office\.com/webhookb2/)[\w/@.-]{8,400}",
    "aws": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "git": r"\bgh[pousr]_[A-Za-z0-9]{20,255}|\bgithub_pat_\w{20,255}"
    r"|\bgl(?:pat|dt|rt|cbt|ptt|soat|ft|agent|oas|imt)-[\w.-]{16,255}",
    "hub": r"\bhf_[A-Za-z0-9]{20,80}|\bapi_org_[A-Za-z0-9]{20,80}|\bdckr_pat_[\w-]{20,80}"
    r"|\bnpm_[A-Za-z0-9]{30,60}|\bpypi-[\w-]{16,400}",
    "model": r"\bsk-(?:ant-|proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,300}|\bnvapi-[\w-]{20,120}"
    r"|\bgsk_[A-Za-z0-9]{20,80}",
    "track": r"\bwandb_v\d_[\w-]{20,200}"
    r"|(?P<track_keep>(?i:wandb|comet|neptune)[^\n0-9]{0,60}\b)[0-9a-fA-F]{40}\b",
    "cloud": r"\bAIza[\w-]{30,60}|\bya29\.[\w-]{20,400}|\bdapi[0-9a-f]{32}\b|\bdop_v1_[0-9a-f]{32,80}"
    r"|\bgl(?:sa|c)_[\w+/=-]{20,300}|\bSG\.[\w-]{16,40}\.[\w-]{16,60}|\b[sr]k_live_\w{16,120}",
    "jwt": r"\beyJ[\w-]{8,900}\.eyJ[\w-]{8,900}(?:\.[\w-]{0,900})?",
    "header": r"(?P<header_keep>(?i:\b(?:bearer|basic)\s{1,4}))[A-Za-z0-9._~+/-]{8,900}={0,2}",
    "url": r"(?P<url_keep>\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@\"'<>]{1,300}(?P<url_end>@)",
    "query": r"(?P<query_keep>[?&;](?i:sig|signature|x-amz-(?:signature|credential|security-token)"
    r"|x-goog-(?:signature|credential)|awsaccesskeyid|(?:access_|auth_|api_?)?(?:token|key)|password"
    r"|secret|client_secret|code)=)[^&\s\"'<>]{4,900}",
    "flag": r"(?P<flag_keep>--?(?:[a-z0-9]{1,20}[-_]){0,5}(?i:key|token|secret|password|passwd|credentials?)"
    rf"[ =]{{1,2}}[\"']?){_VALUE}",
    "shout": r"(?P<shout_keep>\b[A-Z0-9_]{0,60}(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|APIKEY)"
    rf"{_JOINT}){_VALUE}",
    "named": r"(?P<named_keep>(?i:\b[a-z0-9_-]{0,40}(?:(?:api|access|secret|private|account|signing|encryption|license|shared)[_ -]?"
    r"(?:access[_ -]?)?key|(?:auth|access|api|bearer|refresh|session|security|bot|hub|hf|id)[_-]?token|password|passwd|passphrase"
    rf"|client[_-]?secret|sharedaccesssignature))\b{_JOINT}){_VALUE}",
    "email": r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}\b",
}
_SECRET = re2.compile("|".join(f"(?P<{name}>{rule})" for name, rule in _RULES.items()))
_GROUPS = tuple(
    (name, _SECRET.groupindex[name], _SECRET.groupindex.get(f"{name}_keep")) for name in _RULES
)
_PLAIN = frozenset({"true", "false", "none", "null", "yes", "no", "auto"})
_ASSIGNED = frozenset({"flag", "shout", "named"})


def redact(text: str) -> str:
    """Hide secrets and e-mail addresses; the name of a secret stays. Idempotent.

    Addresses, hosts and users stay: `Pseudonyms` hides them where a workspace asks for it.
    """
    return _SECRET.sub(_hide, text) if text else text


def _hide(match: re2._Match) -> str:
    name, keep = next((n, k) for n, group, k in _GROUPS if match.span(group)[0] >= 0)
    whole: str = match.group()
    if name == "email":
        return EMAIL
    kept: str = (match.group(keep) if keep else "") or ""
    secret = whole[len(kept) :]
    if name == "url":
        # A user alone names an account; with a colon, or over HTTP, it is a password or token.
        secret_user = ":" in secret or kept.startswith("http")
        return f"{kept}{REDACTED}@" if secret_user else whole
    if name in _ASSIGNED and not _is_secret(secret):
        return whole
    if name == "header" and not any(char.isdigit() or char in "=+/" for char in secret):
        return whole
    return kept + REDACTED


def _is_secret(value: str) -> bool:
    """A value that can be one: neither a number, a switch, a path nor a name of a variable."""
    bare = value.strip("`).]}")
    if bare.lower() in _PLAIN or bare.replace(".", "").replace("-", "").isdigit():
        return False
    return not bare.startswith(("$", "/", "{", "[", "(", "***")) and len(bare) >= 4
