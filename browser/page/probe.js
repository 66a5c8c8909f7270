// What Python calls. The files beside this one are joined with it into one script, which runs in a world of its own: it
// shares the document with the page and none of its objects. It knows no benchmark and decides nothing.

// As JSON without halves of character pairs, which are no text: a page may have them, and a cut may make them.
function wellFormed(value) {
  const text = JSON.stringify(value);
  if (!text.includes('\\ud')) return text;
  return JSON.stringify(value, (_, part) => typeof part === 'string' ? part.toWellFormed() : part);
}

// Documents of frames in which the driver has made names quick to read; see World.
const prepared = new WeakSet();

async function look({ quiet, cap, wait, maxElements, maxTexts, last, clip, hard, rest, marks }) {
  if (marks !== undefined) byMark = marks; // who looks only for a picture leaves it as it is
  lastId = Math.max(lastId, last || 0);
  const asked_at = now();
  if (wait && !rest) await change(wait);
  const waited_ms = rest ? rest.waited_ms : now() - asked_at;
  const [settled, settle_ms] = rest ? rest.rested : await settle(quiet, cap);
  const start = now();
  const docs = documents();
  if (!rest && docs.some((doc) => doc !== document && !prepared.has(doc))) {
    docs.forEach((doc) => prepared.add(doc));
    return { rest: { waited_ms, rested: [settled, settle_ms] } };
  }
  const opening = docs.filter((doc) => ask(doc, 'opening')).length > 0;
  const closing = docs.filter((doc) => ask(doc, 'closing')).length > 0;
  listen(document);
  ask(document, 'report');
  const { foreign, ...rows } = table(maxElements, maxTexts, clip, hard);
  const area = scrollArea();
  const seen = wellFormed({ ...rows, opening, closing, url: location.href, title: clean(document.title, 200), settled, settle_ms,
    waited_ms, can_scroll: directions(area), can_go_back: Boolean(window.navigation && navigation.canGoBack),
    scroll: area ? { x: Math.round(area.scrollLeft), y: Math.round(area.scrollTop),
      max_x: Math.max(0, area.scrollWidth - area.clientWidth), max_y: Math.max(0, area.scrollHeight - area.clientHeight) } : {},
    describe_ms: now() - start });
  // As text: the driver would take it apart and put it together twice on its way.
  return { seen, last: lastId, count: rows.elements.length, foreign };
}

// A frame's element, so that the driver can be asked which frame it is.
function frameElement(number) { const ref = frames.get(number); return (ref && ref.deref()) || null; }

// The node of a number, or what scrolls where there is none: for measurements beside other tools.
function nodeOf(id) { return id === null ? scrollArea() : find(id); }

// What is done to the page from here stirs it as pointer and keys do.
const doing = (act) => (...given) => { const done = act(...given); stir(); return done; };

globalThis[SECRET] = Object.freeze({ look, aim, aimToPress, missed, bring, through, frameElement, nodeOf, held: () => ({ held }), enter: doing(enter),
  choose: doing(choose), focus: doing(focus), scroll: doing(scroll), scrollIn: doing(scrollIn) });
