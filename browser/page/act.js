// The page's side of an action: where to point, and what keys and pointer cannot do alone.

const gone = (id) => ({ lost: true, error: `Element ${id} is no longer on the page; look at its rows again.` });

// What moves or loads under the pointer is back in place within frames; longer than this it is in the way.
const AIM_MS = 200;

// In the middle of the screen, or near an edge where something fixed lies over the middle.
const BLOCKS = { center: ['center', 'start', 'end'], nearest: ['nearest'], still: [] };

const FOREIGN = window !== window.top && !around(document);

// Resolves to {x, y} in CSS pixels of the viewport, {outside}, {cover} or {error}. `at` is a place inside the element,
// from its top left. Out of view, it is scrolled to the middle, or "nearest": as little as shows it, or "still": not at all.
async function aim(id, at, scrolling = 'center') {
  const start = now();
  let where = aimNow(id, at, scrolling);
  while (!('x' in where) && find(id) && now() - start < AIM_MS) {
    await pause(20);
    where = aimNow(id, at, scrolling);
  }
  return where;
}

function bring(id, block) {
  const node = find(id);
  if (node) node.scrollIntoView({ block, inline: block === 'nearest' ? block : 'center', behavior: 'instant' });
}

function aimNow(id, at, scrolling) {
  const node = find(id);
  if (!node) return gone(id);
  if (!node.checkVisibility({ visibilityProperty: true })) return { error: `Element ${id} is not visible now.` };
  if (node.matches(':disabled')) return { error: `Element ${id} is disabled.` };
  const land = at ? () => pointIn(node, at) : () => landing(node);
  // A script in a frame of another origin cannot see whether the frame is in view; where it is, this moves nothing. For
  // "center" the driver sees to it, which can.
  if (FOREIGN && scrolling === 'nearest') node.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  let where = land();
  for (const block of BLOCKS[scrolling]) {
    if ('x' in where || where.error) break;
    bring(id, block);
    where = land();
    if (at && !('x' in where)) { reveal(node, at); where = land(); }
  }
  return where.beside ? { error: `Element ${id} shows nothing at that point.` } : where;
}

// What lies on an element's edge to resize it, beside it in one wrapper, is taken for a part of it.
function isGripOf(hit, node) {
  return /-resize$/.test(getComputedStyle(hit).cursor) && within(node, parentOf(hit));
}

// A chosen point of an element; it counts wherever in the element it is, also under the element's own children.
function pointIn(node, at) {
  const box = node.getBoundingClientRect();
  const [x, y] = [box.left + at.x, box.top + at.y];
  if (at.x < 0 || at.y < 0 || at.x >= box.width || at.y >= box.height) {
    return { error: `That point is outside the element, which is ${Math.round(box.width)} by ${Math.round(box.height)} pixels.` };
  }
  const doc = node.ownerDocument;
  const hit = topAt(doc, x, y);
  if (!hit) return { outside: true };
  if (!reaches(hit, node) && !isGripOf(hit, node)) return within(node, hit) ? { beside: true } : { cover: describe(hit) };
  const frame = doc === document ? null : around(doc);
  return frame ? reachesFrame(frame, ...Object.values(pointOf(frame, x, y))) : { x, y };
}

// Brings a place inside an element to the middle of every area around it, for elements larger than those.
function reveal(node, at) {
  for (let up = parentOf(node); up; up = parentOf(up)) {
    const page = up === scrollTop(up.ownerDocument);
    if (!page && !scrollable(up, getComputedStyle(up))) continue;
    const box = node.getBoundingClientRect();
    const area = page ? viewOf(up.ownerDocument.defaultView) : up.getBoundingClientRect();
    up.scrollBy({ left: box.left + at.x - (area.left + area.right) / 2, top: box.top + at.y - (area.top + area.bottom) / 2,
      behavior: 'instant' });
  }
}

// Puts the caret into a field with everything in it selected. Returns {} where keys should follow, {done: true} where
// the value was set (fields that take values instead of keys), or {error}.
function enter(id, text) {
  const node = find(id);
  if (!node) return gone(id);
  if (node.matches(':disabled') || node.readOnly) return { error: `Element ${id} takes no text now.` };
  if (node.scrollIntoViewIfNeeded) node.scrollIntoViewIfNeeded();
  node.focus();
  if (VALUE_TYPES.has(node.type)) {
    // This world's own accessor: it also tells frameworks, which listen for the events.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(node, text);
    if (node.value !== text) return { error: `A ${node.type} field takes ${FORMATS[node.type]}; it refused this text.` };
    changed(node);
    return { done: true };
  }
  if (typeof node.select === 'function') node.select();
  else node.ownerDocument.getSelection().selectAllChildren(node);
  return {};
}

const FORMATS = { date: 'YYYY-MM-DD', time: 'HH:MM', month: 'YYYY-MM', week: 'YYYY-Www', color: '#rrggbb',
  'datetime-local': 'YYYY-MM-DDTHH:MM', range: 'a number within its bounds' };

function changed(node) {
  node.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  node.dispatchEvent(new Event('change', { bubbles: true }));
}

// Chooses an option by label; in a multiple select it toggles that option and leaves the others.
function choose(id, label) {
  const node = find(id);
  if (!node) return gone(id);
  if (node.matches(':disabled')) return { error: `Element ${id} is disabled.` };
  const option = Array.from(node.options || []).find((o) => clean(o.label, NAME_LIMIT) === label && !o.disabled);
  if (!option) return { error: `Element ${id} has no option with that label now.` };
  node.focus();
  const wanted = node.multiple ? !option.selected : true;
  option.selected = wanted;
  changed(node);
  if (node.isConnected && option.selected !== wanted) return { error: `The page undid the choice in element ${id}.` };
  return {};
}

function focus(id) {
  const node = find(id);
  if (!node) return gone(id);
  if (node.scrollIntoViewIfNeeded) node.scrollIntoViewIfNeeded();
  node.focus();
  return {};
}
