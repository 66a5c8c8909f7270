// A press of the pointer that is meant for one node: the page does not hear of it where it would land on another.

const PRESS_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
// A press follows its aim at once; what is pressed later was aimed at by somebody else.
const PRESS_MS = 2000;

let meant = null; // {node, since, landed}: landed is null until the press begins, then whether it met the node

function onPress(e) {
  if (!meant || !e.isTrusted || now() - meant.since > PRESS_MS) return;
  if (meant.landed === null) meant.landed = reaches(e.composedPath()[0], meant.node);
  if (meant.landed) return;
  e.preventDefault();
  e.stopImmediatePropagation();
}

// Where to press a node, as `aim` says it; from here on the next press is meant for it.
async function aimToPress(id, at) {
  const where = await aim(id, at);
  if (!('x' in where)) return where;
  meant = { node: find(id), since: now(), landed: null };
  const win = own.window(meant.node.ownerDocument);
  for (const type of PRESS_EVENTS) win.addEventListener(type, onPress, true);
  return where;
}

// Whether the press met something else, which then was kept from the page. One that no listener saw cannot be told.
function missed() {
  const was = meant;
  meant = null;
  return { missed: Boolean(was) && was.landed === false };
}
