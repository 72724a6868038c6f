from rules.edits import Edit, TextEdit, hash_text, list_edits
from tests.stats.world import make_entry


def entry(*steps, **fields):
    return make_entry(workarounds=[{"success_rate": 0.5} | step for step in steps], **fields)


OLD = entry({"id": "a", "do": "Set the interface"}, {"id": "b", "do": "Use less memory"})


def test_what_tells_a_person_what_to_do_is_hashed_and_nothing_else():
    plain = OLD.workarounds[0]
    same = plain.model_copy(
        update={"do": "set  the\ninterface", "success_rate": 0.9, "minutes": 90, "tried": ("x",)}
    )

    assert hash_text(same) == hash_text(plain)
    for field in ("do", "details", "run"):
        assert hash_text(plain.model_copy(update={field: "export X=1"})) != hash_text(plain)


def test_a_dead_end_s_text_is_its_advice_and_its_reason():
    end = OLD.dead_ends[0]

    assert hash_text(end.model_copy(update={"fail_rate": 0.1})) == hash_text(end)
    assert hash_text(end.model_copy(update={"why": "because"})) != hash_text(end)


def test_changed_renamed_and_removed_steps_are_told_apart():
    new = entry({"id": "a", "do": "Set the port"}, {"id": "c", "do": "Use less memory"})

    assert list_edits([OLD], [OLD]) == ()
    assert list_edits([OLD], [new]) == (
        TextEdit(OLD.id, "a", Edit.CHANGED),
        TextEdit(OLD.id, "b", Edit.RENAMED, "c"),
    )
    gone = entry({"id": "a", "do": "Set the interface"}, dead_ends=[])
    assert [(edit.target, edit.edit) for edit in list_edits([OLD], [gone])] == [
        ("b", Edit.REMOVED),
        ("d0", Edit.REMOVED),
        ("d1", Edit.REMOVED),
        ("d2", Edit.REMOVED),
    ]


def test_an_entry_that_went_loses_all_its_steps():
    assert {edit.edit for edit in list_edits([OLD], [])} == {Edit.REMOVED}


def test_a_new_step_is_nobody_s_question():
    more = entry(
        {"id": "a", "do": "Set the interface"},
        {"id": "b", "do": "Use less memory"},
        {"id": "c", "do": "Ask"},
    )

    assert list_edits([OLD], [more, make_entry(name="pytorch/new")]) == ()
