"""What a field is called by what stands in or beside it. Knows no goal."""

from agent.embedded.words import meanings, normal, stem, tokens
from agent.values import word_set
from browser.observation import InteractiveElement

# Fewer than elsewhere: "From:" and "To:" are labels.
_LABEL_STOP = word_set("the a an of and or your is in on for it this")
# Words that say that it is a field, not which.
_FIELD_STEMS = frozenset(stem(word) for word in word_set("text textbox input field box textarea form"))


def label_of(element: InteractiveElement, texts: frozenset[str]) -> str:
    """Return what stands for a field's label: name and placeholder, else the one text of its group, which may follow
    it, else the text before it, else its class words."""
    own = " ".join(filter(None, (element.name, element.placeholder)))
    beside = element.scope if element.scope and normal(element.scope) in texts else ""
    return own or beside or element.before or element.hint


def label_stems(label: str) -> frozenset[str]:
    """Return the stems of what a label says and of what stands for the same, without words that say it is a field."""
    roots = [stem(word) for word in tokens(label) if word not in _LABEL_STOP]
    return frozenset(m for root in roots if root not in _FIELD_STEMS for m in meanings(root))
