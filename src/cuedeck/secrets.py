"""Finds and masks secrets in text, in time linear in its length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from cuedeck.model.errors import CueError, ErrorCode

_MASK: Final = "[MASKED:"


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, and what it seems to be."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and how many there were."""

    text: str
    count: int


def mask(text: str, extra_patterns: Sequence[str] = ()) -> Masked:
    """Replace every secret by ``[MASKED:kind]``; masking twice changes nothing more.

    Of an extra pattern with groups, the first group is the secret, otherwise the whole match.
    """
    secrets = find(text, extra_patterns)
    pieces, at = [], 0
    for secret in secrets:
        pieces += [text[at : secret.start], f"{_MASK}{secret.kind}]"]
        at = secret.end
    return Masked("".join([*pieces, text[at:]]), len(secrets))


def find(text: str, extra_patterns: Sequence[str] = ()) -> list[Secret]:
    """Every secret in the text, in order, none overlapping another."""
    found = [*_private_keys(text), *_credentials(text), *_assignments(text)]
    for pattern in _vendors(long=_LONG_RUN.search(text) is not None):
        found += pattern.find(text)
    for source in extra_patterns:
        found += _Pattern("custom", (), _compiled(source)).find(text)
    return _merged(one for one in found if not text.startswith(_MASK, one.start))


def _merged(found: Iterable[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for secret in sorted(found, key=lambda one: (one.start, -one.end)):
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Secret(last.kind, last.start, max(last.end, secret.end))
        else:
            merged.append(secret)
    return merged


@cache
def _compiled(source: str) -> re.Pattern[str]:
    try:
        return re.compile(source)
    except re.error as error:
        raise CueError(
            ErrorCode.CONFIGURATION,
            f"The secret pattern {source!r} is not a regular expression: {error}",
            hint="Correct it in scene.secret_patterns.",
        ) from error


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A shape of secret; a text that holds none of the hints is not searched at all."""

    kind: str
    hints: tuple[str, ...]
    shape: re.Pattern[str]
    check: Callable[[str], bool] = bool

    def find(self, text: str) -> Iterator[Secret]:
        if self.hints and not any(hint in text for hint in self.hints):
            return
        group = 1 if self.shape.groups else 0
        for match in self.shape.finditer(text):
            if match[group] and self.check(match[group]):
                yield Secret(self.kind, *match.span(group))


def _random(value: str) -> bool:
    """Whether it looks drawn by a machine rather than written: digits among letters, few repeats."""
    digits = sum(char.isdigit() for char in value)
    # A long one may well hold a single digit.
    if digits < (1 if len(value) >= 32 else 2) or not any(char.isalpha() for char in value):
        return False
    return len(set(value)) >= min(8, len(value) // 2) and not _written(value)


def _drawn(token: str) -> bool:
    """Whether what follows a token's first part was drawn from letters of both cases and digits."""
    first, *parts = _SEPARATOR.split(token)
    return not first.startswith(("sha", "md5")) and any(map(_shuffled, parts))


def _shuffled(part: str) -> bool:
    """Whether letters of both cases and digits take turns as chance lets them, which names in code do not."""
    if len(part) < 16 or len(_SMALL_LETTERS.findall(part)) > 1:
        return False
    kinds = "".join("0" if char.isdigit() else "A" if char.isupper() else "a" for char in part)
    changes = sum(before != after for before, after in pairwise(kinds))
    return min(map(kinds.count, "0Aa")) >= 2 and changes >= 0.36 * (len(kinds) - 1)


def _no_placeholder(value: str) -> bool:
    return not _PLACEHOLDER.match(value)


def _written(value: str) -> bool:
    """Whether it reads like a name in code: joined words, dotted names, a long word between humps."""
    if _JOINED_WORDS.fullmatch(value) or _DOTTED_NAMES.fullmatch(value):
        return True
    return _LONG_WORD.search(value) is not None and len(_DIGITS.findall(value)) <= 2


_JOINED_WORDS: Final = re.compile(r"[A-Za-z]+\d{0,2}(?:[_./-][A-Za-z]*\d{0,2})*+")
_DOTTED_NAMES: Final = re.compile(r"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)+")
_LONG_WORD: Final = re.compile(r"[A-Z][a-z]{5}")
_DIGITS: Final = re.compile(r"\d+")
_SEPARATOR: Final = re.compile(r"[_-]")
_SMALL_LETTERS: Final = re.compile(r"[a-z]{5,}")


# Kind, what the text must hold to be searched at all, and the shape. The first group is the secret.
# All of these have a part as long as ``_LONG_RUN``.
_VENDORS: Final = (
    ("aws-access-key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}+"),
    ("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}+"),
    (
        "gitlab-token",
        "gl",
        r"gl(?:pat|dt|rt|ptt|ft|soat|agent|imt|cbt|oas)-[A-Za-z0-9_-]{20,255}+(?:\.[a-z0-9]{2,9}+){0,2}",
    ),
    ("slack-token", "xox", r"xox[a-eoprs]-[A-Za-z0-9%-]{10,512}+"),
    ("slack-token", "xapp- xwfp-", r"x(?:app-\d|wfp)-[A-Za-z0-9-]{20,255}+"),
    (
        "slack-webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,120}+)",
    ),
    (
        "discord-webhook",
        "/api/webhooks/",
        r"https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{1,20}/([A-Za-z0-9_-]{40,100}+)",
    ),
    ("discord-token", ".", r"[MNO][A-Za-z0-9]{22,27}+\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}+"),
    ("teams-webhook", "webhook.office.com", r"https://[\w.-]{1,80}webhook\.office\.com/([\w/@-]{40,300}+)"),
    ("google-api-key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    ("google-oauth", "ya29. GOCSPX-", r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,512}+"),
    ("google-refresh-token", "1//0", r"1//0[A-Za-z0-9_-]{40,200}+"),
    ("firebase-key", ":APA91", r"[A-Za-z0-9_-]{11,22}+:APA91[A-Za-z0-9_-]{100,200}+"),
    ("stripe-key", "_live_ _test_", r"[rsp]k_(?:org_)?(?:live|test)_[A-Za-z0-9]{16,255}+"),
    ("stripe-webhook", "whsec_", r"whsec_[A-Za-z0-9]{24,255}+"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    ("pypi-token", "pypi-", r"pypi-A[A-Za-z0-9_-]{50,512}+"),
    ("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,255}+"),
    ("openai-key", "sk-", r"sk-[A-Za-z0-9_-]{20,255}+"),
    ("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,64}+"),
    ("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,64}+"),
    ("twilio-key", "SK", r"SK[0-9a-f]{32}"),
    ("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    ("docker-token", "dckr_pat_", r"dckr_pat_[A-Za-z0-9_-]{20,64}+"),
    ("telegram-token", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("mailgun-key", "key-", r"key-[0-9a-f]{32}"),
    ("databricks-token", "dapi", r"dapi[0-9a-f]{32}"),
    ("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,64}+"),
    ("notion-token", "secret_ ntn_", r"(?:secret|ntn)_[A-Za-z0-9]{40,64}+"),
    ("vault-token", "hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_-]{24,255}+"),
    ("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,64}+"),
    ("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    ("supabase-token", "sbp_", r"sbp_[a-f0-9]{40}"),
    ("grafana-token", "glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9_=+/]{32,255}+"),
    ("atlassian-token", "ATATT", r"ATATT3[A-Za-z0-9_=-]{50,255}+"),
    ("newrelic-key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    ("square-token", "sq0", r"sq0[a-z]{3}-[0-9A-Za-z_-]{22,43}+"),
    ("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    ("figma-token", "figd_", r"figd_[A-Za-z0-9_-]{38,44}+"),
    ("tailscale-key", "tskey-", r"tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9]{10,20}(?:-[A-Za-z0-9]{20,40})?"),
    ("circleci-token", "CCIP", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{20,24}_[a-f0-9]{40}"),
    ("crates-token", "cio", r"cio[A-Za-z0-9]{32}"),
    ("postman-key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("doppler-token", "dp.", r"dp\.(?:ct|pt|st|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}+"),
    ("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}+"),
    ("pulumi-token", "pul-", r"pul-[a-f0-9]{40}"),
    ("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    ("sourcegraph-token", "sgp_", r"sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}"),
    ("brevo-key", "xkeysib-", r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    ("fly-token", "fm1 fm2_ fo1_", r"f(?:m[12][ar]?|o1)_[A-Za-z0-9+/=_-]{40,2000}+"),
    ("nuget-key", "oy2", r"oy2[a-z0-9]{43}"),
    ("clojars-token", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
    ("jfrog-token", "AKCp cmVmdGtu", r"(?:AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56})"),
    ("1password-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9_=+/-]{100,2000}+"),
    ("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9_=+/-]{40,500}+"),
    ("mapbox-token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,400}+\.[A-Za-z0-9_-]{16,40}+"),
    ("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ("facebook-token", "EAA", r"EAA[A-Za-z0-9]{80,300}+"),
    ("bedrock-key", "ABSK", r"ABSK[A-Za-z0-9+/]{100,300}+={0,2}"),
    ("azure-devops-token", "AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    ("azure-devops-token", "PAT", r"[A-Z0-9_]{0,64}PAT\s?[:=]\s?['\"]?([a-z0-9]{52})"),
    ("azure-client-secret", "Q~", r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}+"),
    (
        "azure-key",
        "AccountKey= SharedAccessKey=",
        r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,88}+={0,2})",
    ),
    ("azure-signature", "sig=", r"sig=((?:[A-Za-z0-9+/]|%2[BbFf]){43}(?:=|%3[Dd]))"),
    ("azure-function-key", "code=", r"code=([A-Za-z0-9_-]{52,54}==?)"),
    ("jwt", "eyJ", r"eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{4,}+\.[A-Za-z0-9_-]{8,}+"),
    ("jwe", "eyJ", r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]{8,}+){3}"),
    # A name, a separator, and what nobody would write by hand: how most vendors make tokens now.
    ("token", "_ -", r"(?<!/)(?:[a-z][a-z0-9]{1,11}|[A-Z][A-Z0-9]{1,11})[_-][A-Za-z0-9_-]{24,512}+"),
)
_LONG_RUN: Final = re.compile(r"[\w%+/=.:~@-]{15}")
# These may be as short as people choose.
_CHOSEN: Final = (
    (
        "netrc",
        "machine ",
        r"machine\s{1,4}\S{1,256}+\s{1,4}login\s{1,4}\S{1,256}+\s{1,4}password\s{1,4}(\S{1,256}+)",
    ),
    ("login", "curl", r"curl\b[^\n]{0,200}? (?:-u|--user)[ =]['\"]?[^\s:'\"]{1,64}+:([^\s'\"]{4,128}+)"),
    (
        "login",
        '_auth "auth"',
        r"(?:_auth|\"auth\")\s{0,2}[:=]\s{0,2}['\"]?([A-Za-z0-9+/]{12,512}+={0,2})",
    ),
    (
        "private-key",
        "Private-Lines:",
        r"Private-Lines: \d{1,3}((?:\r?\n[A-Za-z0-9+/=]{4,64}+(?=\r?\n|\Z)){1,200})",
    ),
)


@cache
def _vendors(*, long: bool) -> tuple[_Pattern, ...]:
    # A token starts where no longer word could contain it; so each is looked at once.
    return tuple(
        _Pattern(
            kind,
            tuple(hints.split()),
            re.compile(rf"(?<![A-Za-z0-9_-]){body}(?![A-Za-z0-9])"),
            _CHECKS.get(kind, bool),
        )
        for kind, hints, body in ((*_VENDORS, *_CHOSEN) if long else _CHOSEN)
    )


_CHECKS: Final = {"openai-key": _random, "token": _drawn, "login": _no_placeholder}


_BEGIN_KEY: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END_KEY: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY: Final = re.compile(r"[A-Za-z0-9+/]{24}")
_KEY_LINES: Final = re.compile(r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{24,})*")
_LONGEST_KEY: Final = 65_536


def _private_keys(text: str) -> Iterator[Secret]:
    at = 0
    while begin := _BEGIN_KEY.search(text, at):
        at = begin.end()
        following = _BEGIN_KEY.search(text, at, at + _LONGEST_KEY)
        last = following.start() if following else min(len(text), at + _LONGEST_KEY)
        closing = text.find("-----END", at, last)
        end = _END_KEY.match(text, closing) if closing >= 0 else None
        # A key cut off half-way is still a key; the markers alone, as in prose, are not.
        stop = end.end() if end else _KEY_LINES.match(text, at).end()  # type: ignore[union-attr]
        if _KEY_BODY.search(text, at, stop):
            yield Secret("private-key", begin.start(), stop)
            at = stop


# People leave an "@" in a password as it is; what follows the last one is the host.
_USERINFO: Final = re.compile(r"://([^\s/?#:@'\"<>`]{0,128}+)(?::([^\s/?#'\"<>`]{1,256}))?@[A-Za-z0-9\[]")
_AUTHORIZATION: Final = re.compile(
    r"\b(?:bearer|basic|authorization:\s{0,3}token)\s{1,3}([A-Za-z0-9._~+/-]{16,4096}+=*)", re.IGNORECASE
)


def _credentials(text: str) -> Iterator[Secret]:
    if "://" in text:
        for match in _USERINFO.finditer(text):
            user, password = match.groups()
            if password is not None and not _PLACEHOLDER.match(password):
                yield Secret("url-password", *match.span(2))
            elif password is None and len(user) >= 20 and _random(user):
                yield Secret("url-token", *match.span(1))
    for match in _AUTHORIZATION.finditer(text):
        if _random(match[1]):
            yield Secret("authorization", *match.span(1))


# A reference, a template or an example stands for a secret without being one.
_PLACEHOLDER: Final = re.compile(
    r"[$%<{(\[]|\*\*|x{3,}|\.{3}|your|example|placeholder|changeme|redacted", re.IGNORECASE
)

_ASSIGNMENT: Final = re.compile(
    r"(?<!publickey)(?P<name>pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|(?:access|account|private|signing|encryption|auth|master|subscription)[_-]?key"
    r"|credentials?)"
    r"(?P<rest>[A-Za-z0-9_.-]{0,24}+)(?:\\{0,2}['\"])?\]?[ \t]{0,4}(?P<sign>=>|:=|=|:|>|[ \t])[ \t]{0,4}"
    r"(?:\\{0,2}(?P<quote>['\"`])(?P<quoted>[^'\"`\s\\]{6,512}+)\\{0,2}(?P=quote)|(?P<bare>[^\s'\"`,;(){}\[\]<>|&]{6,512}+))",
    re.IGNORECASE,
)
# What follows the word says that the value is about the secret, not the secret itself.
_ABOUT: Final = re.compile(
    r"[_.-]?(?:id|ids|name|type|kind|url|uri|file|path|dir|hash|sha\d*|digest|md5|length|len|size|count|limits?|field"
    r"|prefix|suffix|regex|pattern|format|version|expir\w*|ttl|age|policy|manager|provider|class|param\w*|header|label"
    r"|izer\w*|iz\w*|ized|s)(?![a-z])",
    re.IGNORECASE,
)
_SETTING: Final = re.compile(r"[A-Z0-9_]*\Z")


def _assignments(text: str) -> Iterator[Secret]:
    for match in _ASSIGNMENT.finditer(text):
        group = "quoted" if match["quoted"] else "bare"
        value = match[group]
        if _PLACEHOLDER.match(value) or _ABOUT.match(match["rest"]):
            continue
        if _assigned_secret(match, value, quoted=group == "quoted"):
            yield Secret("secret", *match.span(group))


def _assigned_secret(match: re.Match[str], value: str, *, quoted: bool) -> bool:
    """Whether the value, given how its name is written, is a secret rather than code."""
    if match["sign"].isspace() and not match.string.endswith("--", 0, match.start()):
        return False
    if match["sign"] == ">" and not match.string.startswith("</", match.end()):
        return False
    if len(value) >= 16 and _random(value):
        return True
    if not match["name"].lower().startswith(("pass", "pwd", "secret")):
        return False
    written_as_setting = match["name"].isupper() and _SETTING.match(match["rest"]) is not None
    if written_as_setting and _in_environment(match, value, quoted=quoted):
        return True
    if quoted or written_as_setting:
        return _mixed(value)
    return _mixed(value) and _BARE_PASSWORD.fullmatch(value) is not None


def _in_environment(match: re.Match[str], value: str, *, quoted: bool) -> bool:
    """Whether a password, though of letters only, stands where nothing else can: ``DB_PASSWORD=letmein``."""
    between = match.string[match.end("name") : match.start("quoted" if quoted else "bare")]
    return match["name"] == "PASSWORD" and between in ("=", "='", '="') and value.lower() != "password"


_BARE_PASSWORD: Final = re.compile(r"[^.:/\\]+")


def _mixed(value: str) -> bool:
    """Letters and something else, as people make up passwords; names and words are letters only."""
    letters = any(char.isalpha() for char in value)
    others = any(not char.isalpha() and char not in "_-./ " for char in value)
    return letters and others
