"use strict";
// Files that somebody chose as the page's data: a response with variables, or DTCG token files. What a file says is data:
// nothing in it is run or requested. What cannot be read is told in notes.

const KIND = { __proto__: null, BOOLEAN: "boolean", COLOR: "color", FLOAT: "number", STRING: "string" };
const WEIGHT_AS_TEXT = "fontWeight as text";
const PLATFORMS = ["WEB", "ANDROID", "iOS"];
const NOT_HERE = /\/\.(remote|deleted)\//; // token files of variables that the design file only refers to

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const members = (value) => (isObject(value) ? Object.entries(value) : []);

// The shortest decimal that is the same 32-bit float: a response says 0.8999999761581421 for 0.9.
function shortest(number) {
  for (let digits = 1; digits < 9; digits += 1) {
    const decimal = Number(number.toPrecision(digits));
    if (Math.fround(decimal) === Math.fround(number)) return String(decimal);
  }
  return String(number);
}

function hexadecimal(channels) {
  const bytes = channels.map((each) => Math.min(Math.max(Math.floor(Math.fround(each) * 255 + 0.5), 0), 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

const compact = (name) => name.toLowerCase().replace(/[\s_-]|(italic|oblique)$/g, "") || "regular";
const COMPACT_WEIGHTS = new Map(Object.entries(WEIGHTS).map(([name, weight]) => [compact(name), weight]));

// The weight of a style such as "Semi Bold Italic", or nothing.
function weightOf(text) {
  return text && text.length < 64 ? COMPACT_WEIGHTS.get(compact(text)) : undefined;
}

class Draft {
  constructor(reading) {
    Object.assign(this, { reading, collections: [], tokens: [], values: [], notes: [] });
  }

  collection(name, modes, first) {
    const slug = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "collection";
    const number = this.collections.filter(({ handle }) => handle === slug || handle.startsWith(`${slug}-`)).length;
    this.collections.push({ name, handle: number ? `${slug}-${number + 1}` : slug, file: "", modes, default: Math.max(first, 0) });
    return this.collections.length - 1;
  }

  code(literal) {
    return -this.values.push(literal);
  }

  // The page's data. Tokens of a group follow one another, those without a group come first, other files' come last.
  document() {
    const groupOf = (token, path) => JSON.stringify([token.collection, ...path]);
    const groups = new Set(this.tokens.map((token) => groupOf(token, token.path.slice(0, -1))));
    const order = new Map();
    for (const token of this.tokens) {
      if (groups.has(groupOf(token, token.path))) token.mark |= ROOT;
      token.group = groupOf(token, token.mark & ROOT ? token.path : token.path.slice(0, -1));
      if (!order.has(token.group)) order.set(token.group, token.path.length > 1 || token.mark & ROOT ? order.size + 1 : 0);
    }
    const ranks = ({ mark, collection, group }) => [mark & ELSEWHERE, collection, order.get(group)];
    const compared = (one, other) => one.map((rank, at) => rank - other[at]).find(Boolean) ?? 0;
    const tokens = this.tokens.sort((one, other) => compared(ranks(one), ranks(other)));
    tokens.forEach((token, index) => { token.index = index; });
    for (const token of tokens) token.codes = token.read();
    const groupKeys = [...new Set(tokens.map(({ group }) => group))];
    const groupAt = new Map(groupKeys.map((key, index) => [key, index]));
    const each = (of) => tokens.map(of);
    const some = (of) => Object.fromEntries(tokens.map((token, index) => [index, of(token)]).filter(([, value]) => value));
    const isPercent = (code) => code < 0 && Number(this.values[-1 - code][1]) > 1;
    return {
      collections: this.collections, axes: [], platforms: PLATFORMS, values: this.values,
      collection: each(({ collection }) => collection), group: each(({ group }) => groupAt.get(group)),
      leaf: each(({ path }) => path.at(-1) ?? ""), mark: each(({ mark }) => mark),
      code: each(({ codes }) => (codes.length === 1 ? codes[0] : codes)),
      name: PLATFORMS.map((platform) => each(({ syntax }) => syntax[platform] ?? "")),
      opacity: some((token) => isOpacity(token) && (token.codes.some(isPercent) ? "percent" : "fraction")),
      description: some(({ description }) => description), deprecated: some(({ deprecated }) => deprecated),
      groups: groupKeys.map((key) => JSON.parse(key).slice(1)),
      type: each((_, index) => index), scope: each((_, index) => index), scopes: each(({ scopes }) => scopes),
      types: each(({ type }) => [type === WEIGHT_AS_TEXT ? "fontWeight" : type, this.reading.kinds[type] ?? ""]),
    };
  }
}

function isOpacity({ type, scopes }) {
  return type === "number" && scopes.length > 0 && scopes.every((scope) => scope === "OPACITY" || scope === "COLOR_OPACITY");
}

// What all tokens have; unknown members of a file are of no interest.
function described(path, { scopes, syntax, description, deprecated }) {
  const texts = Object.fromEntries(members(syntax).filter(([, text]) => typeof text === "string" && text));
  return {
    path, syntax: texts, scopes: [scopes ?? []].flat().filter((scope) => typeof scope === "string"),
    description: typeof description === "string" ? description : "", deprecated,
  };
}

// A response of GET variables/local: collections with their extensions, and variables with overrides.
function readResponse(draft, { variables, variableCollections }) {
  const wires = new Map(members(variableCollections).filter(([, wire]) => isObject(wire)));
  const parentOf = (wire) => {
    const id = wire.parentVariableCollectionId ?? (wire.isExtension ? wire.rootVariableCollectionId : undefined);
    const key = /:([^/]+)\//.exec(id ?? "")?.[1]; // publishing changes remote ids, but not keys
    return wires.get(id) ?? (key && [...wires.values()].find((each) => each.remote && each.key === key));
  };
  const lineOf = (wire) => {
    const line = [wire];
    for (let at = parentOf(wire); at && !line.includes(at); at = parentOf(at)) line.unshift(at);
    return line;
  };
  const families = new Map(); // by the id of the root and of each extension
  for (const [id, wire] of [...wires].sort(([, one], [, other]) => lineOf(one).length - lineOf(other).length)) {
    const [root] = lineOf(wire);
    const family = families.get(root.id) ?? { wire, columns: new Map(), modes: [], extensions: [] };
    families.set(id, family);
    if (root !== wire) family.extensions.push(wire);
    for (const mode of [wire.modes ?? []].flat()) {
      const tail = (text) => String(text).split("/").at(-1);
      const above = root === wire ? undefined : parentOf(wire).modes.find(({ modeId }) => modeId === mode.parentModeId)
        ?? parentOf(wire).modes.find(({ modeId }) => tail(modeId) === tail(mode.modeId));
      const own = `${family.wire.name} / `;
      const name = String(wire.name);
      family.modes.push([
        String(mode.name), root === wire ? "" : name.startsWith(own) ? name.slice(own.length) : name,
        family.columns.get(above?.modeId) ?? null, // an earlier one, so that no chain of modes is a cycle
      ]);
      family.columns.set(mode.modeId, family.modes.length - 1);
    }
  }
  for (const id of wires.keys()) {
    const { wire, modes, columns } = families.get(id);
    if (wire === wires.get(id)) families.get(id).index = draft.collection(String(wire.name), modes, columns.get(wire.defaultModeId) ?? 0);
  }
  const all = new Map(members(variables).filter(([, variable]) => isObject(variable)));
  const listed = [...wires.values()].flatMap(({ variableIds }) => variableIds ?? []).filter((id) => all.has(id));
  const tokens = new Map();
  for (const id of new Set([...listed, ...all.keys()])) {
    const variable = all.get(id);
    const family = families.get(variable.variableCollectionId);
    if (!(variable.resolvedType in KIND) || !family) {
      draft.notes.push(`${variable.name}: ${family ? `its type ${variable.resolvedType} is not read` : "its collection is not here"}`);
      continue;
    }
    const about = described(String(variable.name).split("/"), { ...variable, syntax: variable.codeSyntax });
    const types = new Set(about.scopes.map((scope) => draft.reading.types[variable.resolvedType]?.[scope]));
    const [type] = types.size === 1 ? types : [undefined];
    const mark = (variable.hiddenFromPublishing ? HIDDEN : 0) | (variable.remote || variable.deletedButReferenced ? ELSEWHERE : 0);
    const codeOf = (value) => variableCode(draft, tokens, variable.resolvedType, value);
    const read = () => {
      const codes = family.modes.map(() => null);
      const held = [variable.valuesByMode, ...family.extensions.map(({ variableOverrides }) => variableOverrides?.[id])];
      for (const [mode, value] of held.flatMap(members)) {
        if (family.columns.has(mode) && value !== null) codes[family.columns.get(mode)] = codeOf(value);
      }
      return codes;
    };
    const token = { ...about, collection: family.index, type: type ?? KIND[variable.resolvedType], mark, read };
    tokens.set(id, token);
    draft.tokens.push(token);
  }
}

function variableCode(draft, tokens, type, value) {
  if (isObject(value) && value.type === "VARIABLE_ALIAS") return tokens.get(value.id)?.index ?? draft.code(["d", String(value.id)]);
  if (type === "COLOR" && typeof value?.r === "number") {
    return draft.code(["c", hexadecimal([value.r, value.g, value.b]), shortest(value.a ?? 1)]);
  }
  if (type === "COLOR" && isObject(value)) {
    const [color, opacity] = value.expressionArguments ?? [value.color, value.opacity];
    const code = variableCode(draft, tokens, "COLOR", color);
    const share = variableCode(draft, tokens, "FLOAT", opacity);
    return code === null || share === null ? null : draft.code(["m", code, share]);
  }
  if (type === "FLOAT" && typeof value === "number") return draft.code(["n", shortest(value)]);
  if (type === "BOOLEAN" && typeof value === "boolean") return draft.code(["b", value]);
  if (type !== "STRING" || typeof value !== "string") return null;
  const weight = weightOf(value);
  return draft.code(weight ? ["s", value, String(weight)] : ["s", value]);
}

// DTCG token files, each with its path and its tree. A set is a collection, and a modifier one with modes.
function readTokenFiles(draft, files) {
  const byPath = new Map();
  const documents = files.filter(({ tree }) => tree.sets || tree.modifiers || tree.resolutionOrder);
  const sources = documents.length ? documents.flatMap((document) => resolved(draft, document, files)) : inFolders(files);
  for (const { name, modes, first } of sources) {
    const layers = modes.map(({ trees }) => new Map(trees.flatMap(({ tree }) => [...tokensIn(draft, tree)])));
    const own = (modes[first] ?? modes[0])?.trees[0];
    const about = own?.tree.$extensions?.["org.tokensync"];
    const named = modes.map(({ name: context, trees }) => {
      const [extension, mode] = about?.extensions && context.includes(".") ? context.split(".") : ["", context];
      const label = String(about?.extensions?.[extension]?.name ?? extension);
      const prefix = `${about?.collection?.name} / `;
      const modeName = trees.at(-1)?.tree.$extensions?.["com.figma.modeName"] ?? mode;
      return [String(modeName), label.startsWith(prefix) ? label.slice(prefix.length) : label, null];
    });
    const collection = draft.collection(String(about?.collection?.name ?? name), named, first);
    const paths = new Set([...(layers[first]?.keys() ?? []), ...layers.flatMap((layer) => [...layer.keys()])]);
    for (const path of paths) {
      const entries = layers.map((layer) => layer.get(path));
      const entry = entries[first] ?? entries.find(Boolean);
      const extensions = entry.node.$extensions ?? {};
      const shown = about && entry.names.length > 1 ? entry.names.slice(1) : entry.names;
      const earlier = byPath.get(path);
      const mark = (extensions["com.figma.hiddenFromPublishing"] ? HIDDEN : 0) | (entry.deprecated ? DEPRECATED : 0)
        | (NOT_HERE.test(own?.path ?? "") ? ELSEWHERE : 0);
      const token = {
        ...described(shown, { scopes: extensions["com.figma.scopes"], syntax: extensions["com.figma.codeSyntax"],
          description: entry.node.$description, deprecated: entry.deprecated }),
        collection, entries, mark, type: extensions["org.tokensync"]?.type ?? typeInFigma(extensions["com.figma.type"], entry.type),
      };
      token.read = () => entries.map((each) => (
        each ? valueCode(draft, byPath, each.node, token.type) : earlier?.index ?? null));
      byPath.set(path, token);
      draft.tokens.push(token);
    }
  }
  for (const token of draft.tokens) token.type = typeOf(token, byPath);
}

// DTCG has no type for a text that is a weight, nor for a boolean.
function typeInFigma(type, own) {
  if (type === "boolean") return type;
  return type === "string" && own === "fontWeight" ? WEIGHT_AS_TEXT : own;
}

// The type of a token that has none itself is that of the token that it refers to.
function typeOf(token, byPath, seen = new Set()) {
  if (token === undefined || token.type || seen.has(token)) return token?.type ?? "";
  const { node } = token.entries.find(Boolean);
  return typeOf(byPath.get(ownValue(node)?.alias ?? referenceOf(node.$value)), byPath, seen.add(token));
}

// The tokens of a tree by their path: names, node, and what groups say about them.
function* tokensIn(draft, tree) {
  const pending = [{ node: tree, names: [] }];
  while (pending.length) {
    const { node, names: own, type, deprecated } = pending.pop();
    const known = { type: typeof node.$type === "string" ? node.$type : type, deprecated: node.$deprecated ?? deprecated };
    const isToken = Object.hasOwn(node, "$value") || ownValue(node) !== undefined;
    if (isToken) yield [own.join("."), { node, names: own.map(decodedName), ...known }];
    if (Object.hasOwn(node, "$extends")) draft.notes.push(`${own.join(".")}: $extends is not followed`);
    const groups = members(node).filter(([name, value]) => isObject(value) && (name === "$root" || !name.startsWith("$")));
    if (!isToken) {
      pending.push(...groups.reverse().map(([name, value]) => ({ node: value, names: name === "$root" ? own : [...own, name], ...known })));
    }
  }
}

// A name of a token file may have characters percent-encoded that DTCG does not permit.
function decodedName(name) {
  return name.replace(/%(2[45E]|7[BD]|2F)/gi, (code) => decodeURIComponent(code));
}

// The path in a reference in braces or as a JSON pointer, or nothing.
function referenceOf(value) {
  if (typeof value === "string") return /^\{([^{}]+)\}$/.exec(value)?.[1].replace(/\.\$root$/, "");
  if (!isObject(value) || typeof value.$ref !== "string") return undefined;
  const steps = value.$ref.replace(/^#\//, "").split("/").map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
  return steps.filter((step) => step !== "$value" && step !== "$root").join(".");
}

// What tokensync writes beside or instead of a value that DTCG cannot express.
function ownValue(node) {
  return members(members(node.$extensions).find(([name]) => name === "org.tokensync")?.[1]).find(([name]) => name === "value")?.[1];
}

function valueCode(draft, byPath, node, type) {
  const own = Object.hasOwn(node, "$value") ? undefined : ownValue(node);
  const value = own?.alias ? `{${own.alias}}` : node.$value;
  if (own?.dangling) return draft.code(["d", String(own.dangling)]);
  const reference = referenceOf(value);
  if (reference !== undefined) return byPath.get(reference)?.index ?? draft.code(["d", reference]);
  if (type === "boolean") return draft.code(["b", Boolean(value)]);
  if (type === WEIGHT_AS_TEXT) return draft.code(["s", String(node.$extensions?.["org.tokensync"]?.text ?? value), String(weightOf(String(value)) ?? value)]);
  if (type === "color") return draft.code(colorLiteral(value));
  if (type === "fontWeight" && typeof value === "string" && weightOf(value)) return draft.code(["n", String(weightOf(value))]);
  const text = typeof value === "string" ? value.replace("%7B", "{") : value;
  const measure = /^(-?[\d.]+)([a-z%]+)$/.exec(type === "dimension" || type === "duration" ? text : "");
  if (measure) return draft.code(["q", shortest(Number(measure[1])), measure[2]]);
  if (typeof value === "number") return draft.code(["n", shortest(value)]);
  if (typeof value === "boolean") return draft.code(["b", value]);
  if (typeof value === "string") return draft.code(["s", text]);
  if (typeof value?.value === "number" && typeof value.unit === "string") return draft.code(["q", shortest(value.value), value.unit]);
  const parts = partsOf(draft.reading.members, type, value, []).map(([path, of, target]) => (
    [path, of, byPath.get(target)?.index, draft.reading.kinds[of] ?? "x"])).filter(([, , index]) => index !== undefined);
  return value === null ? null : draft.code(["x", value, parts]);
}

// The references in a composite value, with their paths and types.
function partsOf(types, type, value, path) {
  if (referenceOf(value) !== undefined) return path.length ? [[path, type, referenceOf(value)]] : [];
  if (Array.isArray(value)) return value.flatMap((each, index) => partsOf(types, type, each, [...path, index]));
  return members(value).filter(([name]) => Object.hasOwn(types[type] ?? {}, name)).flatMap(([name, each]) => (
    referenceOf(each) === undefined ? [] : [[[...path, name], types[type][name], referenceOf(each)]]));
}

// A colour in sRGB, or the stand-in in hexadecimal that DTCG has for one of another space.
function colorLiteral(value) {
  const digits = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(typeof value === "string" ? value : value?.hex ?? "");
  const alpha = digits?.[2] ? parseInt(digits[2], 16) / 255 : Number(value?.alpha ?? 1);
  if (digits) return ["c", `#${digits[1].toLowerCase()}`, shortest(alpha)];
  const parts = [value?.components ?? []].flat();
  const isKnown = value?.colorSpace === "srgb" && parts.length === 3 && parts.every((each) => typeof each === "number");
  return isKnown ? ["c", hexadecimal(parts), shortest(alpha)] : ["d", css.color(value) || JSON.stringify(value)];
}

// The sets and modifiers of a resolver document, in their order.
function resolved(draft, { path, tree }, files) {
  const at = new Map(files.map((file) => [file.path, file]));
  const base = path.split("/").slice(0, -1);
  const known = (kind) => members(tree[kind]).filter(([, each]) => isObject(each));
  const treesOf = (list, inside) => [list ?? []].flat().flatMap((source) => {
    if (!isObject(source) || typeof source.$ref !== "string") return isObject(source) ? [{ path, tree: source }] : [];
    const set = /^#\/sets\/(.+)$/.exec(source.$ref)?.[1];
    if (set !== undefined) return set === inside ? [] : treesOf(Object.fromEntries(known("sets"))[set]?.sources, set);
    const steps = [];
    for (const step of [...base, ...source.$ref.split("/")]) {
      if (step === "..") steps.pop();
      else if (step !== "." && step) steps.push(step);
    }
    const file = at.get(steps.join("/"));
    if (!file) draft.notes.push(`${path}: ${source.$ref} is not among the files`);
    return file ? [file] : [];
  });
  const setOf = (name, { sources }) => ({ name, first: 0, modes: [{ name: "", trees: treesOf(sources) }] });
  const modifierOf = (name, { contexts, default: first }) => ({
    name, first: Math.max(Object.keys(contexts ?? {}).indexOf(first), 0),
    modes: members(contexts).map(([context, list]) => ({ name: context, trees: treesOf(list) })),
  });
  const order = Array.isArray(tree.resolutionOrder) ? tree.resolutionOrder
    : ["sets", "modifiers"].flatMap((kind) => known(kind).map(([name]) => ({ $ref: `#/${kind}/${name}` })));
  return order.filter(isObject).flatMap((each) => {
    const [, kind, name] = /^#\/(sets|modifiers)\/(.+)$/.exec(each.$ref ?? "") ?? [];
    const entry = kind ? Object.fromEntries(known(kind))[name] : each;
    if (!isObject(entry)) return [];
    return [entry.contexts ? modifierOf(name ?? String(each.name), entry) : setOf(name ?? String(each.name), entry)];
  });
}

// Without a resolver document, files of a folder that share half of their tokens are the modes of a collection.
function inFolders(files) {
  const nameOf = ({ path }) => path.split("/").at(-1).replace(/(\.tokens)?\.json$/, "");
  const sources = [];
  for (const file of files) {
    const folder = file.path.split("/").slice(0, -1).join("/");
    const paths = new Set([...tokensIn({ notes: [] }, file.tree)].map(([path]) => path));
    const like = sources.find((source) => (
      source.folder === folder && [...paths].filter((path) => source.paths.has(path)).length * 2 >= Math.max(paths.size, 1)));
    if (like) like.modes.push({ name: nameOf(file), trees: [file] });
    else sources.push({ folder, paths, first: 0, modes: [{ name: nameOf(file), trees: [file] }] });
  }
  return sources.map(({ folder, modes, first }) => (
    { modes, first, name: modes.length > 1 && folder ? folder.split("/").at(-1) : modes.map(({ name }) => name).join(", ") }));
}
