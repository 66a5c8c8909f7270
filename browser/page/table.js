// The second pass: rows with their states and values, and the text between them.

const VALUE_LIMIT = 2000;
const OPTION_LIMIT = 200;
const BLOCK_LIMIT = 240;

const yesNo = (value) => value === 'true' ? true : value === 'false' ? false : null;

function states(node) {
  const box = lower(node) === 'label' ? node.control : node;
  const type = inputType(box);
  const out = {};
  if (type === 'checkbox' || type === 'radio') out.checked = box.indeterminate ? 'mixed' : box.checked;
  else if (box.hasAttribute('aria-checked')) {
    out.checked = box.getAttribute('aria-checked') === 'mixed' ? 'mixed' : yesNo(box.getAttribute('aria-checked'));
  }
  for (const key of ['selected', 'expanded', 'pressed']) {
    const value = yesNo(box.getAttribute('aria-' + key));
    if (value !== null) out[key] = value;
  }
  if (lower(box) === 'summary' && box.parentElement) out.expanded = box.parentElement.open === true;
  if (!['', 'false', null].includes(box.getAttribute('aria-haspopup'))) out.has_popup = true;
  if (box.matches(':disabled') || box.getAttribute('aria-disabled') === 'true' || upTo(box, '[inert]')) out.disabled = true;
  if (box.readOnly || box.getAttribute('aria-readonly') === 'true') out.readonly = true;
  if (box.required || box.getAttribute('aria-required') === 'true') out.required = true;
  if (box.getRootNode().activeElement === box) out.focused = true;
  if (box.getAttribute('draggable') === 'true') out.draggable = true;
  if (upTo(box, '[aria-hidden="true"]')) out.aria_hidden = true;
  return out;
}

function fieldFacts(node, name) {
  const tag = lower(node);
  const type = inputType(node);
  const out = {};
  if (type) out.input_type = type;
  for (const key of ['placeholder', 'autocomplete']) {
    const value = clean(node.getAttribute(key), CONTEXT_LIMIT);
    if (value) out[key] = value;
  }
  if (node.min) out.minimum = clean(String(node.min), CONTEXT_LIMIT);
  if (node.max) out.maximum = clean(String(node.max), CONTEXT_LIMIT);
  if (tag === 'select') return { ...out, ...choices(node) };
  if (type === 'file') return { ...out, multiple: node.multiple, filled: node.files.length > 0 };
  const editable = isEditable(node);
  if (editable) out.editable = true;
  const shows = editable || type === 'range' || node.getAttribute('role') === 'combobox';
  if (!shows && node.getAttribute('aria-valuenow') === null) return out;
  const content = type || tag === 'textarea' ? node.value
    : node.getAttribute('aria-valuetext') || node.getAttribute('aria-valuenow') || textOf(node, VALUE_LIMIT);
  out.filled = Boolean(content && content.trim());
  if (isCredential(node, name)) out.credential = true;
  else out.value = (content || '').slice(0, VALUE_LIMIT);
  return out;
}

function choices(select) {
  const options = Array.from(select.options).slice(0, OPTION_LIMIT);
  return {
    multiple: select.multiple,
    options: options.map((option) => {
      const group = option.closest('optgroup');
      return { label: clean(option.label, NAME_LIMIT), selected: option.selected,
        disabled: option.disabled || Boolean(group && group.disabled),
        ...(group && group.label && { group: clean(group.label, CONTEXT_LIMIT) }) };
    }),
    value: clean(Array.from(select.selectedOptions, (option) => option.label).join(', '), VALUE_LIMIT),
    filled: select.selectedOptions.length > 0,
  };
}

function boxOf(item) {
  const { rect, node } = item;
  if (item.frame) return outwardBox(node.ownerDocument, rect);
  return { x: Math.round(rect.x), y: Math.round(rect.y), width: Math.round(rect.width), height: Math.round(rect.height) };
}

function row(item, rows, known) {
  const { node, style } = item;
  const ask = !doneAsking();
  const role = roleOf(node, ask);
  const name = nameOf(node, role, rows, ask);
  const out = { id: 0, role, name, tag: lower(node), box: boxOf(item), ...states(node), ...fieldFacts(node, name) };
  if (item.frame) out.frame = item.frame;
  const graphic = isSvg(node) || lower(node) === 'canvas';
  if (graphic) { const shape = shapeOf(node); if (shape) out.shape = shape; }
  if (graphic || !name || role === 'generic') {
    const color = colorOf(node, style);
    if (color) out.color = color;
    const hint = hintOf(node, name, rows);
    if (hint) out.hint = hint;
  }
  const where = item.near ? landing(node, item.rect) : { outside: true };
  if (where.outside) {
    out.in_viewport = false;
    // Scrolling does not bring it out from under what lies over the whole screen.
    const cover = alwaysOver(node, style, item.area, known);
    if (cover) out.covered_by = cover;
  }
  else if (where.cover) out.covered_by = where.cover;
  else item.at = where;
  return out;
}

// A node without words of its own that only wraps other rows says nothing new.
function redundant(item, out, parents) {
  return parents.has(item.node) && !out.name && !isSemantic(item.node) && !isSvg(item.node) && lower(item.node) !== 'canvas';
}

class Blocks {
  constructor() { this.blocks = []; this.words = ''; this.near = false; }

  add(item, position) {
    if (item.block !== this.block || position !== this.position) {
      this.flush();
      this.block = item.block;
      this.position = position;
      this.frame = item.frame;
    }
    this.words += item.text;
    this.near = this.near || item.near;
  }

  flush() {
    const text = clean(this.words, 1e6);
    for (let i = 0; i < text.length; i += BLOCK_LIMIT) {
      this.blocks.push({ text: text.slice(i, i + BLOCK_LIMIT), position: this.position, near: this.near,
        ...(this.frame && { frame: this.frame }) });
    }
    this.words = '';
    this.block = null;
    this.near = false;
  }
}

// Keeps at most `limit` things in their order: those in view before the others.
function inViewFirst(things, limit) {
  if (things.length <= limit) return things;
  const ranked = [...things.filter((thing) => thing.near), ...things.filter((thing) => !thing.near)];
  const kept = new Set(ranked.slice(0, limit));
  return things.filter((thing) => kept.has(thing));
}

// How many of the first `count` things were kept.
function keptBefore(things, kept, count) {
  if (kept.length === things.length) return count;
  const before = new Set(things.slice(0, count));
  return kept.filter((thing) => before.has(thing)).length;
}

function table(maxElements, maxTexts, clip, hard) {
  const walk = new Walk();
  walk.document(document, clip || EVERYWHERE, hard || EVERYWHERE, '');
  areas = walk.areas.map((node) => new WeakRef(node));
  const parents = new Set(walk.items.filter((item) => item.outer).map((item) => item.outer));
  const found = walk.items.filter((item) => item.node);
  const shown = new Set(inViewFirst(found, maxElements));
  const dropped = new Set();
  const elements = [];
  const foreign = [];
  const texts = new Blocks();
  const known = new Map();
  beginAsking();
  for (const item of walk.items) {
    if (item.foreign) {
      texts.flush();
      foreign.push({ number: frameNumber(item.foreign), clip: item.clip, hard: item.hard, label: item.frame,
        position: elements.length, texts: texts.blocks.length });
    } else if (!item.node) {
      const labels = item.label && item.label.control && walk.rows.has(item.label.control);
      if (!(item.row && !dropped.has(item.row)) && !labels) texts.add(item, elements.length);
    } else if (shown.has(item)) {
      if (!item.near && stuckOutside(item.node, item.rect, walk.areas)) continue;
      const out = row(item, walk.rows, known);
      if (redundant(item, out, parents)) { dropped.add(item.node); continue; }
      // A name is cut where it gets long; what it says is then shown as text too.
      if (out.name.length >= NAME_LIMIT) dropped.add(item.node);
      out.id = stamp(item.node);
      elements.push({ out, item });
    }
  }
  texts.flush();
  addScopes(elements);
  // Whoever reads a frame from outside checks there whether its points are reached.
  const rows = elements.map(({ out, item }) => clip && item.at ? { ...out, at: item.at } : out);
  const kept = inViewFirst(texts.blocks, maxTexts);
  for (const place of foreign) place.texts = keptBefore(texts.blocks, kept, place.texts);
  const blocks = kept.map(({ near, ...block }) => block);
  neighbours(rows, blocks);
  return { elements: rows, texts: blocks, foreign, omitted: { elements: found.length - shown.size + walk.deep,
    texts: texts.blocks.length - blocks.length, frames: walk.unread, names: asking.over } };
}

// Only what reads like another row, or has no name, is told apart by its group. What has no name reads as its hint:
// the icons of one entry are no namesakes.
function addScopes(elements) {
  const groups = new Map();
  for (const element of elements) {
    const same = [element.out.role, element.out.name || element.out.hint, element.out.frame].join('\n');
    if (!groups.has(same)) groups.set(same, []);
    groups.get(same).push(element);
  }
  for (const group of groups.values()) {
    group.forEach(({ out, item }, i) => {
      if (out.shape || group.length < 2 && out.name) return;
      // Namesakes stand in document order: a group that holds any of the others holds a neighbour.
      const namesakes = [group[i - 1], group[i + 1]].filter(Boolean).map((other) => other.item.node);
      const scope = scopeOf(item.node, out.name, namesakes, item.heading);
      if (scope) out.scope = scope;
    });
  }
}

function neighbours(rows, blocks) {
  let next = 0; // the first block after row i
  rows.forEach((out, i) => {
    while (next < blocks.length && blocks[next].position <= i) next += 1;
    if (next > 0) out.before = blocks[next - 1].text.slice(-CONTEXT_LIMIT);
    if (next < blocks.length) out.after = blocks[next].text.slice(0, CONTEXT_LIMIT);
  });
}
