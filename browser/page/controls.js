// What kind of thing a node is: a control, a field, a picture; and which fields must never be read.

const SKIP = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'option', 'optgroup',
  'datalist', 'br', 'hr', 'wbr', 'source', 'track', 'param', 'defs', 'clipPath', 'mask', 'symbol', 'linearGradient']);
const ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'option', 'combobox', 'listbox', 'textbox', 'searchbox', 'spinbutton', 'slider', 'treeitem',
  'gridcell', 'scrollbar']);
const SHAPES = new Set(['circle', 'ellipse', 'rect', 'polygon', 'polyline', 'path', 'line', 'text', 'image', 'use']);
const TEXT_TYPES = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number', 'date', 'time', 'month',
  'week', 'datetime-local', 'color']);
// These take a value, not keystrokes.
const VALUE_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
const HANDLERS = ['onclick', 'ondblclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup'];
const SVG = 'http://www.w3.org/2000/svg';

// Nodes of frames have other constructors, so that kinds are told by name, never by instanceof.
const lower = (node) => node.localName || '';
const isSvg = (node) => node.namespaceURI === SVG;
// Marks that cannot be seen: soft hyphens, zero width spaces, and what turns the direction of text around.
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const SPACE = /[\s\u0000-\u001f\u007f-\u009f]+/g;
const clean = (text, limit) => typeof text === 'string' ? text.replace(UNSEEN, '').replace(SPACE, ' ').trim().slice(0, limit) : '';

// A form gives out its fields, and a document its pictures and forms, under their names before its own members: these
// are read past that.
const getter = (kind, name) => { const { get } = Object.getOwnPropertyDescriptor(kind.prototype, name); return (node) => get.call(node); };
const parentElementOf = getter(Node, 'parentElement');
const parentOf = (node) => node.assignedSlot || parentElementOf(node) || (rootOf(node) || {}).host || null;
const rootOf = (node) => Node.prototype.getRootNode.call(node);
const closest = (node, selector) => Element.prototype.closest.call(node, selector);
const USED = ['assignedSlot', 'checkVisibility', 'classList', 'className', 'closest', 'getAttribute', 'getBoundingClientRect', 'getClientRects',
  'getRootNode', 'hasAttribute', 'hasAttributes', 'isConnected', 'labels', 'localName', 'matches', 'namespaceURI',
  'nodeType', 'ownerDocument', 'parentElement', 'querySelector', 'scrollIntoView', 'shadowRoot', 'childNodes', 'control',
  'firstChild', 'nextSibling'];
// Whether a form hides members of its own that this script needs; such a form is never a row, its fields are.
const masked = (node) => {
  const name = node.localName; // of a form that hides it, one of its fields
  return (name === 'form' || name !== undefined && typeof name !== 'string') && USED.some((used) => Object.hasOwn(node, used));
};
const own = { root: getter(Document, 'documentElement'), body: getter(Document, 'body'), window: getter(Document, 'defaultView'),
  state: getter(Document, 'readyState'), images: getter(Document, 'images'),
  at: (doc, x, y) => Document.prototype.elementFromPoint.call(doc, x, y) };

// The nearest node around this one, itself included, that a selector fits; also outside its shadow tree.
function upTo(node, selector) {
  for (let n = node; n; n = n.getRootNode().host) {
    const found = n.closest(selector);
    if (found) return found;
  }
  return null;
}

function inputType(node) { return lower(node) === 'input' ? node.type : null; }

function isEditable(node) {
  const tag = lower(node);
  if (tag === 'textarea') return true;
  if (tag === 'input') return TEXT_TYPES.has(node.type);
  // In a document that is edited as a whole, its root is the field.
  if (!node.hasAttribute('contenteditable') && (node.parentElement || node.ownerDocument.designMode !== 'on')) return false;
  return node.isContentEditable && !(node.parentElement && node.parentElement.isContentEditable);
}

function isSemantic(node) {
  switch (lower(node)) {
    case 'a': case 'area': return node.hasAttribute('href');
    case 'input': return node.type !== 'hidden';
    case 'button': case 'select': case 'textarea': case 'summary': return true;
    case 'audio': case 'video': return node.controls;
  }
  if (!node.hasAttributes() && node.parentElement) return false;
  return ROLES.has(node.getAttribute('role')) || isEditable(node);
}

function isPlainTarget(node) {
  const tag = lower(node);
  if (tag === 'body' || tag === 'html') return false;
  return listening.has(node) || tag === 'canvas' || node.hasAttributes() && hasTargetAttribute(node);
}

function hasTargetAttribute(node) {
  return HANDLERS.some((name) => node.hasAttribute(name)) ||
    node.getAttribute('draggable') === 'true' || node.hasAttribute('tabindex') && node.tabIndex >= 0;
}

const SCROLLS = /auto|scroll|overlay/;

function scrollable(node, style) {
  return SCROLLS.test(style.overflowY) && node.scrollHeight > node.clientHeight + 1 ||
    SCROLLS.test(style.overflowX) && node.scrollWidth > node.clientWidth + 1;
}

// Words that mark a field whose content must never be read.
const CREDENTIAL = /passw|passcode|passphrase|\bpin\b|\bcvv\b|\bcvc\b|security code|card.?number|one.?time|\botp\b/i;
const CREDENTIAL_FILL = /current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp/;

function isCredential(node, name) {
  if (!isEditable(node)) return false;
  return node.type === 'password' || CREDENTIAL_FILL.test(node.getAttribute('autocomplete') || '') ||
    [name, node.getAttribute('placeholder'), node.getAttribute('name'), node.id].some((t) => t && CREDENTIAL.test(t));
}
