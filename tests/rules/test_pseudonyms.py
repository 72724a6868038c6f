import re

import pytest
from hypothesis import given, settings, strategies as st

from rules.pseudonyms import Pseudonyms

NAMES = Pseudonyms(b"a key of the workspace")
ALIAS = re.compile(r"(host|addr|user)-[0-9a-f]{6}")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("node-a7:47021:47095 [0] NCCL INFO", "HOST:47021:47095 [0] NCCL INFO"),
        ("srun: error: bigbox: task 3: Killed", "srun: error: HOST: task 3: Killed"),
        ("STEP 3.0 ON bigbox CANCELLED AT", "STEP 3.0 ON HOST CANCELLED AT"),
        ("  host      : bigbox", "  host      : HOST"),
        ("on node bigbox exited", "on node HOST exited"),
        ("gpu017.cluster.local is down", "HOST is down"),
        ("peer 10.0.0.14<50466> with error 12", "peer ADDR<50466> with error 12"),
        ("[fe80::966d:ae03:a2:8cf0]:2950", "[ADDR]:2950"),
        ("/home/sam/train.py and ~sam/x, user=sam", "/home/USER/train.py and ~USER/x, user=USER"),
        (
            "127.0.0.1:29500 and localhost, at 10:20:30",
            "127.0.0.1:29500 and localhost, at 10:20:30",
        ),
        ("torch 2.1.0 on GPU 0000:0b:00.0", "torch 2.1.0 on GPU 0000:0b:00.0"),
    ],
)
def test_hosts_addresses_and_users_get_names(text, shape):
    hidden = ALIAS.sub(lambda alias: alias[1].upper(), NAMES.apply(text))

    assert hidden == shape


def test_the_same_host_has_the_same_name_everywhere():
    first = NAMES.apply("srun: error: node-17: task 0: Killed")
    second = NAMES.apply("NODE-17:1:2 [0] NCCL WARN")

    assert ALIAS.findall(first) == ALIAS.findall(second) != []
    assert ALIAS.search(first)[0] == ALIAS.search(second)[0]


def test_hosts_known_from_the_evidence_are_hidden_in_prose():
    assert ALIAS.sub("X", NAMES.apply("bigbox died, bigboxes did not", ["bigbox"])) == (
        "X died, bigboxes did not"
    )


def test_an_address_in_a_hosts_place_is_left_to_the_setting_for_addresses():
    text = "host      : 10.0.0.14"

    assert Pseudonyms(b"k", addresses=False).apply(text) == text
    assert NAMES.apply(text).endswith(NAMES.apply("10.0.0.14"))


def test_another_key_gives_other_names():
    other = Pseudonyms(b"another key")

    assert NAMES.apply("10.0.0.14") != other.apply("10.0.0.14")


def test_each_kind_is_hidden_by_its_own_setting():
    text = "node-17 10.0.0.14 /home/sam/x"

    nothing = Pseudonyms(b"k", hosts=False, addresses=False, users=False)

    assert nothing.apply(text) == text
    assert "node-17" in Pseudonyms(b"k", hosts=False).apply(text)
    assert "10.0.0.14" in Pseudonyms(b"k", addresses=False).apply(text)
    assert "/home/sam/" in Pseudonyms(b"k", users=False).apply(text)


@pytest.mark.parametrize(
    "text",
    [
        "node-1710.0.0.1410.0.0.1410.0.0.14",
        "srun: error: " + "a" * 300 + ": task 3: Killed",
        "b" * 300 + ":47021:47095 [0] NCCL INFO",
        "/home/" + "c" * 300 + "/train.py",
    ],
)
def test_a_name_of_any_length_is_hidden_whole(text):
    once = NAMES.apply(text)

    assert NAMES.apply(once) == once
    assert not re.search(r"aaa|bbb|ccc|\.0\.0\.", once)


PARTS = [
    "node-17",
    "worker3",
    " ",
    "10.0.0.14",
    ":",
    "/home/sam/x",
    "host : bigbox",
    "srun: error: a1: task",
    "user=sam",
    "fe80::1:2",
    "\n",
    "-",
    ".",
]


@given(st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=8)), max_size=10).map("".join))
@settings(max_examples=150)
def test_hiding_twice_changes_nothing(text):
    once = NAMES.apply(text)

    assert NAMES.apply(once) == once
