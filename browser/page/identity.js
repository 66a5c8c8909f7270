// Which node a number means. Nothing is written into the page, so that it can neither remove nor forge it.

const ids = new WeakMap();
const nodes = new Map(); // id -> WeakRef
let lastId = 0;

// The node is the identity: a clone or a replacement gets a number of its own.
function stamp(node) {
  let id = ids.get(node);
  if (id === undefined) {
    id = ++lastId;
    ids.set(node, id);
    nodes.set(id, new WeakRef(node));
  }
  return id;
}

// Whether numbers are BrowserGym's, which it writes into an attribute: only where its observation is shown.
let byMark = false;

// The node of a number, if it is still there.
function find(id) {
  const node = byMark ? document.querySelector(`[bid="${id}"]`) : nodes.has(id) ? nodes.get(id).deref() : null;
  return node && node.isConnected && node.ownerDocument.defaultView ? node : null;
}
