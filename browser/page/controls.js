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
const clean = (text, limit) => (text || '').replace(/\s+/g, ' ').trim().slice(0, limit);
const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() || {}).host || null;

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
