// Where an action lands: a point on a node that a click there would reach, or what is in the way.

// Where to try, as fractions of the box: its middle first, as a person would, then off-centre.
const AIM = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.2, 0.2], [0.8, 0.8], [0.8, 0.2],
  [0.2, 0.8]];
const RIM = [[1, 0.5], [0, 0.5], [0.5, 1], [0.5, 0], [1, 1], [0, 0], [1, 0], [0, 1]];

// Where to try on a node: points of its boxes, and for a drawn line points on the line.
function* targets(node, rect) {
  const whole = rect || node.getBoundingClientRect();
  yield [whole.left + whole.width / 2, whole.top + whole.height / 2];
  const rects = Array.from(node.getClientRects()).filter((r) => r.width > 0 && r.height > 0);
  for (const box of rects.length ? rects.slice(0, 3) : [whole]) {
    for (const [fx, fy] of AIM) yield [box.left + box.width * fx, box.top + box.height * fy];
    // What lies half under something else may show only a rim.
    for (const [fx, fy] of RIM) {
      yield [box.left + 1 + (box.width - 2) * fx, box.top + 1 + (box.height - 2) * fy];
    }
  }
  if (!isSvg(node) || !node.getTotalLength) return;
  const toScreen = node.getScreenCTM();
  const length = node.getTotalLength();
  for (const part of [0.5, 0.25, 0.75]) {
    const point = node.getPointAtLength(length * part).matrixTransform(toScreen);
    yield [point.x, point.y];
  }
}

// Where a node is clipped away or takes no pointer, a click falls through it.
const THROUGH = 'what it stands in';

function topAt(doc, x, y) {
  if (x < 0 || y < 0) return null; // the browser rounds, and a frame's border lies there
  let top = own.at(doc, x, y);
  while (top && !masked(top) && top.shadowRoot) {
    const inner = top.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === top) break;
    top = inner;
  }
  return top;
}

function within(node, ancestor) {
  for (let n = node; n; n = parentOf(n)) if (n === ancestor) return true;
  return false;
}

function reaches(hit, node) {
  if (!hit) return false;
  if (within(hit, node)) return true;
  const label = closest(hit, 'label');
  return Boolean(label && label.control === node);
}

// Whether a point of the viewport around a frame falls on that frame, all the way out; {x, y} of this document.
function reachesFrame(frame, x, y) {
  for (;;) {
    const doc = frame.ownerDocument;
    const hit = topAt(doc, x, y);
    if (!hit) return { outside: true };
    if (hit !== frame) return { cover: describe(hit) };
    const outer = doc === document ? null : around(doc);
    if (!outer) return { x, y };
    ({ x, y } = placementOf(outer).transformPoint({ x, y }));
    frame = outer;
  }
}

// Returns {x, y} of this document where a click reaches the node, or {cover} in words, or {outside: true}. `rect` is its
// box, where it is known.
function landing(node, rect) {
  const doc = node.ownerDocument;
  const frame = doc === document ? null : around(doc);
  let blocked = null;
  for (const [x, y] of targets(node, rect)) {
    const hit = topAt(doc, x, y);
    if (!hit) continue; // outside the viewport
    if (!reaches(hit, node)) { blocked = blocked || { hit }; continue; }
    if (!frame) return { x, y };
    const outer = reachesFrame(frame, ...Object.values(pointOf(frame, x, y)));
    if ('x' in outer) return outer;
    if (outer.cover) blocked = blocked || outer;
  }
  if (!blocked) return { outside: true };
  return { cover: blocked.cover || (within(node, blocked.hit) ? THROUGH : describe(blocked.hit)) };
}

// Where a viewport is looked at to tell whether one thing lies over all of it, as parts of its size.
const CORNERS = [0.01, 0.5, 0.99];

// The dialog or other fixed thing that lies over a whole viewport; null where the page can be reached past it.
function veilOf(doc) {
  // Without the scrollbars, which are the page's.
  const { clientWidth, clientHeight } = scrollTop(doc);
  let veil = null;
  for (let up = topAt(doc, clientWidth / 2, clientHeight / 2); up; up = parentOf(up)) {
    if (getComputedStyle(up).position === 'fixed') veil = up;
  }
  const over = (x, y) => within(topAt(doc, clientWidth * x, clientHeight * y), veil);
  return veil && CORNERS.every((x) => CORNERS.every((y) => over(x, y))) ? veil : null;
}

// Whether a click falls through a node and its labels wherever they are.
function takesNoPointer(node, style) {
  if (style.pointerEvents !== 'none') return false;
  return Array.from(node.labels || []).every((label) => getComputedStyle(label).pointerEvents === 'none');
}

// What keeps every click from a node that is out of view, wherever scrolling brings it: in words, or null. `area` is
// the frame or scroll area it stands in, if any; `known` keeps what was found of documents and areas.
function alwaysOver(node, style, area, known) {
  for (let n = node; n; n = n.ownerDocument === document ? null : around(n.ownerDocument)) {
    if (takesNoPointer(n, n === node ? style : getComputedStyle(n))) return THROUGH;
    const doc = n.ownerDocument;
    if (!known.has(doc)) known.set(doc, veilOf(doc));
    const veil = known.get(doc);
    if (veil && !within(n, veil)) return describe(veil);
  }
  if (area && !known.has(area)) known.set(area, landing(area).cover);
  return area && known.get(area) || null;
}

function pointOf(frame, x, y) {
  const point = placementOf(frame).transformPoint({ x, y });
  return { x: point.x, y: point.y };
}

function describe(node) {
  if (!node) return 'nothing that takes a click';
  const dialog = closest(node, '[role=dialog],[role=alertdialog],dialog,[aria-modal=true]');
  const shown = dialog || node;
  if (masked(shown)) return 'form';
  const name = clean(shown.getAttribute('aria-label'), 60) || textOf(shown, 60);
  const words = [lower(shown), shown.id && '#' + clean(shown.id, 40)].filter(Boolean).join('');
  const text = name ? `${words} "${name}"` : words;
  const consent = /cookie|consent|gdpr/i.test(`${shown.id} ${shown.getAttribute('class') || ''} ${name}`);
  return (consent ? 'consent dialog ' : dialog ? 'dialog ' : '') + text;
}
