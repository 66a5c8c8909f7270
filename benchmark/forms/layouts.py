"""How generated pages look: the same controls under several layouts, and the script that tells what became of them."""

from collections.abc import Sequence
from html import escape
from random import Random

# A click on what is marked final tells which it was and what all controls hold then; the task judges by that alone.
SCRIPT = """
const values = () => Object.fromEntries([...document.querySelectorAll('[data-key]')].map(
  e => [e.dataset.key, e.type === 'checkbox' || e.type === 'radio' ? e.checked : e.value]));
document.addEventListener('click', event => {
  const hit = event.target.closest('[data-show],[data-final]');
  if (!hit) return;
  if (hit.dataset.final) window.told = {pressed: hit.dataset.final, values: values()};
  if (!hit.dataset.show) return;
  const shown = document.getElementById(hit.dataset.show);
  const alike = `[data-panel="${shown.dataset.panel}"]`;
  for (const other of document.querySelectorAll(alike)) other.hidden = other !== shown;
  if (hit.getAttribute('aria-expanded')) hit.setAttribute('aria-expanded', 'true');
  for (const tab of document.querySelectorAll('[role=tab]')) tab.setAttribute('aria-selected', String(tab === hit));
});
"""
TOLD_JS = "window.told ?? null"


def page_html(title: str, parts: Sequence[str], random: Random) -> str:
    """Return a whole page of these parts, in one of several styles."""
    width, size = random.choice((360, 520, 760)), random.choice((13, 15, 17))
    style = f"body {{ font: {size}px sans-serif; max-width: {width}px; margin: {random.choice((6, 20))}px }}"
    style += " [hidden] { display: none !important } td, th { padding: 3px 8px } nav a { margin-right: 10px }"
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{escape(title)}</title><style>{style}</style>"
        f"</head><body><h2>{escape(title)}</h2>{''.join(parts)}<script>{SCRIPT}</script></body></html>"
    )


def fields(labels: Sequence[tuple[str, str]], random: Random) -> str:
    """Return text fields by key and label, laid out alike."""
    layout = random.choice(("above", "beside", "row", "placeholder", "text"))
    rows = []
    for n, (key, label) in enumerate(labels):
        field, name = f'<input id="f{n}" data-key="{key}"', escape(label)
        match layout:
            case "above":
                rows.append(f'<div><label for="f{n}">{name}</label><br>{field}></div>')
            case "beside":
                rows.append(f"<label>{name}: {field}></label><br>")
            case "row":
                rows.append(f"<tr><th>{name}</th><td>{field}></td></tr>")
            case "placeholder":
                rows.append(f'<p>{field} placeholder="{name}"></p>')
            case _:
                rows.append(f"<p><span>{name}</span> {field}></p>")
    return f"<table>{''.join(rows)}</table>" if layout == "row" else "".join(rows)


def options(label: str, choices: Sequence[tuple[str, str]], random: Random) -> str:
    """Return one choice out of several, by key and name, none of them taken yet."""
    layout, name = random.choice(("select", "radio", "behind")), escape(label)
    if layout == "select":
        inner = "".join(f"<option>{escape(text)}</option>" for _, text in choices)
        return f'<p><label>{name} <select data-key="choice"><option></option>{inner}</select></label></p>'
    rows = []
    for n, (key, text) in enumerate(choices):
        button = f'<input type=radio name=choice id="o{n}" data-key="choice-{key}">'
        tag = f'<label for="o{n}">{escape(text)}</label>'
        rows.append(f"<div>{tag} {button}</div>" if layout == "behind" else f"<div>{button} {tag}</div>")
    return f"<fieldset><legend>{name}</legend>{''.join(rows)}</fieldset>"


def boxes(choices: Sequence[tuple[str, str]]) -> str:
    """Return boxes to tick, by key and name."""
    return "".join(
        f'<div><label><input type=checkbox data-key="{key}"> {escape(text)}</label></div>' for key, text in choices
    )


def button(key: str, text: str, random: Random) -> str:
    """Return something to press that ends the episode."""
    name = escape(text)
    return random.choice(
        (
            f'<button data-final="{key}">{name}</button>',
            f'<input type=button data-final="{key}" value="{name}">',
            f'<span role=button tabindex=0 data-final="{key}" style="border:1px solid">{name}</span>',
        )
    )


def links(places: Sequence[tuple[str, str]], random: Random) -> str:
    """Return links by key and name, as a bar, a list or cards."""
    made = [f'<a href="#" onclick="return false" data-final="{key}">{escape(text)}</a>' for key, text in places]
    match random.choice(("bar", "list", "cards")):
        case "bar":
            return f"<nav>{''.join(made)}</nav>"
        case "list":
            return f"<ul>{''.join(f'<li>{one}</li>' for one in made)}</ul>"
    return "".join(f"<div style='border:1px solid;padding:4px;margin:4px'>{one}</div>" for one in made)


def opener(panel: str, text: str, *, tab: bool = False, first: bool = False) -> str:
    """Return what shows a panel: a tab, or a button that opens something."""
    if tab:
        return f'<button role=tab aria-selected="{str(first).lower()}" data-show="{panel}">{escape(text)}</button>'
    return f'<button aria-haspopup=true aria-expanded=false data-show="{panel}">{escape(text)}</button>'


def panel(name: str, group: str, inner: str, *, hidden: bool = True) -> str:
    """Return a part of the page that an opener shows in place of the others of its group."""
    return f'<div id="{name}" data-panel="{group}"{" hidden" if hidden else ""}>{inner}</div>'
