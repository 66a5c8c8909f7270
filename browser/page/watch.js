// Runs in the page's own world, before the page's scripts, in every frame: notes what only that world can tell (timers,
// requests, listeners) and answers the probe's questions about it, which come as events of a secret name. What it says
// is a hint: a page that tampers with it can make the probe wait longer or list a node too many, nothing else.
(() => {
  const SECRET = '__SECRET__';

  // A reaction to an action is started by a timer this short (jQuery's autocomplete waits 300 ms).
  const SHORT_TIMER_MS = 350;
  // An animation driven by setInterval ticks at least this often (jQuery: 13 ms).
  const SHORT_INTERVAL_MS = 50;
  // Past these a timer that starts itself again, an interval or a request is a loop of the page, not a reaction.
  const LOOP_DEPTH = 12;
  const FRAME_DEPTH = 120;
  const LOOP_MS = 1500;
  // More nodes with listeners than this wait to be told of: a page that makes them without end is not followed.
  const UNTOLD = 20000;

  // Kept before a page can replace them.
  const now = performance.now.bind(performance);
  const { addEventListener, dispatchEvent } = EventTarget.prototype;
  const { preventDefault } = Event.prototype;
  const call = Function.prototype.call.bind(Function.prototype.call);
  // Nothing below spreads or takes apart an array: that would ask the page's Array.prototype.
  const { apply } = Reflect;
  const { setTimeout, clearTimeout, setInterval, clearInterval, requestAnimationFrame, cancelAnimationFrame } = window;
  const NativeEvent = Event;
  const NativeMap = Map;
  const connected = Object.getOwnPropertyDescriptor(Node.prototype, 'isConnected').get;

  // ---------------------------------------------------------------- is the page still working?

  const pending = new NativeMap(); // key -> when it began
  const { set, delete: drop, values, entries, has } = NativeMap.prototype;
  const nextValue = Object.getPrototypeOf(pending.values()).next;
  let depth = 0;

  function track(key) { call(set, pending, key, now()); }
  function untrack(key) { call(drop, pending, key); }

  function deeper(level, callback, self, args) {
    const outer = depth;
    depth = level;
    try { return apply(callback, self, args); } finally { depth = outer; }
  }

  window.setTimeout = function (...args) {
    const callback = args[0];
    if (typeof callback !== 'function' || args[1] > SHORT_TIMER_MS) return apply(setTimeout, window, args);
    const level = depth + 1;
    args[0] = function (...given) {
      untrack('t' + id);
      return deeper(level, callback, this, given);
    };
    const id = apply(setTimeout, window, args);
    if (level <= LOOP_DEPTH) track('t' + id);
    return id;
  };
  window.clearTimeout = (id) => { untrack('t' + id); untrack('i' + id); return call(clearTimeout, window, id); };
  window.setInterval = function (...args) {
    const id = apply(setInterval, window, args);
    if (!(args[1] > SHORT_INTERVAL_MS)) track('i' + id);
    return id;
  };
  window.clearInterval = (id) => { untrack('t' + id); untrack('i' + id); return call(clearInterval, window, id); };
  window.requestAnimationFrame = function (callback) {
    const level = depth + 1;
    const id = call(requestAnimationFrame, window, (time) => {
      untrack('f' + id);
      return deeper(level, callback, window, [time]);
    });
    if (level <= FRAME_DEPTH) track('f' + id);
    return id;
  };
  window.cancelAnimationFrame = (id) => { untrack('f' + id); return call(cancelAnimationFrame, window, id); };

  // Tracks a call that answers with a promise until it is kept or broken.
  let requests = 0;
  function whileWaiting(native) {
    return function (...args) {
      const key = 'n' + ++requests;
      track(key);
      const answer = apply(native, this, args);
      answer.then(() => untrack(key), () => untrack(key));
      return answer;
    };
  }
  if (window.fetch) {
    window.fetch = whileWaiting(window.fetch);
    // A request is over once its body is read, not when it begins to arrive.
    for (const name of ['text', 'json', 'blob', 'arrayBuffer', 'formData']) {
      Response.prototype[name] = whileWaiting(Response.prototype[name]);
    }
  }
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (...args) {
    const key = 'n' + ++requests;
    track(key);
    call(addEventListener, this, 'loadend', () => untrack(key), { once: true });
    return apply(send, this, args);
  };

  function busy() {
    const oldest = now() - LOOP_MS;
    const each = call(values, pending);
    for (let at = call(nextValue, each); !at.done; at = call(nextValue, each)) if (at.value > oldest) return true;
    return false;
  }

  // ---------------------------------------------------------------- tabs it asked for

  // Whether this page asked for a tab, or to be closed, since the probe last asked; the browser does both a moment later.
  let opening = false;
  let closing = false;
  const { open, close } = window;
  window.open = function (...args) { opening = true; return apply(open, this, args); };
  window.close = () => { closing = true; return call(close, window); };

  function onClick(event) {
    const link = !event.defaultPrevented && event.target.closest && event.target.closest('a[href][target]');
    if (link && !['', '_self', '_top', '_parent'].includes(link.target)) opening = true;
  }

  // ---------------------------------------------------------------- nodes that listen for the pointer

  const POINTER_EVENTS = { click: 1, dblclick: 1, mousedown: 1, mouseup: 1, pointerdown: 1, pointerup: 1,
    touchstart: 1, touchend: 1, __proto__: null };
  let untold = new NativeMap(); // node -> whether it listens

  function listens(node, yes) {
    if (node instanceof Element && untold.size < UNTOLD) call(set, untold, node, yes);
  }

  EventTarget.prototype.addEventListener = function (...args) {
    if (POINTER_EVENTS[args[0]]) listens(this, true);
    return apply(addEventListener, this, args);
  };
  for (const kind of [HTMLElement, SVGElement]) {
    for (const name of ['onclick', 'ondblclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup']) {
      const handler = Object.getOwnPropertyDescriptor(kind.prototype, name);
      if (!handler || !handler.set) continue;
      Object.defineProperty(kind.prototype, name, { ...handler, set(value) {
        listens(this, typeof value === 'function');
        return call(handler.set, this, value);
      } });
    }
  }

  // Tells of each node by an event on it, which only the probe listens for; nodes not in the document wait.
  function report() {
    const waiting = untold;
    untold = new NativeMap();
    const each = call(entries, waiting);
    for (let at = call(nextValue, each); !at.done; at = call(nextValue, each)) {
      const { 0: node, 1: yes } = at.value;
      if (!call(connected, node)) { if (!call(has, untold, node)) call(set, untold, node, yes); continue; }
      call(dispatchEvent, node, new NativeEvent(SECRET + (yes ? 'listens' : 'idle'), { composed: true }));
    }
  }

  // ---------------------------------------------------------------- the probe's questions: yes is preventDefault()

  const answers = {
    busy,
    opening: () => { const was = opening; opening = false; return was; },
    closing: () => { const was = closing; closing = false; return was; },
    report: () => { report(); return false; },
  };
  const listeners = Object.entries(answers).map(([name, answer]) => ({ name: SECRET + name, answer: (event) => {
    if (answer()) call(preventDefault, event);
  } }));

  function listen() {
    for (let i = 0; i < listeners.length; i += 1) call(addEventListener, window, listeners[i].name, listeners[i].answer, true);
    call(addEventListener, window, 'click', onClick);
  }
  listen();

  // Opening a document for writing removes all listeners, also these.
  for (const name of ['open', 'write', 'writeln']) {
    const native = Document.prototype[name];
    Document.prototype[name] = function (...args) {
      const out = apply(native, this, args);
      if (this === document) listen();
      return out;
    };
  }
})();
