"""The outcome of a patrol's step, in words."""

from cli.console.output import words
from schemas.patrol.runs import StepReport

# For each count that a step reports: the words for one and for several. Counts of 0 are left out.
PHRASES = {
    "nodes": ("1 note became a memory", "{} notes became memories"),
    "repaired": ("1 note was repaired", "{} notes were repaired"),
    "parse_failed": ("1 note could not be parsed", "{} notes could not be parsed"),
    "embed_failed": ("1 note could not be embedded", "{} notes could not be embedded"),
    "matched": ("1 memory found its topic", "{} memories found their topics"),
    "rooted": ("1 memory was put under a root", "{} memories were put under a root"),
    "told": ("1 of them as a model said", "{} of them as a model said"),
    "dying": ("1 memory is dying", "{} memories are dying"),
    "merges": ("1 merge", "{} merges"),
    "absorbed": ("1 memory was absorbed", "{} memories were absorbed"),
    "let_go": ("1 memory became dead", "{} memories became dead"),
    "left": ("1 topic is left for the next patrol", "{} topics are left for the next patrol"),
    "revived": ("1 memory was revived", "{} memories were revived"),
    "topics": ("1 new topic", "{} new topics"),
    "moved": ("1 memory moved there", "{} memories moved there"),
    "merged": ("1 small topic joined another", "{} small topics joined others"),
    "lines": ("1 diary line", "{} diary lines"),
    "notes": ("1 note for the next conversation", "{} notes for the next conversation"),
}
NOTHING = {
    "embed": "no notes were waiting",
    "assign": "no memory needed a topic",
    "session_counts": "every memory aged by one patrol",
    "dying": "no memory faded so far",
    "consolidate": "nothing to merge",
    "revive": "no dead memory was recalled often enough",
    "split": "no topic is large enough",
    "merge": "no topic is too small",
    "diary": "nothing to tell",
}
NOT_DUE = {
    "session_counts": "not due: an automatic patrol ages memories once a day",
    "diary": "not due: the last entry is recent, or nothing happened",
}


def outcome(step: StepReport) -> str:
    """Return what a finished step did, or why it did nothing."""
    if step.outcome == "not due":
        return NOT_DUE.get(step.step, "not due")
    if step.outcome != "done":
        return words(": ".join(filter(None, (step.outcome, step.reason))))
    did = [_phrase(name, number) for name, number in step.counts.items() if number]
    text = ", ".join(did) or NOTHING.get(step.step, "nothing to do")
    return f"{text} ({words(step.reason)})" if step.reason else text


def _phrase(name: str, number: int) -> str:
    one, several = PHRASES.get(name, (f"1 {name.replace('_', ' ')}", f"{{}} {name.replace('_', ' ')}"))
    return one if number == 1 else several.format(number)
