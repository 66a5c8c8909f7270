// What a node is called and what it is: the browser's own computation of role and accessible name where it has one.

const NAME_LIMIT = 120;
const CONTEXT_LIMIT = 80;

// ARIA's newer spellings, and the browser's own names for what ARIA has none for, as this project writes them.
const SPELLING = { image: 'img', 'graphics-symbol': 'graphic', 'graphics-document': 'img' };
// The browser computes nothing for these, or a role that hides what can be done with them.
const ROLE_OF_TAG = { a: 'link', area: 'link', button: 'button', textarea: 'textbox', summary: 'button',
  canvas: 'img', img: 'img', svg: 'img', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading',
  h6: 'heading', li: 'listitem', td: 'cell', th: 'columnheader', tr: 'row', label: 'label', video: 'video',
  audio: 'audio' };
const ROLE_OF_INPUT = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
  radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', color: 'colorwell', file: 'file',
  date: 'date', time: 'time', month: 'date', week: 'date', 'datetime-local': 'date' };
const TEXT_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

// For each name of a field the browser looks through all labels of the page: 0.6 ms a name where there are 4,000. A look
// that has asked for so many milliseconds does without: a name of our own is better than none in time.
const ASKING_MS = 3000;
const asking = { since: 0, over: 0, labels: new WeakMap(), read: new WeakSet() };

function beginAsking() {
  Object.assign(asking, { since: now(), over: 0, labels: new WeakMap(), read: new WeakSet() });
}

// Whether there is no time left to ask the browser about one more row.
function doneAsking() {
  if (!asking.over && now() - asking.since < ASKING_MS) return false;
  asking.over += 1;
  return true;
}

// The labels of a field, from one pass over those of its document or shadow tree.
function labelsOf(node) {
  if (!asking.over) return Array.from(node.labels || []);
  const root = rootOf(node);
  if (!asking.read.has(root)) {
    asking.read.add(root);
    for (const label of root.querySelectorAll('label')) {
      const { control } = label;
      if (control) asking.labels.set(control, [...asking.labels.get(control) || [], label]);
    }
  }
  return asking.labels.get(node) || [];
}

function roleOf(node, ask) {
  if (inputType(node) === 'file') return 'file';
  const role = ask ? node.computedRole : '';
  if (!role || role === 'generic' || role === 'none') return ownRole(node);
  if (isEditable(node) && lower(node) !== 'input' && !TEXT_ROLES.has(role)) return 'textbox';
  return SPELLING[role] || role;
}

function ownRole(node) {
  const given = clean(node.getAttribute('role'), 40).split(' ')[0];
  if (given && given !== 'none' && given !== 'presentation') return given;
  const tag = lower(node);
  if (tag === 'input') return node.list ? 'combobox' : ROLE_OF_INPUT[node.type] || 'textbox';
  if (tag === 'select') return node.multiple || node.size > 1 ? 'listbox' : 'combobox';
  if (isSvg(node)) return tag === 'svg' ? 'img' : 'graphic';
  if (isEditable(node)) return 'textbox';
  return tag === 'a' && !node.hasAttribute('href') ? 'generic' : ROLE_OF_TAG[tag] || 'generic';
}

// The first `limit` characters of the visible text of a node, without what belongs to the nodes to skip.
function textOf(node, limit, skip) {
  let text = '';
  const visit = (parent) => {
    for (const child of childrenOf(parent)) {
      if (text.length > limit) return;
      if (child.nodeType === Node.TEXT_NODE) text += child.length > limit ? child.substringData(0, limit * 4) : child.data;
      else if (child.nodeType === Node.ELEMENT_NODE) {
        const display = isSvg(child) ? 'inline' : getComputedStyle(child).display;
        const apart = child.localName === 'br' || display !== 'inline';
        const shown = isSvg(child) || display === 'contents' || child.checkVisibility();
        if (apart) text += ' ';
        if (shown && !SKIP.has(child.localName) && !(skip && skip.has(child))) visit(child);
        if (apart) text += ' ';
      }
    }
  };
  visit(node);
  return clean(text, limit);
}

function byIds(node, attribute) {
  return (node.getAttribute(attribute) || '').split(/\s+/).filter(Boolean)
    .map((id) => node.ownerDocument.getElementById(id)).filter(Boolean).map((n) => n.textContent).join(' ');
}

function labelText(node) {
  return labelsOf(node).map((label) => textOf(label, NAME_LIMIT, new Set(label.querySelectorAll('select,textarea')))).join(' ');
}

// The accessible name; for what is a control only by its listeners or its cursor, the text that is its own.
function nameOf(node, role, rows, ask) {
  const asked = role !== 'file' && (isSemantic(node) || isSvg(node));
  const computed = !asked ? '' : ask ? node.computedName : undefined;
  const name = clean(computed, NAME_LIMIT);
  if (name || computed !== undefined && TEXT_ROLES.has(role)) return name;
  const tag = lower(node);
  const sources = [() => byIds(node, 'aria-labelledby'), () => node.getAttribute('aria-label'), () => labelText(node)];
  if (['button', 'submit', 'reset'].includes(inputType(node))) sources.push(() => node.value || node.type);
  else if (inputType(node) === 'image' || tag === 'img' || tag === 'area') sources.push(() => node.alt);
  else if (tag === 'svg') sources.push(() => { const t = node.querySelector(':scope > title'); return t && t.textContent; });
  if (!isEditable(node) && !['input', 'select', 'canvas', 'svg', 'iframe'].includes(tag)) {
    sources.push(() => textOf(node, NAME_LIMIT, rows), () => imageText(node));
  }
  sources.push(() => node.getAttribute('title'));
  if (role === 'file') sources.push(() => 'Choose File');
  if (computed === undefined && TEXT_ROLES.has(role)) sources.push(() => node.getAttribute('placeholder'));
  for (const source of sources) {
    const found = clean(source(), NAME_LIMIT);
    if (found) return found;
  }
  return '';
}

function imageText(node) {
  const image = node.querySelector && node.querySelector('img[alt]:not([alt=""]), svg > title');
  return image ? image.alt || image.textContent : '';
}

// Class, id and file words; of a nameless control also those of the icon inside it.
function hintOf(node, name, rows) {
  const classes = typeof node.className === 'string' ? node.className : node.getAttribute('class') || '';
  const icon = !name && node.querySelector('i[class], span[class], img[src], svg[class]');
  const inner = icon && !rows.has(icon) ? [icon.getAttribute('class') || '', fileName(icon)] : [];
  const words = [classes, node.id || '', fileName(node), ...inner].join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/).map((w) => w.toLowerCase()).filter((w) => w.length > 1);
  return Array.from(new Set(words)).slice(0, 8).join(' ');
}

function fileName(node) {
  const source = node.getAttribute('src') || '';
  return source.startsWith('data:') ? '' : source.split(/[?#]/)[0].split('/').pop().replace(/\.\w+$/, '');
}

// How far up a group is looked for: a cell, its row, its list, and a wrapper or two around each.
const SCOPE_HOPS = 6;

// The nearest group that holds this node and none of its namesakes, in its own words; else the heading above.
function scopeOf(node, name, namesakes, heading) {
  const body = node.ownerDocument.body;
  for (let up = parentOf(node), hops = 0; up && up !== body && hops < SCOPE_HOPS; up = parentOf(up), hops += 1) {
    if (namesakes.some((other) => up.contains(other))) break;
    const legend = lower(up) === 'fieldset' && up.querySelector('legend');
    const text = clean(up.getAttribute('aria-label') || legend && legend.textContent, CONTEXT_LIMIT) || textOf(up, CONTEXT_LIMIT);
    if (text && text !== name) return text;
  }
  return heading && heading !== name ? heading : null;
}
