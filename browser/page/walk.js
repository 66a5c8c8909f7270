// The first pass over a page: its rows, texts and frames in document order, and where each is clipped.

const DEPTH_LIMIT = 400;
// Each document of a frame costs a pass of its own; advertisements nest them without end.
const FRAME_LIMIT = 60;

const childNodesOf = getter(Node, 'childNodes');
const nextOf = getter(Node, 'nextSibling');

// What a node shows in place of its own children, or for one that hides its own members; null for any other.
function givenTo(node) {
  if (masked(node)) return childNodesOf(node);
  if (node.shadowRoot) return node.shadowRoot.childNodes;
  if (node.localName === 'details' && !node.open) return node.querySelectorAll(':scope > summary:first-of-type');
  if (node.localName !== 'slot') return null;
  const given = node.assignedNodes({ flatten: true });
  return given.length ? given : null;
}

const childrenOf = (node) => givenTo(node) || node.childNodes;

function intersect(a, b) {
  return { left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom) };
}

const empty = (r) => r.right - r.left < 1 || r.bottom - r.top < 1;
// Whether two boxes share less than a pixel.
const apart = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) < 1 ||
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) < 1;
const sizeOf = (r) => (r.right - r.left) * (r.bottom - r.top);
const EVERYWHERE = { left: -1e7, top: -1e7, right: 1e7, bottom: 1e7 };

// Where content lies that scrolling brings into view: nothing before the beginning. `left` and `top` are the area's own.
function reach(area, left, top, scale, style) {
  const { direction, flexDirection, writingMode } = style;
  // These scroll the other way along one axis.
  const leftwards = direction === 'rtl' || flexDirection === 'row-reverse' || writingMode !== 'horizontal-tb';
  const upwards = flexDirection === 'column-reverse' || direction === 'rtl' && writingMode !== 'horizontal-tb';
  return { ...EVERYWHERE, ...(!leftwards && { left: left - area.scrollLeft * scale }),
    ...(!upwards && { top: top - area.scrollTop * scale }) };
}

// Whether what is fixed keeps its place in the viewport, and not in something transformed around it. A change of zoom
// makes an offset parent too.
function heldByViewport(node) {
  const outer = node.offsetParent;
  return !outer || outer.currentCSSZoom !== node.currentCSSZoom;
}

// What is fixed outside the viewport stays there, unless it stands in an area that scrolls by itself.
function stuckOutside(node, rect, areas) {
  const outer = node.offsetParent;
  if (outer && lower(outer) === 'body') return false; // the usual case, told at once
  const view = viewOf(node.ownerDocument.defaultView);
  if (!apart(rect, view)) return false;
  let last = node;
  while (last.ownerSVGElement) last = last.ownerSVGElement;
  const fixed = (n) => lower(n) !== 'body' && getComputedStyle(n).position === 'fixed';
  if (isSvg(last) && !fixed(last)) last = parentOf(last);
  while (last.offsetParent && !(heldByViewport(last) && fixed(last))) last = last.offsetParent;
  if (!fixed(last)) return false;
  return apart(last.getBoundingClientRect(), view) ||
    !areas.some((area) => within(area, last) && within(node, area));
}

// What is inside is not drawn. A box inside a line takes no such style.
const skipsContents = (style) => style.contentVisibility === 'hidden' && style.display !== 'inline' && style.display !== 'contents';

// Whether the pointer becomes a hand there, as over what can be pressed.
const hand = (style) => style.cursor === 'pointer' && style.pointerEvents !== 'none';

const viewOf = (win) => ({ left: 0, top: 0, right: win.innerWidth, bottom: win.innerHeight });

const TEXT = Node.TEXT_NODE;
const ELEMENT = Node.ELEMENT_NODE;
const WORDS = /\S/;
const HEADING = /^h[1-6]$/;
const headingText = (items) => clean(items.map((item) => item.text || '').join(''), CONTEXT_LIMIT);

const range = document.createRange();

function rectOfText(node) {
  range.selectNodeContents(node);
  return range.getBoundingClientRect();
}

class Walk {
  constructor() {
    this.items = []; // {node, style, rect, ...}, {text, block, ...} or {foreign, ...}
    this.rows = new Set();
    this.areas = []; // what scrolls by itself
    this.frames = 0;
    this.unread = 0;
    this.deep = 0;
    this.heading = '';
  }

  // A whole document; `clip` is the part of its viewport that can be seen, `hard` the part that ever can, `area` the
  // frame element it stands in.
  document(doc, clip, hard, frame, area) {
    if (!own.body(doc)) return;
    const view = viewOf(own.window(doc));
    if (empty(view)) return;
    const everything = reach(scrollTop(doc), 0, 0, 1, getComputedStyle(own.body(doc)));
    const whole = { clip: intersect(clip, view), hardClip: pageScrolls(doc) ? everything : intersect(everything, hard) };
    const fixed = { ...whole, hardClip: intersect(view, hard) };
    this.visit(own.root(doc), { depth: 0, visible: true, clear: false, clipped: false, editable: false, pointer: false, row: null,
      label: null, block: own.body(doc), ...whole, absolute: whole, fixed, frame, area });
  }

  visit(node, context) {
    if (context.depth > DEPTH_LIMIT) { this.deep += 1; return; }
    const given = givenTo(node);
    if (given) { for (const child of given) this.child(child, context); return; }
    // A list of children costs an object each, and a look at the list for every child.
    for (let child = node.firstChild; child; child = this.child(child, context)) { /* each in its turn */ }
  }

  // Takes a node in, and returns the one after it.
  child(node, context) {
    if (masked(node)) {
      this.masked(node, context);
      return nextOf(node);
    }
    const kind = node.nodeType;
    if (kind === TEXT) this.text(node, context);
    else if (kind === ELEMENT) this.element(node, context);
    return node.nextSibling;
  }

  text(node, context) {
    if (context.editable || !context.visible || context.clear && !context.row) return;
    if (!WORDS.test(node.data)) { this.space(context); return; }
    const item = { text: node.data, near: context.rowNear, block: context.block, row: context.row, label: context.label,
      frame: context.frame };
    // What a row says is in its name; its place matters only if the row is dropped.
    if (!context.row) {
      const rect = rectOfText(node);
      if (rect.width < 1 || rect.height < 1 || apart(rect, context.hardClip)) return;
      item.near = !apart(rect, context.clip);
    }
    this.items.push(item);
  }

  // What stands between two words keeps them apart.
  space(context) {
    const last = this.items[this.items.length - 1];
    if (last && last.text && last.block === context.block) last.text += ' ';
  }

  // A form that hides its own members behind its fields.
  masked(form, context) {
    const style = getComputedStyle(form);
    if (style.display === 'none') return;
    this.visit(form, { ...context, depth: context.depth + 1, visible: style.visibility === 'visible', block: form, pointer: false });
  }

  element(node, context) {
    const name = node.localName;
    if (SKIP.has(name)) return;
    const style = getComputedStyle(node);
    const { display } = style;
    if (display === 'none') return;
    // What is taken out of the flow is clipped by its containing block, not by what it stands in.
    const position = context.clipped ? style.position : 'static';
    if (position === 'absolute') context = { ...context, ...context.absolute };
    else if (position === 'fixed' && heldByViewport(node)) context = { ...context, ...context.fixed };
    const visible = style.visibility === 'visible';
    if (context.editable && node.getAttribute('contenteditable') === 'false') context = { ...context, editable: false };
    if (isFrame(node)) { if (visible) this.frame(node, context); return; }
    if (node.shadowRoot) observe(node.shadowRoot);
    const inner = { ...context, depth: context.depth + 1, visible };
    // Each style read costs: what holds nothing is asked only what makes a row of it.
    const holds = node.firstChild || node.shadowRoot || name === 'slot' || name === 'textarea';
    // What has no box of its own shows its text in the box around it.
    if (holds && display !== 'contents' && style.opacity === '0') inner.clear = true;
    if (display !== 'inline' && display !== 'contents') inner.block = node;
    if (name === 'label') inner.label = node;
    if (holds && display !== 'inline' && style.overflow !== 'visible') this.clip(node, style, context, inner);
    if (position !== 'static') inner.absolute = { clip: inner.clip, hardClip: inner.hardClip };
    if (visible && this.isRow(node, style, context)) this.row(node, style, context, inner);
    if (!holds || name === 'select' || name === 'textarea' || skipsContents(style)) return;
    inner.pointer = (context.pointer || inner.row === node) && hand(style);
    const before = this.items.length;
    this.visit(node, inner);
    if (HEADING.test(name)) this.heading = headingText(this.items.slice(before));
  }

  clip(node, style, context, inner) {
    const rect = node.getBoundingClientRect();
    const scrolls = scrollable(node, style);
    inner.clipped = true;
    const shown = intersect(context.hardClip, rect);
    if (scrolls && !empty(shown)) {
      this.areas.push(node);
      inner.area = node;
      const scale = rect.width / node.offsetWidth;
      const turned = Math.abs(rect.height / node.offsetHeight - scale) > 0.01;
      inner.hardClip = turned ? EVERYWHERE : reach(node, rect.left, rect.top, scale, style);
    } else inner.hardClip = shown;
    inner.clip = intersect(context.clip, rect);
    if (!context.clipped && style.position !== 'static') inner.absolute = { clip: inner.clip, hardClip: inner.hardClip };
  }

  row(node, style, context, inner) {
    const rect = node.getBoundingClientRect();
    if (!(rect.width > 0 && rect.height > 0) || apart(rect, inner.hardClip)) return;
    const near = !apart(rect, context.clip);
    this.rows.add(node);
    this.items.push({ node, style, rect, near, outer: context.row, heading: this.heading, frame: context.frame,
      area: context.area });
    inner.row = node;
    inner.rowNear = near;
    inner.editable = inner.editable || isEditable(node);
  }

  frame(node, context) {
    const rect = node.getBoundingClientRect();
    if (rect.width < 1 || rect.height < 1 || apart(rect, context.hardClip)) return;
    const clip = intersect(context.clip, rect);
    if (empty(clip) && stuckOutside(node, rect, this.areas)) return;
    this.frames += 1;
    if (this.frames > FRAME_LIMIT) { this.unread += 1; return; }
    const label = [context.frame, labelOf(node, this.frames)].filter(Boolean).join(' > ');
    const inward = placementOf(node).inverse();
    const inside = (part) => (empty(part) ? { left: 0, top: 0, right: 0, bottom: 0 } : mapped(part, inward));
    const left = intersect(context.hardClip, rect);
    const hard = sizeOf(left) < sizeOf(rect) ? inside(left) : EVERYWHERE;
    const doc = documentOf(node);
    if (doc) {
      listen(doc);
      ask(doc, 'report');
      this.document(doc, inside(clip), hard, label, node);
    } else this.items.push({ foreign: node, clip: inside(clip), hard, frame: label });
  }

  isRow(node, style, context) {
    if (isSemantic(node)) return !context.editable;
    if (context.editable) return false;
    if (lower(node) === 'label') return this.standsFor(node);
    if (isPlainTarget(node)) return true;
    if (isSvg(node)) {
      return SHAPES.has(lower(node)) && style.pointerEvents !== 'none' && !this.inControl(context.row);
    }
    if (context.pointer || !hand(style)) return false;
    // The hand may be set on a whole list: then its items are the controls.
    return node.childElementCount <= 1 || Array.from(node.childNodes).some(
      (child) => child.nodeType === Node.TEXT_NODE && /\S/.test(child.data));
  }

  inControl(row) { return Boolean(row) && !isSvg(row) && isSemantic(row); }

  // A label is a control of its own only where the box it belongs to cannot be seen.
  standsFor(label) {
    const control = label.control;
    if (!control || !['checkbox', 'radio', 'file'].includes(control.type)) return false;
    const rect = control.getBoundingClientRect();
    return !control.checkVisibility({ visibilityProperty: true }) || rect.width < 1 || rect.height < 1;
  }
}
