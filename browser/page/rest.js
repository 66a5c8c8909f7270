// When the page, with the frames of its own origin, is at rest.

const now = performance.now.bind(performance);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// An animation that ends this soon is a reaction; a longer one is decoration.
const ANIMATION_MS = 1500;

let lastChange = 0;
const observed = new WeakSet();
const watcher = new MutationObserver((records) => {
  if (records.some((r) => r.attributeName !== 'bid')) lastChange = now();
});

// When something was last done to the page, or a document first seen: until then nothing is known of its rest.
let stirred = 0;
const stir = () => { stirred = now(); };

// A document, or a shadow root: changes below it count from now on.
function observe(root) {
  if (observed.has(root)) return;
  observed.add(root);
  stir();
  watcher.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}

// The documents that this script can read: its own, and those of frames of its origin, at any depth.
function documents(win = window, found = []) {
  let doc = null;
  try { doc = win.document; } catch { return found; }
  if (!doc) return found;
  found.push(doc);
  for (let i = 0; i < win.length && found.length < 200; i += 1) documents(win[i], found);
  return found;
}

// What the watcher in the page's own world says; false where there is none.
function ask(doc, question) {
  return !EventTarget.prototype.dispatchEvent.call(doc, new Event(SECRET + question, { cancelable: true }));
}

function busy(doc) {
  if (own.state(doc) !== 'complete') return true;
  if (ask(doc, 'busy')) return true;
  for (const image of own.images(doc)) if (!image.complete && image.loading !== 'lazy') return true;
  return Document.prototype.getAnimations.call(doc).some((animation) => {
    const end = animation.playState === 'running' && animation.effect && animation.effect.getComputedTiming().endTime;
    return typeof end === 'number' && isFinite(end) && end - (animation.currentTime || 0) < ANIMATION_MS;
  });
}

// When the page last set out for another document: until that one comes, this one is not what the action led to.
let leaving = -Infinity;
// A server that has not begun to answer by then is not waited for; it may never (a download, an empty answer).
const LEAVING_MS = 3000;
if (window.navigation) {
  navigation.addEventListener('navigate', (e) => {
    if (!e.hashChange && !e.destination.sameDocument && e.downloadRequest === null) leaving = now();
  });
  for (const ended of ['navigatesuccess', 'navigateerror']) navigation.addEventListener(ended, () => { leaving = -Infinity; });
}
const isLeaving = () => now() - leaving < LEAVING_MS;

// When the last frame began of which all is done: its animation callbacks, and the tasks of what observes the layout.
let drawn = 0;
let drawing = null;
function frame() {
  drawing ||= new Promise((done) => requestAnimationFrame(() => {
    const began = now();
    // The first comes when the frame is over, and the second behind the tasks that it left.
    setTimeout(() => setTimeout(() => { drawn = began; drawing = null; done(); }));
  }));
  return drawing;
}

// Resolves to [settled, ms] once nothing short is pending and nothing moved for `quiet` ms, or in the whole of a frame:
// what an action leads to without a timer or a request comes with the next frame. After `cap` ms in any case.
async function settle(quiet, cap) {
  const start = now();
  for (;;) {
    const docs = documents();
    docs.forEach(observe);
    const last = Math.max(lastChange, stirred);
    const calm = now() - last;
    const rests = calm >= quiet || drawn > last;
    if (rests && !isLeaving() && !docs.some(busy)) return [true, now() - start];
    const left = (isLeaving() && cap ? Math.max(cap, LEAVING_MS) : cap) - (now() - start);
    if (left <= 0) return [false, now() - start];
    await (rests ? pause(Math.min(left, 4)) : Promise.race([frame(), pause(Math.min(left, Math.ceil(quiet - calm)))]));
  }
}

// A page that stirs all the time, as one with a spinner does, is not looked at more often than this.
const STIR_MS = 100;

// Resolves after the next change of the page, or after `cap` ms.
async function change(cap) {
  const start = now();
  documents().forEach(observe);
  const least = Math.min(cap, STIR_MS);
  for (let spent = 0; spent < cap && (spent < least || lastChange < start); spent = now() - start) {
    await pause(Math.min(10, cap - spent));
  }
}

// What the last mouse event said to be held down: it comes from the driver, whatever page it was pressed on.
let held = null;
function onMouse(e) {
  held = e.buttons > 0 || e.shiftKey || e.ctrlKey || e.altKey || e.metaKey;
  onInput(e);
}

function onInput(e) { if (e.isTrusted) stir(); }

const listening = new WeakSet(); // nodes of which the watcher said so
function onListens(e) { const node = e.composedPath()[0]; if (node instanceof Object) listening.add(node); }
function onIdle(e) { listening.delete(e.composedPath()[0]); }

// Opening a document for writing removes listeners, so they are put on again before each look; twice is once.
function listen(doc) {
  const win = own.window(doc);
  for (const type of ['mousemove', 'mousedown', 'mouseup']) win.addEventListener(type, onMouse, true);
  for (const type of ['keydown', 'keyup', 'input']) win.addEventListener(type, onInput, true);
  win.addEventListener(SECRET + 'listens', onListens, true);
  win.addEventListener(SECRET + 'idle', onIdle, true);
}
