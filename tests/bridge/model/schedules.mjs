// Random requests and faults on the real code of the plugin, without its page: after each schedule the file is as before
// or as the request says, but for what another editor has changed.
//
//   node schedules.mjs CODE STATE SEED COUNT [requests]
//
// Prints a line of JSON with what happened, and what went wrong in which schedule. With "requests", there are no faults, and
// each line has a request and what it makes of the file: {"body", "meta"}, or {"body", "refused": why}.

import { readFileSync } from "node:fs";
import vm from "node:vm";
import { pluginApi } from "./figma.mjs";
import { OpenFile } from "./file.mjs";

const [code, statePath, seed, count, mode] = process.argv.slice(2);
const source = readFileSync(code, "utf8");
const state = JSON.parse(readFileSync(statePath, "utf8"));
const copy = (value) => JSON.parse(JSON.stringify(value));

/** Random numbers from a seed (mulberry32). */
function randomFrom(number) {
  let now = number;
  const next = () => {
    now = (now + 0x6d2b79f5) | 0;
    let mixed = Math.imul(now ^ (now >>> 15), 1 | now);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    chance: (probability) => next() < probability,
    below: (most) => Math.floor(next() * most),
    of: (list) => list[Math.floor(next() * list.length)],
  };
}

/** Run the plugin on a file, and return a function that sends a message to it. A closed plugin answers "closed". */
function open(file) {
  file.closed = false;
  const waiting = new Map();
  const api = pluginApi(file, { show() {}, close() {}, post: (message) => waiting.get(message.id)(copy(message)) });
  const context = vm.createContext({ figma: api, console: { log: console.error }, __html__: "" });
  vm.runInContext(source, context);
  let number = 0;
  return async (kind, more = {}) => {
    number += 1;
    const id = number;
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    const ran = api.ui.onmessage({ ...copy(more), id, kind }).catch(() => {});
    const closed = ran.then(() => (file.closed ? { closed: true } : answered));
    return Promise.race([answered, closed]);
  };
}

const local = (map) => Object.values(map).filter((each) => !each.remote && !each.deletedButReferenced);
const VALUES = {
  COLOR: (random) => ({ r: random.below(5) / 4, g: random.below(5) / 4, b: random.below(5) / 4, a: 1 }),
  FLOAT: (random) => random.below(1000) / 10,
  STRING: (random) => `text ${random.below(100)} \u{1F98A} "'<b>`,
  BOOLEAN: (random) => random.chance(0.5),
  TIMING: (random) => random.below(1000) / 1000,
  EASING: (random) => random.of(EASINGS),
};
const EASINGS = [
  { type: "EASE_IN" },
  { type: "BOUNCY" },
  { type: "HOLD" },
  { type: "CUSTOM_CUBIC_BEZIER", easingFunctionCubicBezier: { x1: 0.2, y1: -0.1, x2: 0, y2: 1 } },
  { type: "CUSTOM_SPRING", easingFunctionSpring: { bounce: 0.3 } },
];

/** A request of a random plan. It may be invalid. */
function request(random, meta, types) {
  const body = { variableCollections: [], variableModes: [], variables: [], variableModeValues: [] };
  const roots = local(meta.variableCollections).filter((each) => !each.isExtension);
  const variables = local(meta.variables);
  const value = (variableId, modeId, type) => {
    const same = variables.filter((each) => each.resolvedType === type && each.id !== variableId);
    const alias = random.chance(0.2) && same.length ? { type: "VARIABLE_ALIAS", id: random.of(same).id } : null;
    const own = VALUES[type](random);
    const composed = type === "COLOR" && alias && random.chance(0.3) ? { color: alias, opacity: 40 } : null;
    body.variableModeValues.push({ variableId, modeId, value: composed || alias || own });
  };
  for (let number = 0; number < random.below(3); number += 1) {
    const id = `c${number}`;
    body.variableCollections.push({ action: "CREATE", id, name: `New ${number}`, initialModeId: `${id}m` });
    body.variableModes.push({ action: "UPDATE", id: `${id}m`, name: "One", variableCollectionId: id });
    body.variableModes.push({ action: "CREATE", id: `${id}n`, name: "Two", variableCollectionId: id });
    for (let index = 0; index < random.below(4); index += 1) {
      const type = random.of(types);
      body.variables.push({ action: "CREATE", id: `${id}v${index}`, name: `n/${index}`, resolvedType: type, variableCollectionId: id, description: "made" });
      value(`${id}v${index}`, `${id}m`, type);
      if (random.chance(0.7)) value(`${id}v${index}`, `${id}n`, type);
    }
  }
  if (random.chance(0.2)) {
    const parent = random.of(roots);
    const mapping = { [parent.modes[0].modeId]: "xm" };
    body.variableCollections.push({ action: "CREATE", id: "x", name: "Extended", parentVariableCollectionId: parent.id, initialModeIdToParentModeIdMapping: mapping });
    const inside = variables.filter((each) => each.variableCollectionId === parent.id);
    if (inside.length) {
      const variable = random.of(inside);
      value(variable.id, "xm", variable.resolvedType);
    }
  }
  if (random.chance(0.3)) {
    const root = random.of(roots);
    body.variableModes.push({ action: "CREATE", id: "m", name: "Third", variableCollectionId: root.id });
    if (root.modes.length > 1 && random.chance(0.6)) body.variableModes.push({ action: "DELETE", id: random.of(root.modes).modeId });
    else if (random.chance(0.5)) body.variableModes.push({ action: "UPDATE", id: root.modes[0].modeId, name: "Renamed", variableCollectionId: root.id });
  }
  for (const extension of local(meta.variableCollections).filter((each) => each.isExtension)) {
    for (const id of Object.keys(extension.variableOverrides)) {
      const [mode] = Object.keys(extension.variableOverrides[id]);
      if (random.chance(0.3)) body.variableModeValues.push({ variableId: id, modeId: mode, value: null });
    }
  }
  const deleted = new Set();
  for (let number = 0; number < random.below(3); number += 1) {
    if (!random.chance(0.5)) continue;
    const { id, name, variableCollectionId, resolvedType } = random.of(variables);
    if (deleted.has(id)) continue;
    deleted.add(id);
    body.variables.push({ action: "DELETE", id });
    if (random.chance(0.5)) body.variables.push({ action: "CREATE", id: `again${number}`, name, resolvedType, variableCollectionId });
  }
  for (let number = 0; number < random.below(6); number += 1) {
    const variable = random.of(variables);
    if (deleted.has(variable.id)) continue;
    const mode = random.of(meta.variableCollections[variable.variableCollectionId].modes).modeId;
    value(variable.id, mode, variable.resolvedType);
    const change = { action: "UPDATE", id: variable.id };
    if (random.chance(0.3)) change.name = `renamed/${number}`;
    if (random.chance(0.3)) change.codeSyntax = random.of([{}, { WEB: "var(--x)" }, { iOS: "x", ANDROID: "y" }]);
    if (random.chance(0.3)) change.description = `words ${number}`;
    if (random.chance(0.2)) change.hiddenFromPublishing = !variable.hiddenFromPublishing;
    if (Object.keys(change).length > 2) body.variables.push(change);
  }
  if (random.chance(0.2)) {
    const [first, second] = variables.filter((each) => each.variableCollectionId === variables[0].variableCollectionId);
    if (!deleted.has(first.id) && !deleted.has(second.id) && !body.variables.some((each) => [first.id, second.id].includes(each.id))) {
      for (const [id, name] of [[first.id, "swap"], [second.id, first.name], [first.id, second.name]]) {
        body.variables.push({ action: "UPDATE", id, name });
      }
    }
  }
  if (random.chance(0.1)) body.variableCollections.push({ action: "DELETE", id: random.of(roots).id });
  return body;
}

const FONTS = ["Inter", "Inter", "Fraunces", "Fraunces", "Missing"];

/** Add changes of styles to a request, also with aliases to what it makes. */
function restyle(random, body) {
  body.textStyles = [];
  body.effectStyles = [];
  const made = body.variables.filter((each) => each.action === "CREATE");
  const gone = new Set(body.variables.filter((each) => each.action === "DELETE").map((each) => each.id));
  const alias = (type, literal) => {
    const fitting = [...made, ...local(state.meta.variables)].filter((each) => each.resolvedType === type && !gone.has(each.id));
    return random.chance(0.4) ? { type: "VARIABLE_ALIAS", id: random.of(fitting).id } : literal;
  };
  const members = () => {
    const some = {};
    if (random.chance(0.4)) some.fontSize = alias("FLOAT", 8 + random.below(40));
    if (random.chance(0.2)) some.fontFamily = random.of(FONTS);
    if (random.chance(0.3)) Object.assign(some, { fontWeight: random.of([400, 700]), fontStyle: null });
    if (random.chance(0.2)) some.lineHeight = random.of([{ unit: "AUTO" }, { unit: "PIXELS", value: random.below(60) }]);
    if (random.chance(0.2)) some.textCase = random.of(["ORIGINAL", "UPPER"]);
    return some;
  };
  const effect = () => {
    const color = alias("COLOR", { r: random.below(5) / 4, g: 0, b: 0, a: 1 });
    return { type: "DROP_SHADOW", visible: true, blendMode: "NORMAL", color, offsetX: 0, offsetY: alias("FLOAT", 1.1), radius: 4, spread: 0 };
  };
  for (const style of state.text) {
    if (random.chance(0.2)) body.textStyles.push({ action: "UPDATE", id: `S:${style.key}`, members: members(), description: "words" });
    else if (random.chance(0.1)) body.textStyles.push({ action: "DELETE", id: `S:${style.key}` });
  }
  if (random.chance(0.4)) {
    const own = { fontFamily: "Inter", fontWeight: 400, fontStyle: null, slant: "normal", ...members() };
    body.textStyles.push({ action: "CREATE", id: "t", name: "new/text", description: "made", members: own });
  }
  for (const style of state.effects) {
    if (random.chance(0.4)) body.effectStyles.push({ action: "UPDATE", id: `S:${style.key}`, name: "deep", members: { effects: [effect()] } });
  }
  if (random.chance(0.3)) body.effectStyles.push({ action: "CREATE", id: "e", name: "new/effect", members: { effects: [effect(), effect()] } });
}

/** A style without what a bound member had before, which nobody sees. */
function withoutBound(style) {
  const result = { ...copy(style), id: style.name };
  for (const field of Object.keys(style.boundVariables || {})) delete result[/^font(F|W|St)/.test(field) ? "fontName" : field];
  for (const effect of result.effects || []) {
    for (const field of Object.keys(effect.boundVariables || {})) {
      if (/^offset/.test(field)) delete effect.offset[field.slice(-1).toLowerCase()];
      else delete effect[field];
    }
  }
  return result;
}

/** The file by names: two files with other ids of new objects have the same. */
function byNames({ meta, text = [], effects = [] }) {
  const names = {};
  for (const each of Object.values(meta.variables)) names[each.id] = each.name;
  for (const each of Object.values(meta.variableCollections)) {
    names[each.id] = each.name;
    for (const mode of each.modes) names[mode.modeId] = `${each.name} ${mode.name}`;
  }
  const renamed = (value) => {
    if (Array.isArray(value)) return value.map(renamed).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    if (typeof value === "string") return names[value] || value;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.keys(value).filter((name) => name !== "key").sort().map((name) => [name, renamed(value[name])])
      .map(([name, part]) => [names[name] || name, part]).sort((a, b) => (a[0] < b[0] ? -1 : 1)));
  };
  const styles = [...text, ...effects].map(withoutBound);
  return JSON.stringify([renamed(Object.values(meta.variables)), renamed(Object.values(meta.variableCollections)), renamed(styles)]);
}

const happened = {};
const wrong = [];
for (let number = 0; number < Number(count); number += 1) {
  const random = randomFrom(Number(seed) * 100000 + number);
  const note = (what) => {
    happened[what] = (happened[what] || 0) + 1;
  };
  const fail = (what) => wrong.push({ schedule: number, what });
  // The REST API cannot create motion variables.
  const body = request(random, state.meta, Object.keys(VALUES).slice(0, mode === "requests" ? 4 : 6));
  if (state.text !== undefined) restyle(random, body);
  const isFull = random.chance(0.3) && mode !== "requests"; // whether a collection has as many modes as the plan allows
  const modes = isFull ? Math.max(...local(state.meta.variableCollections).map((each) => each.modes.length)) : 40;
  const options = { modes, undo: random.chance(0.5), ordered: random.chance(0.5), composed: random.of(["object", "expression"]) };
  const before = byNames(state);
  const whole = new OpenFile(state, options);
  const good = await open(whole)("apply", { job: "one", body });
  if (mode === "requests") {
    const made = good.error ? { refused: good.error.message } : { meta: whole.now.meta };
    console.log(JSON.stringify({ body, ...made }));
    continue;
  }
  if (good.error) {
    if (byNames(whole.now) !== before) fail("a refused request has changed the file");
    if (good.error.kind !== "refused") fail(`without a fault: ${good.error.message}`);
    if (whole.calls > 0 && !good.error.message.includes("in addMode: Limited to")) fail(`a refused request has called: ${good.error.message}`);
    note(whole.calls > 0 ? "over the limit of modes" : "invalid");
    continue;
  }
  const after = byNames(whole.now);
  const fault = { nth: 1 + random.below(whole.calls), does: random.of(["close", "close", "throw"]), after: random.chance(0.5), message: "fault" };
  const file = new OpenFile(state, options, [fault]);
  let send = open(file);
  const answer = await send("apply", { job: "one", body });
  let outcome = answer.closed ? "closed" : answer.error ? answer.error.kind : "done";
  if (outcome === "failed") outcome = "half done"; // the last call of the journal
  const edited = outcome !== "done" && outcome !== "refused" && random.chance(0.4) ? random.of(local(file.now.meta.variables)) : null;
  const removed = edited && random.chance(0.3);
  if (edited) file.edit({ does: removed ? "delete" : "describe", variable: edited.id, value: "by somebody else" });
  file.faults = random.chance(0.2) ? [{ nth: 1 + random.below(20), does: random.of(["close", "throw"]), after: random.chance(0.5) }] : [];
  let way = "";
  let reported = [];
  let why = "";
  for (let round = 0; outcome === "closed" || outcome === "half done"; round += 1) {
    file.counts.clear();
    if (round > 0) file.faults = [];
    if (round > 5) {
      fail(`never finished: ${way} ${why}`);
      if (process.env.SHOW) console.error(fault, JSON.stringify(body), file.faults);
      break;
    }
    send = open(file);
    const hello = await send("hello");
    if (!hello.last || hello.last.state !== "writing") {
      outcome = hello.last && hello.last.state === "done" ? "done" : "refused";
      break;
    }
    const reading = await send("local");
    if (!reading.error || reading.error.kind !== "half done") fail("a half-done file was read");
    way = way || random.of(["complete", "take back"]);
    const finished = await send("finish", { way });
    if (finished.closed) continue;
    if (finished.error && finished.error.kind === "refused") {
      way = "complete"; // what is deleted stays deleted
      continue;
    }
    if (finished.error) {
      why = finished.error.message;
      continue;
    }
    reported = finished.result.left;
    outcome = way === "complete" ? "done" : "refused";
  }
  note(`${fault.does}, ${outcome}${way && `, ${way}`}`);
  if (body.variableModes.some((each) => each.action === "DELETE") && modes < 40) note("with a mode for another one at the limit");
  if (removed) {
    note("with a deletion of another editor");
    if (outcome === "closed" || outcome === "half done") fail("never finished");
    continue;
  }
  if (edited && file.variables[edited.id]) {
    const description = file.variables[edited.id].description;
    if (description !== "by somebody else") fail(`the edit of another editor is lost (${outcome})`);
    file.variables[edited.id].description = (outcome === "done" ? whole : new OpenFile(state)).variables[edited.id]?.description ?? "";
  } else if (edited && outcome === "refused") {
    fail("what another editor has edited is gone");
  }
  const left = reported.length > 0;
  const now = byNames(file.now);
  if (!left && now !== (outcome === "done" ? after : before)) {
    fail(`${fault.does} at ${fault.nth}: ${outcome} ${way}`);
    if (process.env.SHOW) {
      const other = outcome === "done" ? after : before;
      const at = [...now].findIndex((character, index) => character !== other[index]);
      console.error(fault, way, JSON.stringify(body), now.slice(at - 200, at + 200), "\n\n", other.slice(at - 200, at + 200));
    }
  }
  if (left && !edited) {
    fail(`left without an edit: ${reported}`);
    if (process.env.SHOW) console.error(fault, way, JSON.stringify(body.variables), JSON.stringify(local(file.now.meta.variables).slice(0, 3).map((each) => each.name)));
  }
  const again = await open(file)("local");
  if (again.error) fail(`cannot be read afterwards: ${again.error.message}`);
}
if (mode !== "requests") console.log(JSON.stringify({ happened, wrong }));
