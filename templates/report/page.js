"use strict";
// The page: what is chosen and searched for, which rows that leaves, and which of them are drawn. Rows are drawn in
// chunks when they come near to what is seen, so that a page of 12,000 tokens is as quick as one of a hundred.

const CHUNK = 50; // tokens that are drawn at once
const ALWAYS_DRAWN = 1200; // of so many tokens none is taken off the page again, so that the browser's search finds all
const MOST_GONE = 200; // removed tokens that are drawn
const ROW_HEIGHT = 100; // px, of a row that was never drawn

const by = (id) => document.getElementById(id);
const state = { query: "", type: "", collection: -1, group: [], elsewhere: false };
let data, graph, rows, every, choices, before; // before has the rows of the earlier state, if there is one
let plainTexts = [];
let names; // what search words of code mean; made when one is searched for
let chunks = [];
let found = [];

// Take the tokens of a document; the controls and the list are drawn anew by begin() and recall().
function take(tokens) {
  data = tokens;
  if (!data.axes.length) data.axes = modesOf(data);
  graph = new Graph(data);
  before = data.since && new Rows(new Graph(data.since.before));
  rows = new Rows(graph, before && data.since);
  every = data.leaf.map((_, token) => token);
  choices = data.axes.map(() => 0);
  plainTexts = [];
  names = undefined;
}

// The modes of each local collection with several as choices, the default first.
function modesOf({ collections, collection, mark }) {
  const local = new Set(collection.filter((_, token) => !(mark[token] & ELSEWHERE)));
  return collections.map(({ name, modes, default: first }, index) => ({
    name,
    contexts: [first, ...modes.keys()].filter((mode, at) => at === 0 || mode !== first).map((mode) => (
      [modes[mode][1] ? `${modes[mode][1]} · ${modes[mode][0]}` : modes[mode][0], [[index, mode]]]
    )),
  })).filter(({ contexts }, index) => contexts.length > 1 && local.has(index));
}

take(JSON.parse(by("data").textContent));

// What a search looks at that does not depend on the chosen modes.
function plainText(token) {
  return (plainTexts[token] ??= [
    data.collections[data.collection[token]].name,
    rows.path(token),
    rows.path(token).replaceAll("/", "."),
    ...data.name.map((names) => names[token]),
    data.description[token] ?? "",
    rows.type(token),
  ].join("\n").toLowerCase());
}

function searchText(token) {
  const literal = graph.literal(token);
  const steps = graph.chain(token).map((each) => rows.path(each));
  return [plainText(token), rows.text(token, literal), ...steps].join("\n").toLowerCase();
}

// A name in code without its form: of var(--text-muted), R.color.text_muted and Tokens.textMuted alike.
function bare(text) {
  return text.toLowerCase().replace(/[)"'`;,\s]+$/, "").replace(/^@.*\/|^.*[.(:$@"]/s, "").replace(/[^\p{L}\p{N}]/gu, "");
}

// The tokens by their bare names, and by the ends of Tailwind's classes: accent of bg-accent for --color-accent.
function coded() {
  const known = new Map();
  const add = (name, token) => known.set(name, (known.get(name) ?? new Set()).add(token));
  data.platforms.forEach((platform, index) => data.name[index].forEach((name, token) => {
    if (!name) return;
    add(bare(name), token);
    const [, end] = (platform.startsWith("tailwind") && /^--(?:font-weight|[a-z]+)-(.+)$/.exec(name)) || [];
    if (end) add(`-${end.toLowerCase().replace(/_/g, ".")}`, token);
  }));
  return known;
}

// The tokens that a word of code names: an identifier in any form, or a class of Tailwind with its variants.
function named(word) {
  names ??= coded();
  const utility = word.replace(/^.*:|^\.|^!|\/[\d.]+$|!$/g, "");
  const ends = [...utility.matchAll(/-/g)].map(({ index }) => utility.slice(index));
  const end = utility.startsWith("-") ? undefined : ends.find((each) => names.has(each));
  return new Set([...(names.get(bare(word)) ?? []), ...(names.get(end) ?? [])]);
}

function matching() {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const inCode = words.map(named);
  return every.filter((token) => {
    if (data.mark[token] & ELSEWHERE && !state.elsewhere) return false;
    if (by("changed")?.checked && !rows.changes(token, before).length) return false;
    if (state.type && rows.type(token) !== state.type) return false;
    if (state.collection >= 0) {
      if (data.collection[token] !== state.collection) return false;
      const names = rows.pathNames(token);
      if (!state.group.every((name, index) => names[index] === name)) return false;
    }
    if (!words.length) return true;
    const plain = plainText(token);
    if (words.every((word, index) => plain.includes(word) || inCode[index].has(token))) return true;
    const text = searchText(token);
    return words.every((word, index) => text.includes(word) || inCode[index].has(token));
  });
}

// Runs of tokens that one key holds for.
function runs(tokens, key) {
  const several = [];
  let last;
  for (const token of tokens) {
    const own = key(token);
    if (!several.length || own !== last) several.push([]);
    several[several.length - 1].push(token);
    last = own;
  }
  return several;
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const chunk = chunks[entry.target.dataset.chunk];
    if (chunk?.element !== entry.target) continue;
    if (entry.isIntersecting) draw(chunk);
    else if (found.length > ALWAYS_DRAWN) takeOff(chunk);
  }
}, { rootMargin: "1600px 0px" });

function draw(chunk) {
  if (chunk.drawn) return;
  chunk.drawn = true;
  chunk.element.style.removeProperty("height");
  for (const { tokens, begins } of chunk.parts) {
    if (begins) chunk.element.append(rows.heading(begins));
    const list = make("ul", "rows");
    list.append(...tokens.map((each) => rows.row(each)));
    chunk.element.append(list);
  }
}

function takeOff(chunk) {
  if (!chunk.drawn || chunk.element.contains(document.activeElement)) return;
  chunk.element.style.setProperty("height", `${chunk.element.offsetHeight}px`);
  chunk.element.replaceChildren();
  chunk.drawn = false;
}

// The tokens of a group and of the groups after it, in chunks; a large group makes several.
function chunked(tokens) {
  const made = [];
  let size = CHUNK;
  for (const group of runs(tokens, (token) => data.group[token])) {
    for (let at = 0; at < group.length; at += CHUNK) {
      const part = group.slice(at, at + CHUNK);
      if (size + part.length > CHUNK) {
        made.push({ parts: [], drawn: false, element: make("div", "chunk") });
        size = 0;
      }
      made[made.length - 1].parts.push({ tokens: part, begins: at === 0 ? group : null });
      size += part.length;
    }
  }
  return made;
}

// Show what matches, anew.
function show() {
  found = matching();
  near.disconnect();
  chunks = [];
  const sections = runs(found, (token) => data.collection[token]).map((tokens) => {
    const section = make("section");
    const collection = data.collections[data.collection[tokens[0]]];
    section.append(make("h2", "", shortened(visible(collection.name)) || "(no name)"));
    if (collection.file) section.append(make("p", "file", collection.file));
    for (const chunk of chunked(tokens)) {
      const count = chunk.parts.reduce((sum, part) => sum + part.tokens.length, 0);
      chunk.element.style.setProperty("height", `${count * ROW_HEIGHT}px`);
      chunk.element.dataset.chunk = chunks.length;
      chunks.push(chunk);
      section.append(chunk.element);
    }
    return section;
  });
  by("list").replaceChildren(...sections);
  if (before) showGone();
  by("none").hidden = found.length > 0 || by("gone").hasChildNodes();
  const total = every.filter((token) => state.elsewhere || !(data.mark[token] & ELSEWHERE)).length;
  by("count").textContent = found.length === total ? `${total} tokens` : `${found.length} of ${total} tokens`;
  chunks.slice(0, 2).forEach(draw);
  chunks.forEach((chunk) => near.observe(chunk.element));
  remember();
}

// The tokens that only the earlier state has, and that the search finds by their names.
function showGone() {
  const query = state.query.toLowerCase();
  const gone = Object.keys(data.since.gone).map(Number).filter((token) => before.path(token).toLowerCase().includes(query));
  const list = make("ul", "rows");
  list.append(...gone.slice(0, MOST_GONE).map((token) => before.row(token, before.changed(data.since.gone[token], data.since))));
  const more = gone.length > MOST_GONE ? [make("p", "", `and ${gone.length - MOST_GONE} more; search for them`)] : [];
  by("gone").replaceChildren(...(gone.length ? [make("h2", "", "Removed"), list, ...more] : []));
}

// Bring a token into sight, whatever was filtered.
function reveal(token) {
  if (!found.includes(token)) {
    Object.assign(state, { query: "", type: "", collection: -1, group: [] });
    if (by("changed")) by("changed").checked = false;
    if (data.mark[token] & ELSEWHERE) state.elsewhere = true;
    reflect();
    show();
  }
  const chunk = chunks.find((each) => each.parts.some((part) => part.tokens.includes(token)));
  if (!chunk) return;
  draw(chunk);
  const row = chunk.element.querySelector(`[data-token="${token}"]`);
  row.scrollIntoView({ block: "center" });
  row.querySelector("a").focus({ preventScroll: true });
  row.classList.add("revealed");
  row.addEventListener("animationend", () => row.classList.remove("revealed"), { once: true });
}

let copying = 0;

async function copy(button) {
  const text = button.copied;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", "offscreen");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.classList.add("done");
  by("told").textContent = `Copied ${visible(text.slice(0, 80))}`;
  const own = (copying += 1);
  setTimeout(() => {
    button.classList.remove("done");
    if (own === copying) by("told").textContent = "";
  }, 1600);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button.copy");
  if (button) copy(button);
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    by("search").focus();
  } else if (event.key === "Escape" && event.target === by("search")) {
    state.query = by("search").value = "";
    show();
  }
});
addEventListener("beforeprint", () => chunks.forEach(draw));
addEventListener("hashchange", recall);
