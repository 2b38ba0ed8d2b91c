"""Changes that change nothing are refused, by whatever door they come."""

import pytest
from pydantic import ValidationError

from schemas.accounts.accounts import BeingChanges, UserChanges
from schemas.context.persona import PersonaChanges, SoulChanges
from schemas.facts.fact_requests import FactChanges, TodoChanges
from schemas.intake.notes import NoteChanges
from schemas.nodes.nodes import NodeChanges, TopicChanges
from schemas.vault.vault_requests import RecordChanges


@pytest.mark.parametrize(
    "form",
    [
        *(BeingChanges, FactChanges, NodeChanges, NoteChanges, PersonaChanges, RecordChanges, SoulChanges, TodoChanges),
        *(TopicChanges, UserChanges),
    ],
)
def test_nothing_is_no_change(form):
    with pytest.raises(ValidationError, match="No change is given"):
        form.model_validate({})


@pytest.mark.parametrize(
    ("form", "field"),
    [
        (FactChanges, "content"),
        (NoteChanges, "due_at"),
        (PersonaChanges, "enabled"),
        (RecordChanges, "tags"),
        (SoulChanges, "mood"),
        (TodoChanges, "status"),
        (TopicChanges, "root"),
        (UserChanges, "time_zone"),
        (BeingChanges, "off_the_record"),
    ],
)
def test_a_field_that_is_null_stays(form, field):
    with pytest.raises(ValidationError, match=f"No change is given.*`{field}`"):
        form.model_validate({field: None})


@pytest.mark.parametrize(("form", "stays"), [(UserChanges, "name"), (BeingChanges, "language")])
def test_null_is_a_budget_of_the_settings_and_no_name(form, stays):
    assert form.model_validate({"daily_cost": None}).model_fields_set == {"daily_cost"}
    with pytest.raises(ValidationError, match="No change is given"):
        form.model_validate({"daily_cost": 1, stays: None})


@pytest.mark.parametrize(
    ("form", "field", "value"),
    [
        (PersonaChanges, "enabled", False),
        (SoulChanges, "mood", ""),
        (RecordChanges, "tags", []),
        (FactChanges, "importance", 0),
    ],
)
def test_what_is_false_empty_or_zero_is_a_change(form, field, value):
    assert getattr(form.model_validate({field: value}), field) == value
