// What scrolls, and how far.

const SHARE = 0.8; // of a screen, so that a line stays in sight
let areas = []; // WeakRefs of what scrolls by itself, as the last pass over the page found it

const scrollTop = (doc) => doc.scrollingElement || doc.documentElement;

function pageScrolls(doc) {
  const page = scrollTop(doc);
  if (!page) return false; // a page can throw its whole document away
  const moves = page.scrollHeight > doc.defaultView.innerHeight + 1 || page.scrollWidth > doc.defaultView.innerWidth + 1;
  return moves && getComputedStyle(page).overflowY !== 'hidden';
}

// The page where it scrolls, else its largest scroll area or frame.
function scrollArea() {
  if (pageScrolls(document)) return scrollTop(document);
  const inner = areas.map((ref) => ref.deref()).filter((node) => node && node.isConnected && node.ownerDocument.defaultView);
  const framed = documents().slice(1).filter(pageScrolls).map(scrollTop);
  let best = null;
  let size = 0;
  for (const node of [...inner, ...framed]) {
    const area = node.clientWidth * node.clientHeight;
    if (area > size) { best = node; size = area; }
  }
  return best;
}

function directions(area) {
  if (!area) return [];
  const out = [];
  if (area.scrollTop > 0) out.push('up');
  if (area.scrollTop + area.clientHeight < area.scrollHeight - 1) out.push('down');
  if (area.scrollLeft > 0) out.push('left');
  if (area.scrollLeft + area.clientWidth < area.scrollWidth - 1) out.push('right');
  return out;
}

function scrollBy(area, direction) {
  if (!area || !directions(area).includes(direction)) return false;
  const [x, y] = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] }[direction];
  area.scrollBy({ left: x * area.clientWidth * SHARE, top: y * area.clientHeight * SHARE, behavior: 'instant' });
  return true;
}

function scroll(direction) { return { moved: scrollBy(scrollArea(), direction) }; }

// The element itself, or the nearest area around it, its frame's page included, that can move that way.
function scrollIn(id, direction) {
  const node = find(id);
  if (!node) return gone(id);
  for (let up = node; up; up = parentOf(up)) {
    const page = up === scrollTop(up.ownerDocument);
    const moves = page ? pageScrolls(up.ownerDocument) : scrollable(up, getComputedStyle(up));
    if (moves && scrollBy(up, direction)) return {};
  }
  return { error: `Nothing around element ${id} scrolls ${direction}.` };
}
