"""What is masked and what is left alone. Keys are made up at run time so that no scanner trips over them."""

from __future__ import annotations

import base64
import hashlib
import random
import re
import string
import time
import uuid
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.secrets import _LONG_RUN, _VENDORS, find, mask

ALNUM = string.ascii_letters + string.digits


def made_up(length: int, alphabet: str = ALNUM, seed: int = 7) -> str:
    letters = random.Random(seed)
    return (
        "A1b2" + "".join(letters.choices(alphabet, k=length - 4))
        if alphabet == ALNUM
        else "".join(letters.choices(alphabet, k=length))
    )


def made_up_jwt() -> str:
    part = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    return ".".join([part, part, made_up(43)])


HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
TOKENS = {
    "aws-access-key": "AK" + "IA" + made_up(16, UPPER),
    "github-token": "gh" + "p_" + made_up(36),
    "github-fine-grained": "github" + "_pat_" + made_up(82),
    "gitlab-token": "gl" + "pat-" + made_up(20),
    "slack-token": "xo" + "xb-" + "123456789012-" + made_up(24),
    "google-api-key": "AI" + "za" + made_up(35),
    "google-oauth": "ya" + "29." + made_up(60),
    "stripe-key": "sk" + "_live_" + made_up(24),
    "npm-token": "np" + "m_" + made_up(36),
    "pypi-token": "py" + "pi-AgEI" + made_up(100),
    "openai-key": "s" + "k-proj-" + made_up(48),
    "anthropic-key": "s" + "k-ant-api03-" + made_up(90),
    "huggingface-token": "h" + "f_" + made_up(34),
    "sendgrid-key": "S" + "G." + made_up(22) + "." + made_up(43),
    "twilio-key": "S" + "K" + made_up(32, HEX),
    "jwt": made_up_jwt(),
    "jwe": ".".join([made_up_jwt().split(".")[0], *(made_up(length) for length in (40, 16, 30, 22))]),
    "slack-client": "xo" + "xc-" + "1234567890-1234567890-" + made_up(40, HEX),
    "slack-refresh": "xo" + "xe-1-" + made_up(140),
    "stripe-organisation": "sk" + "_org_live_" + made_up(40),
    "gitlab-job": "gl" + "cbt-64_" + made_up(20),
    "gitlab-routable": "gl" + "pat-" + made_up(27) + ".01.0a1b2c3d4",
    "google-refresh": "1/" + "/0g" + made_up(60),
    "azure-client-secret": "a1b" + "8Q" + "~" + made_up(34),
    "azure-devops": made_up(76) + "AZ" + "DO" + made_up(4),
    "discord-token": "MTk4" + made_up(20) + ".Cl2FMQ." + made_up(27),
    "postman-key": "PM" + "AK-" + made_up(24, HEX) + "-" + made_up(34, HEX),
    "terraform-token": made_up(14) + ".atlas" + "v1." + made_up(67),
    "pulumi-token": "pu" + "l-" + made_up(40, HEX),
    "tailscale-key": "ts" + "key-auth-" + made_up(16) + "-" + made_up(32),
    "figma-token": "fi" + "gd_" + made_up(40),
    "1password-token": "op" + "s_eyJ" + made_up(250),
    "facebook-token": "EA" + "ACEdEose0cBA" + made_up(100),
    "a vendor nobody has heard of": "novel" + "_pat_" + made_up(36),
    "another": "XYZ" + "-" + made_up(40),
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
@pytest.mark.parametrize(
    "frame", ["{}", "use {} here", "key: '{}'", '{{"k":"{}"}}', "({})", "x={}\n", "`{}`."]
)
def test_vendor_keys_are_masked_in_any_surroundings(token: str, frame: str) -> None:
    masked = mask(frame.format(token))
    assert masked.count == 1
    assert token not in masked.text
    assert token[-8:] not in masked.text
    assert "[MASKED:" in masked.text


ASSIGNMENTS = [
    "DB_PASSWORD=hunter2xyz",
    "export API_TOKEN={random}",
    "password: hunter2!",
    'password = "tr0ub4dor"',
    '"client_secret": "{random}"',
    "apiKey: '{random}'",
    "aws_secret_access_key = {random}",
    "X-Api-Key: {random}",
    "Server=db;User Id=sa;Password=Pa55word;",
    "tool --token {random} --verbose",
    "SECRET_KEY = '{hex}'",
    "Authorization: Bearer {random}",
    "curl -H 'authorization: token {random}'",
    "Authorization: Basic {random}==",
    '{"body": "{\\"password\\": \\"hunter2!x\\"}"}',
    "<password>hunter2x</password>",
    "https://api.example.org/v1?limit=5&api_key={random}&page=2",
    "machine example.org login me password s3cret",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "DB_PASSWORD=letmein",
    'MYSQL_ROOT_PASSWORD="letmein"',
    "//registry.npmjs.org/:_authToken=3f2b1c9e-77aa-4d2e-9f10-0a1b2c3d4e5f",
    "_auth=dXNlcjpwYXNzd29yZDEyMw==",
    '{"auths": {"registry": {"auth": "dXNlcjpwYXNzd29yZDEyMw=="}}}',
    "curl -s -u admin:hunter2 https://example.org",
    "Ocp-Apim-Subscription-Key: {random}",
    "https://acct.blob.core.windows.net/c?sv=2022&sig={random}abc%3D",
    "https://hooks.slack.com/workflows/T01ABCDEF/A02ABC/1234567890/{random}",
    "https://discord.com/api/webhooks/198622483471925248/{random}",
    "Private-Lines: 1\n{random}\nPrivate-MAC: none",
    "secrets['db_password'] = 'hunter2!x'",
]


@pytest.mark.parametrize("line", ASSIGNMENTS)
def test_values_that_their_name_calls_secret_are_masked(line: str) -> None:
    line = line.replace("{random}", made_up(40)).replace("{hex}", made_up(50, HEX))
    masked = mask(line)
    assert masked.count == 1, masked.text
    assert masked.text.split("[MASKED")[0] in line


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://app:s3cr3t@db.example.org/app",
        "https://user:p%40ss@host:8443/x",
        "redis://:pass@cache:6379/0",
        "postgres://app:p@ss@w0rd@db.example.org:5432/x",
    ],
)
def test_urls_lose_their_password_and_nothing_else(url: str) -> None:
    masked = mask(f"see {url} there")
    assert masked.count == 1
    before, after = masked.text.split("[MASKED:url-password]")
    assert f"see {url} there".startswith(before)
    assert f"see {url} there".endswith(after)


def test_a_token_in_place_of_the_user_is_masked() -> None:
    assert mask(f"git clone https://{made_up(40)}@git.example.org/x.git").count == 1


def private_key(lines: int = 6) -> str:
    body = "\n".join(made_up(64, seed=number) for number in range(lines))
    return f"-----BEGIN RSA PRIVATE{' '}KEY-----\n{body}\n-----END RSA PRIVATE{' '}KEY-----"


def test_a_private_key_is_masked_from_begin_to_end() -> None:
    masked = mask(f"before\n{private_key()}\nafter")
    assert masked.text == "before\n[MASKED:private-key]\nafter"
    assert masked.count == 1


def test_a_private_key_cut_short_or_on_one_line_is_masked() -> None:
    assert mask(private_key()[:200] + "\n\nNext paragraph.").text == "[MASKED:private-key]\n\nNext paragraph."
    assert mask(repr(private_key())).text == "'[MASKED:private-key]'"


def test_two_private_keys_are_two_secrets() -> None:
    assert (
        mask(private_key() + "\nand\n" + private_key()).text
        == "[MASKED:private-key]\nand\n[MASKED:private-key]"
    )


ORDINARY = [
    "The markers `-----BEGIN PRIVATE KEY-----` and `-----END PRIVATE KEY-----` enclose a key.",
    hashlib.sha256(b"x").hexdigest(),
    hashlib.sha1(b"x").hexdigest(),
    str(uuid.UUID(int=2**100 + 12345)),
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 8).decode(),
    "token = get_token(request)",
    "password: str | None = None",
    "api_key=os.environ['API_KEY']",
    "const token: string = props.token;",
    "secret = settings.SECRET_V2_NAME",
    'password = "password"',
    'type="password" name="password"',
    "token_limit = 32000000",
    "max_tokens: 1234567890123456",
    "DB_PASSWORD=${DB_PASSWORD}",
    'token: "<your-token-here-1234>"',
    "tokenizer = AutoTokenizer2000",
    "secret_name: my-secret-2024-01-prod",
    "private_key: Ed25519PrivateKey",
    "private_key = ed25519.Ed25519PrivateKey.from_private_bytes",
    "css class sk-loading-indicator-animation",
    "https://example.org/path?user=a@b.c",
    "mailto:someone@example.org",
    "socks5://<username>:<password>@proxy-host2",
    "git@github.com:org/repo.git",
    "postgres://user:${PASSWORD}@host/db",
    "password reset emails2024 are sent",
    "The bearer of this-long-hyphenated-word shall pass",
    "https://www.youtube.com/playlist?list=PLPAWfysb_wUx259mARAAWuYttD7b6nauh",
    "https://docs.example.org/d/abc-1A2b3C4d5E6f7G8h9I0j1K2l3M4n/edit",
    "test_thatUserAccountV2IsLoadedFromDatabase3Times",
    "feature-2024-Q3-release-candidate-7-Windows11-ARM64",
    "PASSWORD=password",
    "curl -u $USER:$PASSWORD https://example.org",
    "integrity sha512-" + base64.b64encode(hashlib.sha512(b"x").digest()).decode(),
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_and_code_are_left_alone(text: str) -> None:
    assert find(text) == []
    assert mask(text).text == text


@settings(max_examples=200)
@given(st.sampled_from(_VENDORS).flatmap(lambda vendor: st.from_regex(re.compile(vendor[2]), fullmatch=True)))
def test_vendor_keys_are_long_enough_to_be_looked_for(key: str) -> None:
    assert _LONG_RUN.search(key)


def test_own_patterns_mask_too() -> None:
    assert mask("card 1234-5678", [r"\d{4}-\d{4}"]).text == "card [MASKED:custom]"
    assert mask("pin=9876 ok", [r"pin=(\d+)"]).text == "pin=[MASKED:custom] ok"
    assert mask("nothing", [r"x*"]).count == 0


def test_an_own_pattern_that_is_broken_is_named() -> None:
    with pytest.raises(CueError, match="not a regular expression") as caught:
        mask("text", ["("])
    assert caught.value.code is ErrorCode.CONFIGURATION


def test_masking_twice_changes_nothing_more() -> None:
    text = "\n".join([*TOKENS.values(), *ASSIGNMENTS, private_key(), "https://a:b1c2@d.e/"])
    once = mask(text.replace("{random}", made_up(40)))
    assert mask(once.text).text == once.text
    assert mask(once.text).count == 0


@given(st.text(max_size=400))
def test_any_text_is_only_ever_changed_where_a_secret_was(text: str) -> None:
    found = find(text)
    assert mask(text).count == len(found)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


HOSTILE = [
    "-----BEGIN PRIVATE KEY-----", "eyJ", "eyJaaaaaaaa.", "://a:", "a:b@", "token=", "token    ",
    "password='", "sk-", "AKIA", "bearer ", " ", "\n", "a", "xoxb-1-", "1" * 10 + ":AA",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_repetition_is_searched_in_linear_time(unit: str) -> None:
    text = unit * (500_000 // len(unit))
    started = time.process_time()
    mask(text)
    assert time.process_time() - started < 3
