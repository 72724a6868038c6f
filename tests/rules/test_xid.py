import pytest

from rules.model import Xid
from rules.xid import read_xids
from tests.rules.posts import joined


@pytest.mark.parametrize(
    ("text", "xids"),
    [
        (
            "[1.000001] NVRM: Xid (PCI:0000:06:00): 79, GPU has fallen off the bus.",
            [(79, "0000:06:00")],
        ),
        ("NVRM: Xid (0000:0A:00): 31, pid=1", [(31, "0000:0a:00")]),
        ("NVRM: Xid (PCI:0000:10:1c.0): 63, Row Remapper", [(63, "0000:10:1c.0")]),
        (
            "Xid (PCI:0000:06:00): 79\nXid (PCI:0000:07:00): 79",
            [(79, "0000:06:00"), (79, "0000:07:00")],
        ),
        ("saw Xid 79 twice", [(79, None)]),
        (
            "bursts of Xid 48 / 171, then 63, 94, and a 154 Drain",
            [(48, None), (171, None), (63, None), (94, None), (154, None)],
        ),
        ("XID error 13, XID: 43, xid-62", [(13, None), (43, None), (62, None)]),
        ('DCGM_FI_DEV_XID_ERRORS{gpu="3",device="nvidia3"} 79', [(79, None)]),
        ('DCGM_FI_DEV_XID_ERRORS{gpu="3"} 0', []),
        ("Xid (PCI:0000:06:00): 79, gone\nso Xid 79 it is", [(79, "0000:06:00")]),
        ("Xid 31 of the 3.5 kind, Xid 2.5", [(31, None)]),
        ("the taxid 55 and xids in general", []),
    ],
)
def test_xids_are_read_with_their_address(text, xids):
    assert [(xid.number, xid.pci) for xid in read_xids(joined(text))] == xids


def test_an_xid_names_its_line():
    assert read_xids(joined("dmesg:", "", "Xid 79 here")) == (Xid(79, None, 3),)
