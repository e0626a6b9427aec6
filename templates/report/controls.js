"use strict";
// What a reader can choose: modes, a search, a type, a collection or a group of it, and how the page looks. All of it
// stands in the address, so that a link shows what its sender saw.

const MOST_BUTTONS = 3; // an axis of more contexts is a list to choose from
const WORDS = {
  __proto__: null, cubicBezier: "curve", fontFamily: "font family", fontWeight: "font weight", strokeStyle: "stroke style",
};

// Whether the controls stand above the list, where they hide it.
function isNarrow() {
  return matchMedia("(max-width: 860px)").matches;
}

function chosen() {
  const pairs = data.collections.map((each, index) => [index, each.default]);
  data.axes.forEach((axis, index) => pairs.push(...axis.contexts[choices[index]][1]));
  graph.choose(pairs);
  before?.graph.choose(pairs.map(([collection, mode]) => former(collection, mode)).filter(Boolean));
}

// The same collection and mode in the earlier state, by their names.
function former(collection, mode) {
  const { file, handle, modes } = data.collections[collection];
  const at = before.data.collections.findIndex((each) => each.handle === handle && each.file === file);
  const [name, extension] = modes[mode];
  const column = before.data.collections[at]?.modes.findIndex((each) => each[0] === name && each[1] === extension) ?? -1;
  return column < 0 ? null : [at, column];
}

function choose(axis, context) {
  choices[axis] = context;
  chosen();
  redraw();
}

// The same rows with other values: what is in sight stays where it is.
function redraw() {
  const at = scrollY;
  if (state.query || before) show();
  else {
    for (const chunk of chunks) {
      if (!chunk.drawn) continue;
      chunk.element.style.setProperty("height", `${chunk.element.offsetHeight}px`);
      chunk.element.replaceChildren();
      chunk.drawn = false;
      near.unobserve(chunk.element);
      near.observe(chunk.element);
    }
    for (const chunk of chunks) {
      const { top, bottom } = chunk.element.getBoundingClientRect();
      if (bottom > -200 && top < innerHeight + 200) draw(chunk);
    }
    remember();
  }
  scrollTo({ top: at, behavior: "instant" });
}

function axisControl(axis, index) {
  const field = make("fieldset", "axis");
  field.append(make("legend", "", shortened(visible(axis.name))));
  if (axis.contexts.length > MOST_BUTTONS) {
    const select = make("select");
    select.setAttribute("aria-label", visible(axis.name));
    axis.contexts.forEach(([name], context) => {
      const option = make("option", "", shortened(visible(name)));
      option.value = context;
      select.append(option);
    });
    select.addEventListener("change", () => choose(index, Number(select.value)));
    field.append(select);
    return field;
  }
  const buttons = make("div", "buttons");
  axis.contexts.forEach(([name], context) => {
    const label = make("label");
    const input = make("input");
    Object.assign(input, { type: "radio", name: `axis-${index}`, value: context });
    input.addEventListener("change", () => choose(index, context));
    label.append(input, make("span", "", shortened(visible(name))));
    buttons.append(label);
  });
  field.append(buttons);
  return field;
}

function typeControl() {
  const counts = new Map();
  for (const token of every) {
    if (!(data.mark[token] & ELSEWHERE)) counts.set(rows.type(token), (counts.get(rows.type(token)) ?? 0) + 1);
  }
  const select = by("type");
  select.replaceChildren(select.firstElementChild);
  for (const [type, count] of counts) {
    const option = make("option", "", `${visible(WORDS[type] ?? type)} (${count})`);
    option.value = type;
    select.append(option);
  }
}

// A button that narrows the list down to a collection or a group of it.
function branch(collection, group, label, count) {
  const button = make("button", "branch");
  button.type = "button";
  button.append(make("span", "", shortened(visible(label)) || "(no name)"), make("span", "number", String(count)));
  button.place = [collection, group];
  button.addEventListener("click", () => {
    Object.assign(state, { collection, group });
    reflect();
    show();
    if (isNarrow()) by("controls").open = false;
    scrollTo({ top: 0, behavior: "instant" });
  });
  return button;
}

function tree() {
  const local = every.filter((token) => !(data.mark[token] & ELSEWHERE));
  const list = by("tree");
  list.replaceChildren();
  const whole = make("li");
  whole.append(branch(-1, [], "All collections", local.length));
  list.append(whole);
  for (const tokens of runs(local, (token) => data.collection[token])) {
    const collection = data.collection[tokens[0]];
    const item = make("li");
    item.append(branch(collection, [], data.collections[collection].name, tokens.length));
    const counts = new Map();
    for (const token of tokens) {
      const [name] = rows.groupNames(token);
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (counts.size) {
      const inner = make("ul");
      for (const [name, count] of counts) {
        const place = make("li");
        place.append(branch(collection, [name], name, count));
        inner.append(place);
      }
      item.append(inner);
    }
    list.append(item);
  }
}

// Make the controls say what the state is.
function reflect() {
  by("search").value = state.query;
  by("type").value = state.type;
  by("elsewhere").checked = state.elsewhere;
  for (const button of document.querySelectorAll(".branch")) {
    const [collection, group] = button.place;
    const isCurrent = collection === state.collection && group.join("\n") === state.group.join("\n");
    button.toggleAttribute("aria-current", isCurrent);
    if (isCurrent) button.setAttribute("aria-current", "true");
  }
  document.querySelectorAll(".axis").forEach((field, index) => {
    const select = field.querySelector("select");
    if (select) select.value = choices[index];
    else field.querySelectorAll("input")[choices[index]].checked = true;
  });
  for (const input of document.querySelectorAll("[name=scheme]")) {
    input.checked = input.value === (document.documentElement.dataset.scheme ?? "");
  }
}

// The state as the part of the address after #.
function remember() {
  const parts = new URLSearchParams();
  data.axes.forEach((axis, index) => {
    if (choices[index]) parts.set(`mode.${axis.name}`, axis.contexts[choices[index]][0]);
  });
  if (state.query) parts.set("search", state.query);
  if (state.type) parts.set("type", state.type);
  if (state.collection >= 0) {
    parts.set("in", wellFormed([data.collections[state.collection].handle, ...state.group].join("/")));
  }
  if (state.elsewhere) parts.set("elsewhere", "1");
  const text = parts.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

// The state that the address tells.
function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const wanted = parts.get("token");
  if (wanted !== null) {
    const token = every.find((each) => wellFormed(rows.address(each)) === wanted);
    if (token !== undefined) {
      reveal(token);
      history.replaceState(null, "", `#${new URLSearchParams({ token: wanted })}`);
    }
    return;
  }
  data.axes.forEach((axis, index) => {
    const context = axis.contexts.findIndex(([name]) => name === parts.get(`mode.${axis.name}`));
    choices[index] = Math.max(context, 0);
  });
  const [handle, ...group] = (parts.get("in") ?? "").split("/");
  const collection = handle ? data.collections.findIndex((each) => each.handle === handle) : -1;
  Object.assign(state, {
    query: parts.get("search") ?? "", type: parts.get("type") ?? "", collection, group: collection < 0 ? [] : group,
    elsewhere: parts.has("elsewhere"),
  });
  chosen();
  reflect();
  show();
}

// The controls for the tokens that the page has.
function offer() {
  by("axes").replaceChildren(...data.axes.map(axisControl));
  typeControl();
  tree();
  by("elsewhere-choice").hidden = !data.mark.some((mark) => mark & ELSEWHERE);
}

function begin() {
  offer();
  by("type").addEventListener("change", () => {
    state.type = by("type").value;
    show();
  });
  by("search").addEventListener("input", () => {
    state.query = by("search").value;
    show();
  });
  by("changed")?.addEventListener("change", show);
  by("elsewhere").addEventListener("change", () => {
    state.elsewhere = by("elsewhere").checked;
    show();
  });
  for (const input of document.querySelectorAll("[name=scheme]")) {
    input.addEventListener("change", () => {
      if (input.value) document.documentElement.dataset.scheme = input.value;
      else delete document.documentElement.dataset.scheme;
    });
  }
  if (isNarrow()) by("controls").open = false;
  const address = location.hash;
  chosen();
  reflect();
  if (address.startsWith("#token=")) show();
  history.replaceState(null, "", address || location.pathname + location.search);
  recall();
}

begin();
