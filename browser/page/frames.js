// Frames: how a point inside one maps to the page around it, and which of them this script cannot read.

const FRAMES = new Set(['iframe', 'frame']);
const isFrame = (node) => FRAMES.has(node.localName) || node.localName === 'object' && node.contentWindow !== null;

// The document inside a frame; null where it is of another origin, which has a script of its own.
function documentOf(frame) {
  try { return frame.contentDocument && frame.contentWindow && frame.contentDocument.documentElement ? frame.contentDocument : null; }
  catch { return null; }
}

// The linear part of all transforms on a node and around it.
function linearPart(node) {
  let total = new DOMMatrix();
  for (let up = node; up; up = parentOf(up)) {
    const style = getComputedStyle(up);
    if (style.transform === 'none' && style.rotate === 'none' && style.scale === 'none') continue;
    let own = new DOMMatrix();
    if (style.rotate !== 'none') own = own.multiply(new DOMMatrix(`rotate(${style.rotate.split(' ').pop()})`));
    if (style.scale !== 'none') own = own.multiply(new DOMMatrix(`scale(${style.scale.split(' ').slice(0, 2).join(',')})`));
    if (style.transform !== 'none') own = own.multiply(new DOMMatrix(style.transform));
    total = own.multiply(total);
  }
  const zoom = node.currentCSSZoom || 1;
  return new DOMMatrix([total.a * zoom, total.b * zoom, total.c * zoom, total.d * zoom, 0, 0]);
}

// Points of a frame's viewport -> points of the viewport around it. An affine map keeps the middle of a box in the
// middle, whatever turns the box, so that one known point and the linear part give it.
function placementOf(frame) {
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const linear = linearPart(frame);
  const left = frame.clientLeft + parseFloat(style.paddingLeft) - frame.offsetWidth / 2;
  const top = frame.clientTop + parseFloat(style.paddingTop) - frame.offsetHeight / 2;
  return new DOMMatrix([linear.a, linear.b, linear.c, linear.d,
    box.left + box.width / 2 + linear.a * left + linear.c * top,
    box.top + box.height / 2 + linear.b * left + linear.d * top]);
}

// The box around the four corners of a box, each taken to its place.
function aroundCorners({ left, top, right, bottom }, place) {
  const corners = [[left, top], [right, top], [left, bottom], [right, bottom]].map(place);
  const xs = corners.map((p) => p.x);
  const ys = corners.map((p) => p.y);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

const mapped = (rect, matrix) => aroundCorners(rect, ([x, y]) => matrix.transformPoint({ x, y }));

const around = (doc) => { try { return doc.defaultView.frameElement; } catch { return null; } };

// A point of a document's viewport in the viewport of this script's own document.
function outward(doc, x, y) {
  for (let frame = around(doc); frame && doc !== document; doc = frame.ownerDocument, frame = around(doc)) {
    ({ x, y } = placementOf(frame).transformPoint({ x, y }));
  }
  return { x, y };
}

// How a person would tell which frame it is.
function labelOf(frame, position) {
  return clean(frame.title || frame.getAttribute('aria-label') || frame.name || frame.id, 40) || `frame ${position}`;
}

const frames = new Map(); // number -> WeakRef of a frame element this script cannot read
const frameNumbers = new WeakMap();

function frameNumber(frame) {
  if (!frameNumbers.has(frame)) {
    frameNumbers.set(frame, frames.size + 1);
    frames.set(frames.size + 1, new WeakRef(frame));
  }
  return frameNumbers.get(frame);
}

// What an outsider reads of such a frame, carried out to this document: boxes, and whether its points are reached.
function through(number, places) {
  const frame = frames.get(number) && frames.get(number).deref();
  if (!frame || !frame.isConnected) return null;
  const matrix = placementOf(frame);
  const over = alwaysOver(frame, getComputedStyle(frame), frame, new Map());
  return places.map(({ box, at }) => {
    const out = {};
    if (box) {
      const rect = { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height };
      out.box = outwardBox(frame.ownerDocument, mapped(rect, matrix));
    }
    if (at) {
      const { x, y } = matrix.transformPoint(at);
      Object.assign(out, reachesFrame(frame, x, y));
    } else if (over) out.cover = over;
    return out;
  });
}

function outwardBox(doc, rect) {
  const { left, top, right, bottom } = aroundCorners(rect, ([x, y]) => outward(doc, x, y));
  return { x: Math.round(left), y: Math.round(top), width: Math.round(right - left), height: Math.round(bottom - top) };
}
