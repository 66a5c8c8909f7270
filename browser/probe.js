// The one in-page script: waits for the page to come to rest, describes its controls and text, and finds where an
// action would land. Installed before the page's own scripts. It knows no benchmark and decides nothing.
(() => {
  const KEY = '__elementTable';
  if (window[KEY]) return;

  // Kept before a page can replace them.
  const nativeTimeout = window.setTimeout.bind(window);
  const now = performance.now.bind(performance);

  // ---------------------------------------------------------------- activity: is the page still working?

  // A reaction to an action is started by a timer this short (jQuery's autocomplete waits 300 ms).
  const SHORT_TIMER_MS = 350;
  // An animation driven by setInterval ticks at least this often (jQuery: 13 ms).
  const SHORT_INTERVAL_MS = 50;
  // Past these a timer that starts itself again, an interval or a request is a loop of the page, not a reaction.
  const LOOP_DEPTH = 12;
  const FRAME_DEPTH = 120;
  const LOOP_MS = 1500;

  const pending = new Map(); // key -> when it began
  let depth = 0;
  let lastChange = now();

  function track(key) { pending.set(key, now()); }
  function untrack(key) { pending.delete(key); }

  function deeper(level, callback, self, args) {
    const outer = depth;
    depth = level;
    try { return callback.apply(self, args); } finally { depth = outer; }
  }

  const { setTimeout, clearTimeout, setInterval, clearInterval, requestAnimationFrame, cancelAnimationFrame } = window;

  window.setTimeout = function (callback, delay, ...args) {
    if (typeof callback !== 'function' || delay > SHORT_TIMER_MS) {
      return setTimeout.call(window, callback, delay, ...args);
    }
    const level = depth + 1;
    const id = setTimeout.call(window, function (...given) {
      untrack('t' + id);
      return deeper(level, callback, this, given);
    }, delay, ...args);
    if (level <= LOOP_DEPTH) track('t' + id);
    return id;
  };
  window.clearTimeout = function (id) { untrack('t' + id); untrack('i' + id); return clearTimeout.call(window, id); };
  window.setInterval = function (callback, delay, ...args) {
    const id = setInterval.call(window, callback, delay, ...args);
    if (!(delay > SHORT_INTERVAL_MS)) track('i' + id);
    return id;
  };
  window.clearInterval = function (id) { untrack('t' + id); untrack('i' + id); return clearInterval.call(window, id); };
  window.requestAnimationFrame = function (callback) {
    const level = depth + 1;
    const id = requestAnimationFrame.call(window, (time) => {
      untrack('f' + id);
      return deeper(level, callback, window, [time]);
    });
    if (level <= FRAME_DEPTH) track('f' + id);
    return id;
  };
  window.cancelAnimationFrame = function (id) { untrack('f' + id); return cancelAnimationFrame.call(window, id); };

  let requests = 0;
  if (window.fetch) {
    const fetch = window.fetch;
    window.fetch = function (...args) {
      const key = 'n' + ++requests;
      track(key);
      const answer = fetch.apply(this, args);
      answer.then(() => untrack(key), () => untrack(key));
      return answer;
    };
  }
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...args) {
    const key = 'n' + ++requests;
    track(key);
    this.addEventListener('loadend', () => untrack(key), { once: true });
    return send.apply(this, args);
  };

  new MutationObserver((records) => {
    if (records.some((r) => r.attributeName !== 'bid')) lastChange = now();
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

  function busy() {
    if (document.readyState !== 'complete') return true;
    const oldest = now() - LOOP_MS;
    for (const since of pending.values()) if (since > oldest) return true;
    for (const image of document.images) if (!image.complete && image.loading !== 'lazy') return true;
    return document.getAnimations().some((animation) => {
      const end = animation.playState === 'running' && animation.effect && animation.effect.getComputedTiming().endTime;
      return typeof end === 'number' && isFinite(end) && end - (animation.currentTime || 0) < LOOP_MS;
    });
  }

  // Resolves to [settled, ms] once nothing moved for `quiet` ms and nothing short is pending, or after `cap` ms.
  async function settle(quiet, cap) {
    const start = now();
    for (;;) {
      const calm = now() - Math.max(lastChange, start);
      if (calm >= quiet && !busy()) return [true, now() - start];
      const left = cap - (now() - start);
      if (left <= 0) return [false, now() - start];
      await new Promise((done) => nativeTimeout(done, Math.min(left, Math.max(quiet - calm, 4))));
    }
  }

  // Resolves after the next change of the page, or after `cap` ms.
  async function change(cap) {
    const start = now();
    while (lastChange < start && now() - start < cap) await new Promise((done) => nativeTimeout(done, 10));
  }

  // Whether this page asked for a tab, or to be closed, since the last look; the browser does both a moment later.
  let opening = false;
  let closing = false;
  const { open, close } = window;
  window.open = function (...args) { opening = true; return open.apply(this, args); };
  window.close = function () { closing = true; return close.call(window); };
  window.addEventListener('click', (event) => {
    const link = !event.defaultPrevented && event.target.closest && event.target.closest('a[href][target]');
    if (link && !['', '_self', '_top', '_parent'].includes(link.target)) opening = true;
  });

  // What the last mouse event said to be held down: it comes from the driver, whatever page it was pressed on.
  let held = null;
  for (const type of ['mousemove', 'mousedown', 'mouseup']) {
    window.addEventListener(type, (e) => {
      held = e.buttons > 0 || e.shiftKey || e.ctrlKey || e.altKey || e.metaKey;
    }, true);
  }

  // ---------------------------------------------------------------- identity

  const ids = new WeakMap();
  const nodes = new Map(); // id -> WeakRef
  let lastId = 0;

  // The node is the identity; the attribute only lets selectors find it. A clone carries the attribute of its original
  // and still gets an id of its own.
  function stamp(node) {
    let id = ids.get(node);
    if (id === undefined) {
      id = ++lastId;
      ids.set(node, id);
      nodes.set(id, new WeakRef(node));
    }
    if (node.getAttribute('bid') !== String(id)) node.setAttribute('bid', id);
    return id;
  }

  function find(id) {
    const known = nodes.get(id);
    const node = known ? known.deref() : document.querySelector(`[bid="${id}"]`);
    return node && node.isConnected ? node : null;
  }

  // ---------------------------------------------------------------- what can be acted on

  const listening = new WeakSet();
  const POINTER_EVENTS = new Set(['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart',
    'touchend']);
  const addEventListener = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (POINTER_EVENTS.has(type) && this instanceof Element) listening.add(this);
    return addEventListener.call(this, type, ...rest);
  };

  const SKIP = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'TITLE', 'OPTION', 'OPTGROUP',
    'DATALIST', 'BR', 'HR', 'WBR', 'SOURCE', 'TRACK', 'PARAM', 'DEFS', 'CLIPPATH', 'MASK', 'SYMBOL', 'LINEARGRADIENT']);
  const ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'option', 'combobox', 'listbox', 'textbox', 'searchbox', 'spinbutton', 'slider', 'treeitem',
    'gridcell', 'scrollbar']);
  const SHAPES = new Set(['circle', 'ellipse', 'rect', 'polygon', 'polyline', 'path', 'line', 'text', 'image', 'use']);
  const TEXT_TYPES = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number', 'date', 'time', 'month',
    'week', 'datetime-local', 'color']);
  // These take a value, not keystrokes.
  const VALUE_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);

  const lower = (node) => node.localName || '';
  const isSvg = (node) => node instanceof SVGElement;
  const clean = (text, limit) => (text || '').replace(/\s+/g, ' ').trim().slice(0, limit);

  function inputType(node) { return lower(node) === 'input' ? node.type : null; }

  function isEditable(node) {
    const tag = lower(node);
    if (tag === 'textarea') return true;
    if (tag === 'input') return TEXT_TYPES.has(node.type);
    return node.isContentEditable && !(node.parentElement && node.parentElement.isContentEditable);
  }

  function isSemantic(node) {
    switch (lower(node)) {
      case 'a': case 'area': return node.hasAttribute('href');
      case 'input': return node.type !== 'hidden';
      case 'button': case 'select': case 'textarea': case 'summary': return true;
      case 'audio': case 'video': return node.controls;
    }
    return ROLES.has(node.getAttribute('role')) || isEditable(node);
  }

  function isPlainTarget(node) {
    if (node === document.body || node === document.documentElement) return false;
    return listening.has(node) || node.onclick || node.onmousedown || node.onmouseup || node.onpointerdown ||
      node.getAttribute('draggable') === 'true' || node.tabIndex >= 0 && node.hasAttribute('tabindex') ||
      lower(node) === 'canvas';
  }

  const ROLE_OF_TAG = { a: 'link', area: 'link', button: 'button', textarea: 'textbox', summary: 'button',
    canvas: 'img', img: 'img', svg: 'img', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading',
    h6: 'heading', li: 'listitem', td: 'cell', th: 'columnheader', tr: 'row', label: 'label' };
  const ROLE_OF_INPUT = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
    radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', color: 'colorwell', file: 'file',
    date: 'date', time: 'time', month: 'date', week: 'date', 'datetime-local': 'date' };

  function roleOf(node) {
    const given = clean(node.getAttribute('role'), 40).split(' ')[0];
    if (given) return given;
    const tag = lower(node);
    if (tag === 'input') return node.list ? 'combobox' : ROLE_OF_INPUT[node.type] || 'textbox';
    if (tag === 'select') return node.multiple || node.size > 1 ? 'listbox' : 'combobox';
    if (isSvg(node)) return tag === 'svg' ? 'img' : 'graphic';
    if (isEditable(node)) return 'textbox';
    return tag === 'a' && !node.hasAttribute('href') ? 'generic' : ROLE_OF_TAG[tag] || 'generic';
  }

  // ---------------------------------------------------------------- names

  const NAME_LIMIT = 120;
  const VALUE_LIMIT = 2000;
  const CONTEXT_LIMIT = 80;

  const visibleText = (node) => isSvg(node) ? node.textContent : node.innerText;

  function byIds(node, attribute) {
    return (node.getAttribute(attribute) || '').split(/\s+/).filter(Boolean)
      .map((id) => document.getElementById(id)).filter(Boolean).map((n) => n.textContent).join(' ');
  }

  // The text of a node without what belongs to controls inside it.
  function ownText(node, rows) {
    let text = '';
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) text += child.data;
      else if (child.nodeType === Node.ELEMENT_NODE && !rows.has(child) && !SKIP.has(child.tagName.toUpperCase()) &&
        child.checkVisibility()) text += ' ' + ownText(child, rows) + ' ';
      else text += ' ';
    }
    return text;
  }

  function labelText(node) {
    return node.labels ? Array.from(node.labels, (label) => ownText(label, new Set(label.querySelectorAll('select,textarea')))).join(' ') : '';
  }

  function nameOf(node, rows) {
    const tag = lower(node);
    const type = inputType(node);
    const sources = [() => byIds(node, 'aria-labelledby'), () => node.getAttribute('aria-label'), () => labelText(node)];
    if (type === 'button' || type === 'submit' || type === 'reset') sources.push(() => node.value || type);
    else if (type === 'image' || tag === 'img' || tag === 'area') sources.push(() => node.alt);
    else if (tag === 'svg') sources.push(() => { const t = node.querySelector(':scope > title'); return t && t.textContent; });
    if (!isEditable(node) && !['input', 'select', 'canvas', 'svg'].includes(tag)) {
      sources.push(() => ownText(node, rows), () => imageText(node));
    }
    sources.push(() => node.getAttribute('title'));
    for (const source of sources) {
      const name = clean(source(), NAME_LIMIT);
      if (name) return name;
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

  // Words that mark a field whose content must never be read.
  const CREDENTIAL = /passw|passcode|passphrase|\bpin\b|\bcvv\b|\bcvc\b|security code|card.?number|one.?time|\botp\b/i;
  const CREDENTIAL_FILL = /current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp/;

  function isCredential(node, name) {
    if (!isEditable(node)) return false;
    return node.type === 'password' || CREDENTIAL_FILL.test(node.getAttribute('autocomplete') || '') ||
      [name, node.getAttribute('placeholder'), node.getAttribute('name'), node.id].some((t) => t && CREDENTIAL.test(t));
  }

  // ---------------------------------------------------------------- graphics

  function colorOf(node, style) {
    if (lower(node) === 'svg') return null;
    if (isSvg(node)) {
      const fill = style.fill !== 'none' ? style.fill : style.stroke;
      return fill && fill !== 'none' ? fill : null;
    }
    const back = style.backgroundColor;
    return back && back !== 'rgba(0, 0, 0, 0)' && back !== 'transparent' ? back : null;
  }

  function shapeOf(node) {
    const tag = lower(node);
    if (tag === 'canvas') return 'canvas';
    if (!isSvg(node)) return null;
    if (tag === 'polygon' || tag === 'polyline') {
      const corners = node.points ? node.points.numberOfItems : 0;
      return corners === 3 ? 'triangle' : corners === 4 ? 'quadrilateral' : 'polygon';
    }
    if (tag === 'rect') {
      const box = node.getBoundingClientRect();
      return Math.abs(box.width - box.height) < 2 ? 'square' : 'rectangle';
    }
    return tag;
  }

  // ---------------------------------------------------------------- where an action lands

  // Where to try, as fractions of the box: its middle first, as a person would, then off-centre.
  const AIM = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.2, 0.2], [0.8, 0.8], [0.8, 0.2],
    [0.2, 0.8]];

  const RIM = [[1, 0.5], [0, 0.5], [0.5, 1], [0.5, 0], [1, 1], [0, 0], [1, 0], [0, 1]];

  function topAt(x, y) {
    let top = document.elementFromPoint(x, y);
    while (top && top.shadowRoot) {
      const inner = top.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === top) break;
      top = inner;
    }
    return top;
  }

  const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() || {}).host || null;

  function within(node, ancestor) {
    for (let n = node; n; n = parentOf(n)) if (n === ancestor) return true;
    return false;
  }

  // Where to try on a node: points of its boxes, and for a drawn line points on the line.
  function* targets(node) {
    const rects = Array.from(node.getClientRects()).filter((r) => r.width > 0 && r.height > 0);
    for (const box of rects.length ? rects.slice(0, 3) : [node.getBoundingClientRect()]) {
      for (const [fx, fy] of AIM) yield [box.left + box.width * fx, box.top + box.height * fy];
      // What lies half under something else may show only a rim.
      for (const [fx, fy] of RIM) {
        yield [box.left + 1 + (box.width - 2) * fx, box.top + 1 + (box.height - 2) * fy];
      }
    }
    if (!(node instanceof SVGGeometryElement)) return;
    const toScreen = node.getScreenCTM();
    const length = node.getTotalLength();
    for (const part of [0.5, 0.25, 0.75]) {
      const point = node.getPointAtLength(length * part).matrixTransform(toScreen);
      yield [point.x, point.y];
    }
  }

  function reaches(hit, node) {
    if (!hit) return false;
    if (within(hit, node)) return true;
    const label = hit.closest && hit.closest('label');
    return Boolean(label && label.control === node);
  }

  // Returns {x, y} where a click reaches the node, or {cover} with what is in the way, or {outside: true}.
  function landing(node) {
    let cover = null;
    let inside = false;
    for (const [x, y] of targets(node)) {
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      inside = true;
      const hit = topAt(x, y);
      if (reaches(hit, node)) return { x, y };
      cover = cover || hit;
    }
    return inside ? { cover } : { outside: true };
  }

  function describe(node) {
    if (!node) return 'nothing that takes a click';
    const dialog = node.closest && node.closest('[role=dialog],[role=alertdialog],dialog,[aria-modal=true]');
    const shown = dialog || node;
    const name = clean(shown.getAttribute('aria-label') || visibleText(shown), 60);
    const words = [lower(shown), shown.id && '#' + shown.id].filter(Boolean).join('');
    const text = name ? `${words} "${name}"` : words;
    const consent = /cookie|consent|gdpr/i.test(`${shown.id} ${shown.getAttribute('class') || ''} ${name}`);
    return (consent ? 'consent dialog ' : dialog ? 'dialog ' : '') + text;
  }

  // ---------------------------------------------------------------- the walk

  const DEPTH_LIMIT = 400;

  function childrenOf(node) {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (lower(node) === 'slot') { const given = node.assignedNodes({ flatten: true }); if (given.length) return given; }
    return node.childNodes;
  }

  const SCROLLS = /auto|scroll|overlay/;

  function scrollable(node, style) {
    return SCROLLS.test(style.overflowY) && node.scrollHeight > node.clientHeight + 1 ||
      SCROLLS.test(style.overflowX) && node.scrollWidth > node.clientWidth + 1;
  }

  function intersect(a, b) {
    return { left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right),
      bottom: Math.min(a.bottom, b.bottom) };
  }

  const empty = (r) => r.right - r.left < 1 || r.bottom - r.top < 1;

  // First pass: finds rows, text and frames in document order, and where they are clipped.
  class Walk {
    constructor() {
      this.items = []; // {node, style, rect, clip, scrolled} or {text, block, label}
      this.rows = new Set();
      this.frames = 0;
      this.deep = 0;
    }

    visit(node, context) {
      if (context.depth > DEPTH_LIMIT) { this.deep += 1; return; }
      for (const child of childrenOf(node)) {
        if (child.nodeType === Node.TEXT_NODE) this.text(child, context);
        else if (child.nodeType === Node.ELEMENT_NODE) this.element(child, context);
      }
    }

    text(node, context) {
      if (context.editable || !context.shown || !/\S/.test(node.data)) return;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rect = range.getBoundingClientRect();
      if (rect.width < 1 || rect.height < 1 || empty(intersect(rect, context.hardClip))) return;
      const near = !empty(intersect(rect, context.clip));
      this.items.push({ text: node.data, near, block: context.block, row: context.row, label: context.label });
    }

    element(node, context) {
      const tag = node.tagName.toUpperCase();
      if (SKIP.has(tag)) return;
      if (tag === 'IFRAME' || tag === 'FRAME') { this.frames += 1; return; }
      const style = getComputedStyle(node);
      if (style.display === 'none') return;
      const shown = style.visibility === 'visible' && style.opacity !== '0';
      const inner = { ...context, depth: context.depth + 1, shown };
      if (style.display !== 'inline' && style.display !== 'contents') inner.block = node;
      if (tag === 'LABEL') inner.label = node;
      if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
        const rect = node.getBoundingClientRect();
        const scrolls = scrollable(node, style);
        if (!scrolls) inner.hardClip = intersect(context.hardClip, rect);
        inner.clip = intersect(context.clip, rect);
      }
      const pointer = style.cursor === 'pointer' && style.pointerEvents !== 'none';
      if (style.visibility === 'visible' && this.isRow(node, style, pointer, context)) {
        const rect = node.getBoundingClientRect();
        if (rect.width > 0 && rect.height > 0 && !empty(intersect(rect, inner.hardClip))) {
          this.rows.add(node);
          const near = !empty(intersect(rect, context.clip));
          this.items.push({ node, style, rect, near, outer: context.row });
          inner.row = node;
          inner.editable = inner.editable || isEditable(node);
        }
      }
      inner.pointer = pointer && (context.pointer || inner.row === node);
      if (tag !== 'SELECT' && tag !== 'TEXTAREA') this.visit(node, inner);
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

  // ---------------------------------------------------------------- rows

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
    if (box.matches(':disabled') || box.getAttribute('aria-disabled') === 'true' || box.closest('[inert]')) out.disabled = true;
    if (box.readOnly || box.getAttribute('aria-readonly') === 'true') out.readonly = true;
    if (box.required || box.getAttribute('aria-required') === 'true') out.required = true;
    if (box.getRootNode().activeElement === box) out.focused = true;
    if (box.getAttribute('draggable') === 'true') out.draggable = true;
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
    if (node.min) out.minimum = String(node.min);
    if (node.max) out.maximum = String(node.max);
    if (tag === 'select') {
      out.multiple = node.multiple;
      out.options = Array.from(node.options).slice(0, 200).map((option) => ({ label: clean(option.label, NAME_LIMIT),
        selected: option.selected, disabled: option.disabled || Boolean(option.closest('optgroup:disabled')) }));
      out.value = clean(Array.from(node.selectedOptions, (option) => option.label).join(', '), VALUE_LIMIT);
      out.filled = node.selectedOptions.length > 0;
      return out;
    }
    const editable = isEditable(node);
    if (editable) out.editable = true;
    if (!editable && type !== 'range' && node.getAttribute('aria-valuenow') === null) return out;
    const held = type || tag === 'textarea' ? node.value
      : node.getAttribute('aria-valuetext') || node.getAttribute('aria-valuenow') || visibleText(node);
    out.filled = Boolean(held && held.trim());
    if (isCredential(node, name)) out.credential = true;
    else out.value = (held || '').slice(0, VALUE_LIMIT);
    return out;
  }

  // The nearest group a row belongs to, in its own words.
  function scopeOf(node, name) {
    for (let up = parentOf(node), hops = 0; up && up !== document.body && hops < 6; up = parentOf(up), hops += 1) {
      const given = up.getAttribute && up.getAttribute('aria-label');
      const legend = lower(up) === 'fieldset' && up.querySelector('legend');
      const text = clean(given || legend && legend.textContent || visibleText(up), CONTEXT_LIMIT);
      if (text && text !== name) return text;
    }
    return null;
  }

  function row(item, rows) {
    const { node, style, rect, near } = item;
    const role = roleOf(node);
    const name = nameOf(node, rows);
    const out = { id: 0, role, name, tag: lower(node),
      box: { x: Math.round(rect.x), y: Math.round(rect.y), width: Math.round(rect.width), height: Math.round(rect.height) },
      ...states(node), ...fieldFacts(node, name) };
    const graphic = isSvg(node) || lower(node) === 'canvas';
    if (graphic) { const shape = shapeOf(node); if (shape) out.shape = shape; }
    if (graphic || !name || role === 'generic') {
      const color = colorOf(node, style);
      if (color) out.color = color;
    }
    if (!name || role === 'generic' || graphic) { const hint = hintOf(node, name, rows); if (hint) out.hint = hint; }
    if (!near) out.in_viewport = false;
    else {
      const where = landing(node);
      if (where.outside) out.in_viewport = false;
      else if (!('x' in where)) out.covered_by = describe(where.cover);
    }
    return out;
  }

  // A node without words of its own that only wraps other rows says nothing new.
  function redundant(item, out, parents) {
    return parents.has(item.node) && !out.name && !isSemantic(item.node) && !isSvg(item.node) && lower(item.node) !== 'canvas';
  }

  // ---------------------------------------------------------------- text

  const BLOCK_LIMIT = 240;

  class Blocks {
    constructor() { this.blocks = []; this.block = null; this.words = ''; this.near = false; }

    add(item, position) {
      if (item.block !== this.block || position !== this.position) { this.flush(); this.block = item.block; this.position = position; }
      this.words += item.text;
      this.near = this.near || item.near;
    }

    flush() {
      const text = clean(this.words, 1e6);
      for (let i = 0; i < text.length; i += BLOCK_LIMIT) {
        this.blocks.push({ text: text.slice(i, i + BLOCK_LIMIT), position: this.position, near: this.near });
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

  function table(maxElements, maxTexts) {
    const walk = new Walk();
    const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const all = { left: -1e7, top: -1e7, right: 1e7, bottom: 1e7 };
    if (document.body) {
      walk.visit(document.documentElement, { depth: 0, shown: true, editable: false, pointer: false, row: null,
        label: null, block: document.body, clip: view, hardClip: all });
    }
    const parents = new Set(walk.items.filter((item) => item.outer).map((item) => item.outer));
    const elements = [];
    const texts = new Blocks();
    const counts = new Map();
    const dropped = new Set();
    const found = walk.items.filter((item) => item.node);
    const shown = new Set(inViewFirst(found, maxElements));
    for (const item of walk.items) {
      if (item.node) {
        if (!shown.has(item)) continue;
        const out = row(item, walk.rows);
        if (redundant(item, out, parents)) { dropped.add(item.node); continue; }
        // A name is cut where it gets long; what it says is then shown as text too.
        if (out.name.length >= NAME_LIMIT) dropped.add(item.node);
        out.id = stamp(item.node);
        const same = out.role + '\n' + out.name;
        counts.set(same, (counts.get(same) || 0) + 1);
        elements.push([out, item.node, same]);
      } else if (!(item.row && !dropped.has(item.row)) && !(item.label && item.label.control && walk.rows.has(item.label.control))) {
        texts.add(item, elements.length);
      }
    }
    texts.flush();
    for (const [out, node, same] of elements) {
      if (!out.shape && (counts.get(same) > 1 || !out.name)) { const scope = scopeOf(node, out.name); if (scope) out.scope = scope; }
    }
    const rows = elements.map(([out]) => out);
    const blocks = inViewFirst(texts.blocks, maxTexts).map(({ text, position }) => ({ text, position }));
    neighbours(rows, blocks);
    return { elements: rows, texts: blocks, omitted: { elements: found.length - shown.size + walk.deep,
      texts: texts.blocks.length - blocks.length, frames: walk.frames } };
  }

  function neighbours(rows, blocks) {
    rows.forEach((out, i) => {
      const before = blocks.findLast((block) => block.position <= i);
      const after = blocks.find((block) => block.position > i);
      if (before) out.before = before.text.slice(-CONTEXT_LIMIT);
      if (after) out.after = after.text.slice(0, CONTEXT_LIMIT);
    });
  }

  // ---------------------------------------------------------------- scrolling

  // The page where it scrolls, else its largest scroll area.
  function scrollArea() {
    const page = document.scrollingElement || document.documentElement;
    const style = getComputedStyle(page);
    const pageMoves = page.scrollHeight > innerHeight + 1 || page.scrollWidth > innerWidth + 1;
    if (pageMoves && style.overflowY !== 'hidden') return page;
    let best = null;
    let size = 0;
    for (const node of document.querySelectorAll('*')) {
      if (node.scrollHeight <= node.clientHeight + 1 && node.scrollWidth <= node.clientWidth + 1) continue;
      const area = node.clientWidth * node.clientHeight;
      if (area > size && scrollable(node, getComputedStyle(node))) { best = node; size = area; }
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

  function scroll(direction) {
    const area = scrollArea();
    if (!area || !directions(area).includes(direction)) return false;
    const SHARE = 0.8; // of a screen, so that a line stays in sight
    const [x, y] = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] }[direction];
    area.scrollBy({ left: x * area.clientWidth * SHARE, top: y * area.clientHeight * SHARE, behavior: 'instant' });
    return true;
  }

  // ---------------------------------------------------------------- what Python calls

  async function look({ quiet, cap, wait, maxElements, maxTexts }) {
    const asked_at = now();
    if (wait) await change(wait);
    const waited_ms = now() - asked_at;
    const [settled, settle_ms] = await settle(quiet, cap);
    const start = now();
    const asked = { opening, closing };
    opening = closing = false;
    const area = scrollArea();
    const rows = table(maxElements, maxTexts);
    return { ...rows, ...asked, url: location.href, title: clean(document.title, 200), settled, settle_ms, waited_ms,
      can_scroll: directions(area), can_go_back: Boolean(window.navigation && window.navigation.canGoBack),
      scroll: area ? { x: Math.round(area.scrollLeft), y: Math.round(area.scrollTop),
        max_x: Math.max(0, area.scrollWidth - area.clientWidth), max_y: Math.max(0, area.scrollHeight - area.clientHeight) } : {},
      describe_ms: now() - start };
  }

  const gone = (id) => ({ error: `Element ${id} is no longer on the page; look at its rows again.` });

  // What moves or loads under the pointer is back in place within frames; longer than this it is in the way.
  const AIM_MS = 200;

  // Resolves to {x, y} in CSS pixels of the viewport, or {error}.
  async function aim(id) {
    const start = now();
    let where = aimNow(id);
    while (where.error && find(id) && now() - start < AIM_MS) {
      await new Promise((done) => nativeTimeout(done, 20));
      where = aimNow(id);
    }
    return where;
  }

  function aimNow(id) {
    const node = find(id);
    if (!node) return gone(id);
    if (!node.checkVisibility({ visibilityProperty: true })) return { error: `Element ${id} is not visible now.` };
    if (node.matches(':disabled')) return { error: `Element ${id} is disabled.` };
    let where = landing(node);
    if (!('x' in where)) {
      node.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      where = landing(node);
    }
    if ('x' in where) return where;
    if (where.outside) return { error: `Element ${id} cannot be scrolled into view.` };
    return { error: `Element ${id} is covered by ${describe(where.cover)}; close or move that first.` };
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
      const proto = HTMLInputElement.prototype;
      Object.getOwnPropertyDescriptor(proto, 'value').set.call(node, text);
      if (node.value !== text) return { error: `A ${node.type} field takes ${FORMATS[node.type]}; it refused this text.` };
      node.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      node.dispatchEvent(new Event('change', { bubbles: true }));
      return { done: true };
    }
    if (typeof node.select === 'function') node.select();
    else getSelection().selectAllChildren(node);
    return {};
  }

  const FORMATS = { date: 'YYYY-MM-DD', time: 'HH:MM', month: 'YYYY-MM', week: 'YYYY-Www', color: '#rrggbb',
    'datetime-local': 'YYYY-MM-DDTHH:MM', range: 'a number within its bounds' };

  // Chooses an option by label; in a multiple select it toggles that option and leaves the others.
  function choose(id, label) {
    const node = find(id);
    if (!node) return gone(id);
    const option = Array.from(node.options || []).find((o) => clean(o.label, NAME_LIMIT) === label && !o.disabled);
    if (!option) return { error: `Element ${id} has no option with that label now.` };
    node.focus();
    const wanted = node.multiple ? !option.selected : true;
    option.selected = wanted;
    node.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    node.dispatchEvent(new Event('change', { bubbles: true }));
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

  Object.defineProperty(window, KEY, { value: Object.freeze({ look, aim, enter, choose, focus, scroll, scrollArea, held: () => held }) });
})();
