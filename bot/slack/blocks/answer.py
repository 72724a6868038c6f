"""The head message of an answer: what it is, why, what to try in which order, what to leave."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.facts import say_confidence
from bot.slack.blocks.deadends import ask_dead_ends, say_end_rate
from bot.slack.blocks.end import solved_otherwise
from bot.slack.blocks.order import say_order
from bot.slack.blocks.parts import (
    LONGEST_TEXT,
    Json,
    Message,
    actions,
    button,
    code,
    context,
    cut,
    emoji,
    escape,
    gist,
    guard,
    header,
    items,
    line,
    note,
    prose,
    rate,
    rich,
    words,
)

if TYPE_CHECKING:
    from bot.view import AnswerView, DeadEndView, StepView
    from rules.entry import Entry

MOST_STEPS = 10
MOST_DEAD_ENDS = 6
LONGEST_CAUSE = 400
LONGEST_WHY = 140
LONGEST_UNLESS = 140
LONGEST_FIX = 300
MOST_NAMES = 3
MOST_BUTTONS = 3
"""A row; more than a narrow window shows side by side."""
MOST_TRIED = 4
_CAPITALISED = re.compile(r"[A-Z][a-z]*\b(?![-_./:(])")
_MENTION = re.compile(r"(?<!\S)@[UW][A-Z0-9]{8,}(?!\S)")
_CALLED = re.compile(r"\A(?:@[UW][A-Z0-9]{8,}\s+)+(?=\S)")
_HOW = {"text": "word for word", "regex": "by its pattern", "fuzzy": "by resemblance"}


def render_head(view: AnswerView) -> Message:
    """Render the head; blocks and a text that alone is the whole answer."""
    blocks = [
        header(view.entry.title),
        rich(
            *_match(view),
            line(words("Why: ", bold=True), *prose(gist(view.entry.root_cause, LONGEST_CAUSE))),
        ),
        rich(
            line(words(_steps_title(view), bold=True), words(_say_order(view))),
            items(map(_step, _steps(view)), "ordered"),
        ),
    ]
    if view.dead_ends:
        shown = [_dead_end(end, view.entry) for end in view.dead_ends[:MOST_DEAD_ENDS]]
        ends = items(shown, "bullet")
        blocks.append(rich(line(words("Do not bother with", bold=True)), ends))
    if view.answer.facts.solved:
        blocks.append(note(_say_solved(view)))
    blocks += _small_print(view)
    if view.answer.state == "open":
        blocks.append(actions(*_buttons(view)))
    return Message(say_head(view), tuple(blocks))


def _match(view: AnswerView) -> list[Json]:
    facts = view.answer.facts
    how = f"Line {facts.line} matched {_HOW.get(facts.how, facts.how)}"
    times = f", {facts.count} times" if facts.count > 1 else ""
    sure = say_confidence(facts.confidence)
    intro = line(words(f"{how}{times} ({sure}):"))
    quoted = [intro, code(_quote(view), 500)] if facts.quote else []
    return [*(line(*state) for state in _states(view)), *_tried(view), *quoted]


def _quote(view: AnswerView) -> str:
    """Return the quoted line without ids of people, which say nothing to a reader."""
    quote = view.answer.facts.quote
    return _MENTION.sub("@somebody", _CALLED.sub("", quote))


def _states(view: AnswerView) -> list[list[Json]]:
    """Say what became of it, a line each: a step that worked hides no fix found otherwise."""
    solved = view.solved_by
    lines: list[list[Json]] = []
    if view.answer.state == "wrong":
        lines.append([emoji("x"), words(" Marked as the wrong diagnosis.", bold=True)])
    elif solved:
        said = f" Step {solved.place} worked, {_say_who(solved)}."
        lines.append([emoji("white_check_mark"), words(said, bold=True)])
    if view.fixes:
        fix = view.fixes[-1]
        said = f" Solved another way, says {fix.name}: "
        text = words(gist(fix.text, LONGEST_FIX))
        lines.append([emoji("white_check_mark"), words(said, bold=True), text])
    return lines


def _say_who(step: StepView) -> str:
    """`says alice`, `say alice, bob and 2 more`; a number where nobody's name is known."""
    names = step.worked_by[:MOST_NAMES]
    others = step.worked - len(names)
    if not names:
        return "says 1 person" if step.worked == 1 else f"say {step.worked} people"
    listed = [*names, f"{others} more"] if others else list(names)
    first, last = ", ".join(listed[:-1]), listed[-1]
    return f"say {first} and {last}" if first else f"says {last}"


def _tried(view: AnswerView) -> list[Json]:
    said = _say_tried(view)
    return [line(*prose(said, most=600))] if said else []


def _say_tried(view: AnswerView) -> str:
    """Say what the poster tried already; the order starts after it."""
    steps = [step.step.do for step in view.steps if step.tried]
    ends = [end.dead_end.do for end in view.dead_ends if end.tried]
    if not steps and not ends:
        return ""
    titles = "; ".join(gist(text, 100).rstrip(".") for text in (*steps, *ends)[:MOST_TRIED])
    start = ", so this starts after it" if steps else ""
    return f"You say you tried this already{start}: {titles}."


def _steps(view: AnswerView) -> tuple[StepView, ...]:
    return view.steps[:MOST_STEPS]


def _steps_title(view: AnswerView) -> str:
    return "Try in this order" if len(view.steps) > 1 else "Try"


def _say_order(view: AnswerView) -> str:
    return say_order([step.step for step in view.steps])


def _step(step: StepView) -> list[Json]:
    failed = step.failed > step.worked
    bold = not failed and not step.tried
    said = prose(step.step.do, most=240, bold=bold, strike=failed)
    if step.worked:
        said = [emoji("white_check_mark"), words(" "), *said]
    return [*said, rate(_rate(step))]


def _rate(step: StepView) -> str:
    failed = "did not help here" if step.failed > step.worked else None
    rates = ["check"] if step.is_check else [failed, step.rate, step.rate_here]
    parts = [*rates, f"{step.step.minutes} min"]
    if step.step.risk != "none":
        parts.append(f"risk: {step.step.risk}")
    return " · ".join(filter(None, parts))


def _dead_end(end: DeadEndView, entry: Entry) -> list[Json]:
    why = gist(end.dead_end.why, LONGEST_WHY)
    unless = _go_on(gist(end.dead_end.unless or "", LONGEST_UNLESS).rstrip("."), entry)
    if unless:
        why += f" Unless {unless}{'' if unless.endswith('…') else '.'}"
    return [
        *prose(end.dead_end.do, most=160, bold=True),
        rate(say_end_rate(end)),
        words(" "),
        *prose(why, most=420),
    ]


def _go_on(text: str, entry: Entry) -> str:
    """Text as it goes on within a sentence: an acronym or a name keeps its capital.

    A name is what the entry has with a capital within its sentences too, or in its id.
    """
    first = _CAPITALISED.match(text)
    if first is None or first[0].lower() in re.split("[/-]", entry.id):
        return text
    prose = [entry.title, entry.root_cause, *(step.do for step in entry.workarounds)]
    prose += [part for end in entry.dead_ends for part in (end.do, end.why)]
    if re.search(rf"[a-z0-9,] {first[0]}\b", "\n".join(prose)):
        return text
    return text[0].lower() + text[1:]


def _say_solved(view: AnswerView) -> str:
    return f"This was solved before: <{view.answer.facts.solved}|see what worked there>."


def _small_print(view: AnswerView) -> list[Json]:
    facts = view.answer.facts
    stated = [facts.unread] if facts.unread else []
    stated += [" · ".join(facts.stated)] if facts.stated else []
    if facts.consequences:
        stated.append("Also in there, as a consequence: " + ", ".join(facts.consequences))
    if facts.confidence < 0.7 and view.entry.ask:
        stated.append("To be surer, send " + ", ".join(view.entry.ask))
    footer = f"{view.entry.id} · knowledge base {view.answer.kb_version}"
    return [context(cut(text, 400)) for text in (*stated, footer)]


def _buttons(view: AnswerView) -> list[Json]:
    value = view.answer.id
    more = view.answer.shown < len(view.steps)
    buttons = [button("Show all steps", "show_all", value)] if more else []
    buttons.append(button("Wrong diagnosis", "wrong_diagnosis", value))
    if not view.steps:
        buttons.append(solved_otherwise(value))
    if not view.answer.is_private:
        buttons.append(button("Dismiss", "dismiss", value))
    # Until all steps are shown there is a button more; those who see all of them find it there.
    if view.dead_ends and len(buttons) < MOST_BUTTONS:
        buttons.insert(len(buttons) - (not view.answer.is_private), ask_dead_ends(value))
    return buttons


def say_head(view: AnswerView) -> str:
    """Write the whole answer as plain text, encoded and within Slack's limit."""
    facts = view.answer.facts
    lines = [f"*{escape(view.entry.title, 200)}*"]
    for state in _states(view):
        said = "".join(str(part["text"]) for part in state if part["type"] == "text")
        lines.append(guard(said.strip(), 500))
    lines += [escape(tried, 600)] if (tried := _say_tried(view)) else []
    lines += [f"Line {facts.line}: {guard(_quote(view), 300)}"] if facts.quote else []
    lines.append(f"Why: {escape(gist(view.entry.root_cause, LONGEST_CAUSE), 500)}")
    lines.append(f"{_steps_title(view)}{_say_order(view)}")
    lines += [_say_step(step) for step in _steps(view)]
    if view.dead_ends:
        lines.append("Do not bother with:")
    lines += [_say_dead_end(end) for end in view.dead_ends[:MOST_DEAD_ENDS]]
    if facts.solved:
        lines.append(_say_solved(view))
    if facts.unread:
        lines.append(facts.unread)
    if facts.stated:
        lines.append(guard(" · ".join(facts.stated), 400))
    return cut_lines(lines, LONGEST_TEXT)


def _say_step(step: StepView) -> str:
    return f"{step.place}. {escape(cut(step.step.do, 220), 260)} ({escape(_rate(step), 200)})"


def _say_dead_end(end: DeadEndView) -> str:
    why = escape(gist(end.dead_end.why, LONGEST_WHY), 300)
    return f"• {escape(cut(end.dead_end.do, 140), 170)} ({escape(say_end_rate(end), 200)}): {why}"


def cut_lines(lines: list[str], most: int) -> str:
    """As many whole lines as fit; encoded text must not be cut inside an entity."""
    kept: list[str] = []
    left = most
    for text in lines:
        left -= len(text) + 1
        if left < 2:
            kept.append("…")
            break
        kept.append(text)
    return "\n".join(kept)
