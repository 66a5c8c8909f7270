"use strict";
// Fields of an episode, in the order in which view.py writes them.
const [ID, AGENT, TASK, SEED, TRIAL, END, OUTCOME, REWARD, RAW, FULL, STEPS, SECONDS, GOAL] = Array(13).keys();
const { pages, episodes } = JSON.parse(document.getElementById("data").textContent);
// Rows are made as they come into view: a browser takes seconds to lay 5,000 out.
const CHUNK = 100;

const byId = (id) => document.getElementById(id);
const several = (field) => new Set(episodes.map((e) => e[field])).size > 1;
const COLUMNS = [
  { name: "task", field: TASK, css: "" },
  { name: "seed", field: SEED, css: "number seed" },
  { name: "agent", field: AGENT, css: "agent", hidden: !several(AGENT) },
  { name: "end", field: END, css: "status" },
  { name: "reward", field: REWARD, css: "number" },
  { name: "steps", field: STEPS, css: "number steps" },
  { name: "seconds", field: SECONDS, css: "number seconds" },
].filter((column) => !column.hidden);
const score = (e) => e[RAW] ?? e[REWARD];
const REWARDS = {
  "above 0": (e) => e[REWARD] > 0,
  full: (e) => (e[FULL] === null ? e[REWARD] >= 1 : e[FULL] === 1),
  partial: (e) => e[REWARD] > 0 && (e[FULL] === null ? e[REWARD] < 1 : e[FULL] === 0),
  none: (e) => e[REWARD] <= 0,
};

const state = { q: "", agent: "", end: "", reward: "", sort: "" };
let shown = [];
let drawn = 0;

function element(tag, css, text) {
  const made = document.createElement(tag);
  if (css) made.className = css;
  if (text !== undefined) made.textContent = text;
  return made;
}

function cell(episode, column) {
  const td = element("td", column.css);
  if (column.field === TASK) {
    const link = element("a", "", episode[TASK]);
    link.href = `${pages}/${encodeURIComponent(episode[ID])}.html`;
    const goal = element("div", "goal", episode[GOAL]);
    goal.title = episode[GOAL];
    const task = element("div", "task");
    task.append(link, goal);
    td.append(task);
  } else if (column.field === SEED) {
    td.textContent = episode[TRIAL] ? `${episode[SEED]} / ${episode[TRIAL]}` : episode[SEED];
    if (episode[TRIAL]) td.title = `seed ${episode[SEED]}, trial ${episode[TRIAL]}`;
  } else if (column.field === END) {
    td.append(element("span", `end ${episode[OUTCOME]}`, episode[END].replaceAll("_", " ")));
  } else if (column.field === REWARD) {
    td.textContent = score(episode).toFixed(2);
    if (episode[RAW] !== null) td.title = `raw reward ${episode[RAW]}; the benchmark's is ${episode[REWARD]}`;
  } else {
    td.textContent = column.field === SECONDS ? episode[SECONDS].toFixed(1) : episode[column.field];
  }
  return td;
}

function drawMore() {
  const rows = document.createDocumentFragment();
  for (const episode of shown.slice(drawn, drawn + CHUNK)) {
    const row = element("tr");
    row.append(...COLUMNS.map((column) => cell(episode, column)));
    rows.append(row);
  }
  drawn = Math.min(drawn + CHUNK, shown.length);
  byId("list").append(rows);
}

function compare(column, sign) {
  const value = column.field === REWARD ? score : (e) => e[column.field];
  return (a, b) => {
    const [x, y] = [value(a), value(b)];
    return x === y ? 0 : (x < y ? -1 : 1) * sign;
  };
}

function update() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  shown = episodes.filter((e) => {
    if (state.agent && e[AGENT] !== state.agent) return false;
    if (state.end && e[END] !== state.end) return false;
    if (state.reward && !REWARDS[state.reward](e)) return false;
    const text = `${e[TASK]} ${e[GOAL]}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const name = state.sort.replace(/^-/, "");
  const column = COLUMNS.find((c) => c.name === name);
  if (column) shown.sort(compare(column, state.sort.startsWith("-") ? -1 : 1));
  for (const head of byId("heads").children) {
    const direction = state.sort.startsWith("-") ? "descending" : "ascending";
    head.setAttribute("aria-sort", head.dataset.name === name ? direction : "none");
  }
  byId("list").replaceChildren();
  drawn = 0;
  drawMore();
  const [n, all] = [shown.length, episodes.length].map((count) => count.toLocaleString("en"));
  byId("count").textContent = shown.length ? `${n} of ${all}` : "No episode matches.";
  const kept = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
  history.replaceState(null, "", `#${kept}`);
}

function choices(id, all, options) {
  byId(id).append(new Option(all, ""), ...options.map(([value, text]) => new Option(text, value)));
}

function counted(field) {
  const counts = new Map();
  for (const e of episodes) counts.set(e[field], (counts.get(e[field]) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([v, n]) => [v, `${v.replaceAll("_", " ")} (${n})`]);
}

function begin() {
  for (const column of COLUMNS) {
    const head = element("th", column.css);
    head.dataset.name = column.name;
    const button = element("button", "", column.name);
    button.onclick = () => {
      state.sort = state.sort === column.name ? `-${column.name}` : column.name;
      update();
    };
    head.append(button);
    byId("heads").append(head);
  }
  choices("agent", "all", counted(AGENT));
  choices("end", "all", counted(END));
  choices("reward", "all", Object.keys(REWARDS).map((name) => [name, name]));
  byId("agent").parentElement.hidden = !several(AGENT);
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) if (name in state) state[name] = value;
  for (const id of ["q", "agent", "end", "reward"]) {
    byId(id).value = state[id];
    state[id] = byId(id).value; // a choice that this run does not have is none
    byId(id).oninput = () => {
      state[id] = byId(id).value;
      update();
    };
  }
  update();
  new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && fill(), {
    rootMargin: "800px",
  }).observe(byId("more"));
}

// One notice comes per crossing, so that rows are added until the end is out of reach again.
function fill() {
  while (drawn < shown.length && byId("more").getBoundingClientRect().top < innerHeight + 800) drawMore();
}

begin();
