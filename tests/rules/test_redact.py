import pytest
from hypothesis import given, settings, strategies as st

from rules.redact import redact
from tests.rules.growth import QUADRATIC, growth

# Made up, each in the shape of its kind.
A = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3"
HEX = "0123456789abcdef0123456789abcdef01234567"
SECRETS = {
    "slack bot": f"xoxb-1111-2222-{A}",
    "slack app": f"xapp-1-A1-2-{HEX}",
    "slack refresh": f"xoxe.xoxp-1-{A}",
    "aws id": "AKIAABCDEFGHIJKLMNOP",
    "github": f"ghp_{A}",
    "github fine": f"github_pat_11ABC_{A}",
    "gitlab": f"glpat-{A[:20]}",
    "hugging face": f"hf_{A[:34]}",
    "openai": f"sk-proj-{A}",
    "anthropic": f"sk-ant-api03-{A}",
    "nvidia": f"nvapi-{A}",
    "wandb": f"wandb_v1_{A}",
    "npm": f"npm_{A[:36]}",
    "pypi": f"pypi-{A}",
    "google key": f"AIza{A[:35]}",
    "google token": f"ya29.{A}",
    "databricks": "dapi" + HEX[:32],
    "grafana": f"glsa_{A}",
    "replicate": f"r8_{A[:37]}",
    "perplexity": f"pplx-{A}",
    "xai": f"xai-{A}{A}",
    "langsmith": f"lsv2_pt_{HEX[:32]}_{HEX[:10]}",
    "vault": f"hvs.{A}{A}",
    "terraform": f"{A[:14]}.atlasv1.{A}{A}",
    "notion": f"ntn_{A}",
    "linear": f"lin_api_{A}",
    "age": "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2,
    "tailscale": f"tskey-auth-{A}",
    "sentry": f"sntrys_{A}",
    "jwt": f"eyJhbGciOiJI.eyJzdWIiOiIx.{A}",
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_goes_wherever_it_stands(secret):
    assert redact(f"before {secret} after") == "before <redacted> after"
    assert redact(f"KeyError: '{secret}'") == "KeyError: '<redacted>'"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("export HF_TOKEN=abcd1234", "export HF_TOKEN=<redacted>"),
        ("WANDB_API_KEY: 'abcd1234'", "WANDB_API_KEY: '<redacted>'"),
        ("AWS_SECRET_ACCESS_KEY=abcd/1234+x", "AWS_SECRET_ACCESS_KEY=<redacted>"),
        ("DB_PASSWORD=hunter22", "DB_PASSWORD=<redacted>"),
        ('{"password": "hunter22", "a": 1}', '{"password": "<redacted>", "a": 1}'),
        ('"api_key": "abcd1234"', '"api_key": "<redacted>"'),
        ("client_secret=abcd1234", "client_secret=<redacted>"),
        ("AccountKey=abcd1234==;Endpoint=x", "AccountKey=<redacted>;Endpoint=x"),
        ("--wandb-key abcd1234 --epochs 3", "--wandb-key <redacted> --epochs 3"),
        ("ray start --redis-password hunter22", "ray start --redis-password <redacted>"),
        (f"token=ghp_{'a' * 36}", "token=<redacted>"),
        (f"KEY=$(echo,ghp_{'a' * 36})", "KEY=$(echo,<redacted>)"),
        (f"ssh://git@a/ghp_{'a' * 36}", "ssh://git@a/<redacted>"),
        (r"{\"password\": \"hunter2x\", \"a\": 1}", r"{\"password\": \"<redacted>\", \"a\": 1}"),
        ("password='ab,cd9;secretZ' next", "password='<redacted>' next"),
        ('DB_PASSWORD="two words" next', 'DB_PASSWORD="<redacted>" next'),
        ("--api-key 'two words' x", "--api-key '<redacted>' x"),
        ('"auth":"dXNlcjpwYXNz1g=="', '"auth":"<redacted>"'),
        ("Cookie: session=abc; csrf=def", "Cookie: <redacted>"),
        ("X-Vault-Token: s.abcdef12", "X-Vault-Token: <redacted>"),
        ("StoragePass=hunter22", "StoragePass=<redacted>"),
        ("db_pass: hunter22", "db_pass: <redacted>"),
        ("MYSQL_PWD=hunter22", "MYSQL_PWD=<redacted>"),
        (
            "curl -sSfu bob:hunter22 https://a.example",
            "curl -sSfu bob:<redacted> https://a.example",
        ),
        ("machine a login bob password hunter22", "machine a login bob password <redacted>"),
        ('{"token": "hunter2secret9abc"}', '{"token": "<redacted>"}'),
        ("https://u:p@ss/pw@a.example/x", "https://<redacted>@a.example/x"),
        ("https://u:p/w@a.example/x", "https://<redacted>@a.example/x"),
        ("<password>hunter22</password>", "<password><redacted></password>"),
        ("('password', 'hunter22')", "('password', '<redacted>')"),
        ("curl -u sam:hunter22 https://a.example", "curl -u sam:<redacted> https://a.example"),
        ("sshpass -p hunter22 ssh a", "sshpass -p <redacted> ssh a"),
        (f"discord_token={HEX}", "discord_token=<redacted>"),
        (f'{{"username":"x","key":"{HEX[:32]}"}}', '{"username":"x","key":"<redacted>"}'),
        (f"wandb login {HEX}", "wandb login <redacted>"),
        ("Authorization: Bearer abc123def456", "Authorization: Bearer <redacted>"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic <redacted>"),
        (
            "git clone https://user:pw@example.com/x.git",
            "git clone https://<redacted>@example.com/x.git",
        ),
        ("redis://:pw@10.0.0.1:6379/0", "redis://<redacted>@10.0.0.1:6379/0"),
        ("https://abcdef@ingest.example/7", "https://<redacted>@ingest.example/7"),
        (
            "https://a.example/b?sv=1&sig=abc%3D&se=2",
            "https://a.example/b?sv=1&sig=<redacted>&se=2",
        ),
        (
            "x?X-Amz-Credential=AK%2Fx&X-Amz-Signature=abcdef",
            "x?X-Amz-Credential=<redacted>&X-Amz-Signature=<redacted>",
        ),
        (
            "https://hooks.slack.com/services/T0/B0/abcdefgh12",
            "https://hooks.slack.com/services/<redacted>",
        ),
        ("mail sam.lee+x@ml.example.com now", "mail <email> now"),
        (
            "key:\n-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----\nend",
            "key:\n<redacted>\nend",
        ),
        ("-----BEGIN PRIVATE KEY-----\nabc cut off", "<redacted>"),
        (f"a\n{A}{A}\nb", "a\n<redacted>\nb"),
    ],
)
def test_the_secret_goes_and_its_name_stays(text, redacted):
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=4096 num_tokens: 512 vision_token_id: 151654",
        "tokenizer='/models/alpaca' pad_token=<pad> use_auth_token=True",
        "for key: store_based_barrier_key:1 (world_size=2, worker_count=4)",
        "retrieving ncclUniqueId from [0] via c10d key-value store by key '0'",
        "peer 10.0.0.1<50466> closed, fe80::1%ib0<17943>",
        "NCCL_SOCKET_IFNAME=eth0 MASTER_PORT=29500 NCCL_DEBUG=INFO",
        "Basic authentication is required, bearer shares rose",
        "HF_TOKEN=$HF_TOKEN API_KEY=${API_KEY} TOKEN=None",
        "KEY=1 key '0' --key-frames 3",
        "http://a.example:8080/x@v2 forward_pass: 12.5 ms, PWD=/scratch/run",
        '{"token": "the", "token": "12345678"}',
        "next token: antidisestablishmentarianism tokenizer: meta-llama-Llama-3-70B-Instruct-hf",
        "'key': 'module.transformer.layers.attention' curl -u",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "WorkNCCL(SeqNum=7, OpType=ALLREDUCE, Timeout(ms)=600000)",
        "=" * 70,
        "a" * 70,
        "/usr/" + "lib" * 25,
        "ssh://git@github.example/x _ZN3c105ErrorC2ENS_14SourceLocationE@plt",
        "sk-learn and hf_transfer and xoxo",
        "AssertionError: password",
        "",
    ],
)
def test_what_matching_needs_stays(text):
    assert redact(text) == text


PARTS = [
    *SECRETS.values(),
    "HF_TOKEN=abcd1234",
    "a@b.example",
    "--api-key x1y2",
    "\n",
    " ",
    "'",
    "=",
    "https://u:p@h/",
    "Bearer abc123def456",
    "-----BEGIN PRIVATE KEY-----",
    "password: ",
    "?sig=",
]


@given(st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=12)), max_size=10).map("".join))
@settings(max_examples=200)
def test_redacting_twice_changes_nothing(text):
    assert redact(redact(text)) == redact(text)


@given(st.text(max_size=60), st.sampled_from(sorted(SECRETS.values())), st.text(max_size=60))
@settings(max_examples=150)
def test_no_surrounding_text_saves_a_secret(before, secret, after):
    assert secret not in redact(f"{before} {secret} {after}")


HOSTILE = [
    "@",
    "a@",
    "a@b.",
    "https://a:b",
    "eyJaaaaaaaa.",
    "A_KEY=",
    "--a-key ",
    "password",
    "-----BEGIN PRIVATE KEY",
    "wandb ",
    "Bearer ",
    "?sig=",
    "xoxb-",
    "Ab1",
    "a.b@c.",
    "KEY_",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_length_of_hostile_text(unit):
    small, large = unit * (8_000 // len(unit)), unit * (128_000 // len(unit))

    assert growth(redact, small, large) < QUADRATIC
