from __future__ import annotations

import pytest

from rules.lint import CHECKS, Severity, lint
from rules.load import read
from rules.source import FILL_IN
from tests.rules.kb_files import fields, names, read_entries, write

STEP = {"id": "step", "do": "Do it.", "success_rate": 0.6}
OTHER = {"id": "other-step", "do": "Do it otherwise.", "success_rate": 0.4}


def with_step(**changes):
    return fields(workarounds=[{**STEP, **changes}, OTHER])


def signed(identity, *signatures, **changes):
    return fields(identity, signatures=list(signatures), samples=None, **changes)


FAULTS = {
    "unknown-entry": [fields(yields_to=["nccl/nowhere"])],
    "ring-of-yields": [
        fields("nccl/a", yields_to=["nccl/b"]),
        fields("nccl/b", yields_to=["nccl/c"]),
        fields("nccl/c", yields_to=["nccl/a"]),
    ],
    "needless-yield": [fields("nccl/a", yields_to=["nccl/b", "nccl/b"]), fields("nccl/b")],
    "same-id-twice": [fields(workarounds=[STEP, STEP])],
    "unescaped-period": [signed("nccl/a", {"regex": "torch.distributed lost"})],
    "signature-too-short": [signed("nccl/a", {"text": "lost"})],
    "same-signature": [signed("nccl/a", {"text": "the widget is gone"}),
                       signed("nccl/b", {"text": "The  widget is GONE"})],
    "dead-signature": [
        signed("nccl/a", {"text": "the widget is gone for good"}, yields_to=["nccl/b"]),
        signed("nccl/b", {"text": "widget is gone"}),
    ],
    "gate-shuts-itself": [fields(unless=["widget lost"])],
    "sample-lost": [fields(samples={"match": [{"text": "RuntimeError: something else entirely"}]})],
    "few-samples": [fields(samples=None)],
    "sample-is-signature": [fields(samples={"match": [{"text": "widget-lost widget lost in transit"}]})],
    "sample-twice": [fields(samples={"match": [{"text": "x: widget-lost widget lost in transit"}] * 2})],
    "no-source": [fields(sources=[])],
    "few-sources": [fields(sources=["https://example.org/1"])],
    "few-steps": [fields(dead_ends=[])],
    "rates-alike": [fields(workarounds=[{**STEP, "id": f"s{n}"} for n in range(3)])],
    "unreadable-versions": [fields(versions={"pytorch": "new"})],
    "role-at-odds": [fields(role="wrapper")],
    "rate-over-steps": [fields(fix_rate=0.2)],
    "hidden-danger": [with_step(run="sudo reboot")],
    "secret": [with_step(run="export TOKEN=ghp_" + "a1B2" * 9)],
    "real-host": [with_step(run="ssh gpu-17.cluster.acme.com")],
    "too-long": [with_step(run="x" * 2500)],
    "long-first-sentence": [fields(root_cause="word " * 90)],
    "unsafe-link": [with_step(details="see [this](javascript:alert(1))")],
    "unfinished": [fields(root_cause=f"{FILL_IN}: what happens")],
}  # fmt: skip


def test_a_good_entry_has_no_issue(tmp_path):
    assert lint(read_entries(tmp_path, fields())) == []


@pytest.mark.parametrize("check", FAULTS)
def test_a_fault_is_found_by_its_check(check, tmp_path):
    issues = lint(read_entries(tmp_path, *FAULTS[check]))

    assert check in names(issues)


def test_every_check_has_a_fault_that_it_finds():
    tested_at_load = {"regex-cannot-run"}

    assert {check.name for check in CHECKS} == FAULTS.keys() | tested_at_load


def test_every_check_says_how_to_mend():
    assert all(len(check.advice) > 10 for check in CHECKS)


def test_the_shipped_regexes_run_in_both_engines():
    from rules.load import shipped
    from rules.regex import find_faults

    entries = read([shipped()]).base.entries.values()
    regexes = {s.regex for entry in entries for s in entry.signatures if s.regex}

    assert {regex: faults for regex in regexes if (faults := find_faults(regex))} == {}


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("mkfs.ext4 /dev/nvme0n1", "makes a file system"),
        ("nvidia-smi --gpu-reset -i 3", "resets a GPU"),
        ("sudo nvidia-smi -i 3 -r", "resets a GPU"),
        ("sudo rmmod nvidia_uvm", "unloads"),
        ("kubectl delete node $NODE", "deletes"),
        ("kubectl drain $NODE", "drains"),
        ("scontrol update nodename=$NODE state=drain reason=x", "drains"),
        ("rm -rf $DIR/cache", "deletes files"),
        ("scancel -u $USER", "ends processes"),
        ("pkill -9 python", "ends processes"),
        ("sudo systemctl restart nvidia-fabricmanager", "restarts a service"),
    ],
)
def test_a_dangerous_step_needs_a_word_of_warning(run, words, tmp_path):
    entry = with_step(do="Carry this out.", run=run)

    silent = lint(read_entries(tmp_path / "a", entry))
    honest = lint(
        read_entries(tmp_path / "b", with_step(do="Carry this out.", run=run, risk="data-loss"))
    )

    assert [i.message for i in silent if i.check == "hidden-danger" and words in i.message]
    assert "hidden-danger" not in names(honest)


@pytest.mark.parametrize(
    "step",
    [
        {"do": "Delete the stale cache.", "run": "rm -rf ~/.cache/torch_extensions"},
        {"do": "Drain the node.", "run": "scontrol update nodename=$NODE state=drain reason=x"},
        {"do": "Look at it.", "run": "grep -c Xid dmesg.log   # then reboot if it is more than 3"},
        {"do": "Stop what is left over.", "run": "pkill -u $USER -f train.py"},
    ],
)
def test_a_step_that_says_what_it_does_passes(step, tmp_path):
    assert "hidden-danger" not in names(lint(read_entries(tmp_path, with_step(**step))))


@pytest.mark.parametrize(
    "run", ["ping $MASTER_ADDR", "curl -I https://huggingface.co", "ssh node-a", "ping 10.0.0.7",
            "docker pull nvcr.io/nvidia/pytorch:24.05-py3", "dig @8.8.8.8 example.com"]
)  # fmt: skip
def test_made_up_hosts_and_public_services_pass(run, tmp_path):
    assert "real-host" not in names(lint(read_entries(tmp_path, with_step(run=run))))


def test_an_issue_names_the_line_and_comes_in_order(tmp_path):
    reading = read_entries(tmp_path, fields(fix_rate=0.2, yields_to=["nccl/x", "nccl/y"]))
    path = tmp_path / "nccl/widget-lost.yaml"
    numbers = {line.strip(): n for n, line in enumerate(path.read_text().splitlines(), 1)}

    issues = lint(reading)

    assert [(i.line, i.check) for i in issues] == [
        (numbers["fix_rate: 0.2"], "rate-over-steps"),
        (numbers["- nccl/x"], "unknown-entry"),
        (numbers["- nccl/y"], "unknown-entry"),
    ]
    assert str(issues[0]).startswith(f"{path}:{numbers['fix_rate: 0.2']}: warning: ")


def test_broken_files_are_told_beside_the_issues_of_the_others(tmp_path):
    write(tmp_path, fields("nccl/good", fix_rate=0.2))
    (tmp_path / "nccl/bad.yaml").write_text("[", encoding="utf-8")

    issues = lint(read([tmp_path]))

    assert names(issues) == {"schema", "rate-over-steps"}
    assert {i.severity for i in issues} == {Severity.ERROR, Severity.WARNING}


def test_only_the_named_entries_are_checked(tmp_path):
    reading = read_entries(tmp_path, fields("nccl/a", fix_rate=0.2), fields("nccl/b", fix_rate=0.2))

    assert {i.message.partition(":")[0] for i in lint(reading, ["nccl/a"])} == {"nccl/a"}


def test_the_lengths_are_those_that_the_messages_cut_at():
    from bot.slack.blocks import parts, step
    from rules.lint import wording

    assert wording.LONGEST_TITLE == parts.LONGEST_HEADER
    assert wording.LONGEST_RUN == step.LONGEST_RUN
