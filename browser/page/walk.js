// The first pass over a page: its rows, texts and frames in document order, and where each is clipped.

const DEPTH_LIMIT = 400;
// Each document of a frame costs a pass of its own; advertisements nest them without end.
const FRAME_LIMIT = 60;

function childrenOf(node) {
  if (node.shadowRoot) return node.shadowRoot.childNodes;
  return givenTo(node) || node.childNodes;
}

// What a slot shows in place of its own children; null for any other node.
function givenTo(node) {
  if (node.localName !== 'slot') return null;
  const given = node.assignedNodes({ flatten: true });
  return given.length ? given : null;
}

function intersect(a, b) {
  return { left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom) };
}

const empty = (r) => r.right - r.left < 1 || r.bottom - r.top < 1;
const EVERYWHERE = { left: -1e7, top: -1e7, right: 1e7, bottom: 1e7 };
const viewOf = (win) => ({ left: 0, top: 0, right: win.innerWidth, bottom: win.innerHeight });

const WORDS = /\S/;
const OPACITY = { opacityProperty: true };
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

  // A whole document; `clip` is the part of its viewport that can be seen.
  document(doc, clip, frame) {
    if (!doc.body) return;
    const whole = { clip: intersect(clip, viewOf(doc.defaultView)), hardClip: EVERYWHERE };
    this.visit(doc.documentElement, { depth: 0, visible: true, clipped: false, editable: false, pointer: false, row: null,
      label: null, block: doc.body, ...whole, absolute: whole, fixed: whole, frame });
  }

  visit(node, context) {
    if (context.depth > DEPTH_LIMIT) { this.deep += 1; return; }
    const given = givenTo(node);
    if (given) { for (const child of given) this.child(child, context); return; }
    // A list of children costs an object each, and a look at the list for every child.
    for (let child = (node.shadowRoot || node).firstChild; child; child = child.nextSibling) this.child(child, context);
  }

  child(node, context) {
    const kind = node.nodeType;
    if (kind === Node.TEXT_NODE) this.text(node, context);
    else if (kind === Node.ELEMENT_NODE) this.element(node, context);
  }

  text(node, context) {
    if (context.editable || !context.visible || !WORDS.test(node.data)) return;
    const item = { text: node.data, near: context.rowNear, block: context.block, row: context.row, label: context.label,
      frame: context.frame };
    // What a row says is in its name; its place matters only if the row is dropped.
    if (!context.row) {
      if (this.transparent(node.parentElement)) return;
      const rect = rectOfText(node);
      if (rect.width < 1 || rect.height < 1 || empty(intersect(rect, context.hardClip))) return;
      item.near = !empty(intersect(rect, context.clip));
    }
    this.items.push(item);
  }

  // Whether nothing of a node's text can be seen, by its own opacity or that of anything around it.
  transparent(node) {
    if (node && node !== this.asked) { this.asked = node; this.hidden = !node.checkVisibility(OPACITY); }
    return Boolean(node) && this.hidden;
  }

  element(node, context) {
    if (SKIP.has(node.localName)) return;
    const style = getComputedStyle(node);
    const { display } = style;
    if (display === 'none') return;
    // What is taken out of the flow is clipped by its containing block, not by what it stands in.
    const position = context.clipped ? style.position : 'static';
    if (position === 'absolute') context = { ...context, ...context.absolute };
    else if (position === 'fixed') context = { ...context, ...context.fixed };
    const visible = style.visibility === 'visible';
    if (isFrame(node)) { if (visible) this.frame(node, context); return; }
    if (node.shadowRoot) observe(node.shadowRoot);
    const inner = { ...context, depth: context.depth + 1, visible };
    if (display !== 'inline' && display !== 'contents') inner.block = node;
    if (node.localName === 'label') inner.label = node;
    if (display !== 'inline' && style.overflow !== 'visible') this.clip(node, style, context, inner);
    if (position !== 'static') inner.absolute = { clip: inner.clip, hardClip: inner.hardClip };
    const pointer = style.cursor === 'pointer' && style.pointerEvents !== 'none';
    if (visible && this.isRow(node, style, pointer, context)) this.row(node, style, context, inner);
    inner.pointer = pointer && (context.pointer || inner.row === node);
    if (node.localName === 'select' || node.localName === 'textarea') return;
    const before = this.items.length;
    this.visit(node, inner);
    if (HEADING.test(node.localName)) this.heading = headingText(this.items.slice(before));
  }

  clip(node, style, context, inner) {
    const rect = node.getBoundingClientRect();
    const scrolls = scrollable(node, style);
    inner.clipped = true;
    if (!scrolls) inner.hardClip = intersect(context.hardClip, rect);
    else if (!empty(rect)) this.areas.push(node);
    inner.clip = intersect(context.clip, rect);
    if (!context.clipped && style.position !== 'static') inner.absolute = { clip: inner.clip, hardClip: inner.hardClip };
  }

  row(node, style, context, inner) {
    const rect = node.getBoundingClientRect();
    if (!(rect.width > 0 && rect.height > 0) || empty(intersect(rect, inner.hardClip))) return;
    this.rows.add(node);
    const near = !empty(intersect(rect, context.clip));
    this.items.push({ node, style, rect, near, outer: context.row, heading: this.heading, frame: context.frame });
    inner.row = node;
    inner.rowNear = near;
    inner.editable = inner.editable || isEditable(node);
  }

  frame(node, context) {
    const rect = node.getBoundingClientRect();
    if (rect.width < 1 || rect.height < 1 || empty(intersect(rect, context.hardClip))) return;
    this.frames += 1;
    if (this.frames > FRAME_LIMIT) { this.unread += 1; return; }
    const label = [context.frame, labelOf(node, this.frames)].filter(Boolean).join(' > ');
    const seen = intersect(context.clip, rect);
    const clip = empty(seen) ? { left: 0, top: 0, right: 0, bottom: 0 } : mapped(seen, placementOf(node).inverse());
    const doc = documentOf(node);
    if (doc) {
      listen(doc);
      ask(doc, 'report');
      this.document(doc, clip, label);
    } else this.items.push({ foreign: node, clip, frame: label });
  }

  isRow(node, style, pointer, context) {
    if (isSemantic(node)) return !context.editable;
    if (context.editable) return false;
    if (lower(node) === 'label') return this.standsFor(node);
    if (isPlainTarget(node)) return true;
    if (isSvg(node)) {
      return SHAPES.has(lower(node)) && style.pointerEvents !== 'none' && !this.inControl(context.row);
    }
    if (!pointer || context.pointer) return false;
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
