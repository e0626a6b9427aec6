// The part of the tokensync bridge that sees the open file. It reads variables as the documents of Figma's REST API, and
// carries out the body of a request to POST /v1/files/KEY/variables.
//
// The plugin API has no transactions. So a request is checked as a whole before the first call (`Check`), becomes a list
// of steps that know what they replace, and is written down in the file (`journal`) before the first of them. After a
// failure the steps are taken back. What a closed tab leaves is found when the plugin runs again (`halfDone`).

/**
 * @typedef {Record<string, any>} Json
 * @typedef {{do: "collection", temp: string, name: string, mode?: string, parent?: string,
 *   modes?: Record<string, string>, before: string[]}} NewCollection
 * @typedef {{do: "mode", temp: string, collection: string, name: string, before: string[]}} NewMode
 * @typedef {{do: "variable", temp: string, collection: string, name: string, type: VariableResolvedDataType}} NewVariable
 * @typedef {{do: "set", of: "collection" | "variable", id: string, member: string, value: any, was: any}} SetMember
 * @typedef {{do: "rename mode", collection: string, id: string, value: string, was: string}} RenameMode
 * @typedef {{do: "value", id: string, mode: string, value: any, was?: any}} SetValue
 * @typedef {{do: "delete", of: "collection" | "variable" | "mode", id: string, collection: string}} Delete
 * @typedef {NewCollection | NewMode | NewVariable | SetMember | RenameMode | SetValue | Delete} Step
 *
 * The head of the journal. `steps` and `made` are the numbers of its other entries.
 * @typedef {{job: string, state: "writing" | "done" | "taken back", steps: number, made: number}} Head
 * @typedef {{variables: Record<string, Json>, variableCollections: Record<string, Json>}} Meta
 */

const ALIAS = "VARIABLE_ALIAS";

/** A request that is refused as a whole: nothing was changed. */
class Refused extends Error {}

/** A request of which a part remains in the file. */
class HalfDone extends Error {}

// ---------------------------------------------------------------------------------------------- reading

/** The file as it was last read: documents of the REST API, and the objects that they describe. */
class Reading {
  constructor() {
    /** @type {Meta} */
    this.meta = { variables: {}, variableCollections: {} };
    /** @type {Map<string, Variable>} */
    this.variables = new Map();
    /** @type {Map<string, VariableCollection>} */
    this.collections = new Map();
    /** @type {Set<string>} The ids of local variables and collections. */
    this.listed = new Set();
    /** @type {string[]} Ids that values refer to and the editor does not know. They may exist: nothing is deleted. */
    this.unknown = [];
  }

  /** @param {VariableCollection} collection */
  addCollection(collection) {
    const id = collection.id;
    this.collections.set(id, collection);
    /** @type {Json} */
    const document = {
      id: id,
      name: collection.name,
      key: collection.key,
      modes: collection.modes,
      defaultModeId: collection.defaultModeId,
      remote: collection.remote,
      hiddenFromPublishing: collection.hiddenFromPublishing,
      variableIds: collection.variableIds,
      isExtension: collection.isExtension,
    };
    if (collection.isExtension) {
      const extension = /** @type {ExtendedVariableCollection} */ (/** @type {unknown} */ (collection));
      document.parentVariableCollectionId = extension.parentVariableCollectionId;
      document.rootVariableCollectionId = extension.rootVariableCollectionId;
      document.inheritedVariableIds = extension.variableIds;
      document.localVariableIds = [];
      document.variableOverrides = mapped(extension.variableOverrides, (values) => mapped(values, wire));
    }
    this.meta.variableCollections[id] = document;
  }

  /** @param {Variable} variable */
  addVariable(variable) {
    this.variables.set(variable.id, variable);
    /** @type {Json} */
    const document = {
      id: variable.id,
      name: variable.name,
      key: variable.key,
      variableCollectionId: variable.variableCollectionId,
      resolvedType: variable.resolvedType,
      valuesByMode: mapped(variable.valuesByMode, wire),
      remote: variable.remote,
      description: variable.description,
      hiddenFromPublishing: variable.hiddenFromPublishing,
      scopes: variable.scopes,
      codeSyntax: variable.codeSyntax,
    };
    // The editor finds it by its id, but does not list it among those of the file.
    if (!this.listed.has(variable.id) && !variable.remote) document.deletedButReferenced = true;
    this.meta.variables[variable.id] = document;
  }
}

/** Read all local variables, and those that they refer to. @returns {Promise<Reading>} */
async function read() {
  const reading = new Reading();
  for (const collection of await figma.variables.getLocalVariableCollectionsAsync()) {
    reading.listed.add(collection.id);
    reading.addCollection(collection);
  }
  for (const variable of await figma.variables.getLocalVariablesAsync()) {
    reading.listed.add(variable.id);
    reading.addVariable(variable);
  }
  const pending = [];
  for (const id of Object.keys(reading.meta.variables)) pending.push(...targets(reading.meta.variables[id].valuesByMode));
  const collections = [];
  for (const id of Object.keys(reading.meta.variableCollections)) {
    const document = reading.meta.variableCollections[id];
    if (!document.isExtension) continue;
    pending.push(...Object.keys(document.variableOverrides), ...targets(document.variableOverrides));
    collections.push(document.parentVariableCollectionId, document.rootVariableCollectionId);
  }
  const seen = new Set();
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (seen.has(id) || reading.variables.has(id)) continue;
    seen.add(id);
    const variable = await figma.variables.getVariableByIdAsync(id);
    if (variable === null) {
      reading.unknown.push(id);
      continue;
    }
    reading.addVariable(variable);
    pending.push(...targets(reading.meta.variables[id].valuesByMode));
    collections.push(variable.variableCollectionId);
  }
  for (const id of collections) {
    const collection = reading.collections.has(id) ? null : await figma.variables.getVariableCollectionByIdAsync(id);
    if (collection !== null) reading.addCollection(collection);
  }
  return reading;
}

/** The form of a value in the REST API. @param {any} value @returns {any} */
function wire(value) {
  if (typeof value !== "object" || value === null) return value;
  if (value.expressionFunction === "COMPOSE_COLOR") {
    // Builds of the editor from before September 2026 answer with the expression that a composed colour is.
    return { color: wire(value.expressionArguments[0]), opacity: wire(value.expressionArguments[1]) };
  }
  if ("color" in value && "opacity" in value) return { color: wire(value.color), opacity: wire(value.opacity) };
  if (value.type === ALIAS) return { type: ALIAS, id: value.id };
  if ("r" in value) return { r: value.r, g: value.g, b: value.b, a: "a" in value ? value.a : 1 };
  return value;
}

/** The ids that a value aliases, at any depth. @param {any} value @returns {string[]} */
function targets(value) {
  if (typeof value !== "object" || value === null) return [];
  if (value.type === ALIAS) return [value.id];
  const found = [];
  for (const name of Object.keys(value)) found.push(...targets(value[name]));
  return found;
}

/** @param {Json} object @param {(value: any) => any} convert */
function mapped(object, convert) {
  /** @type {Json} */
  const result = {};
  for (const name of Object.keys(object)) result[name] = convert(object[name]);
  return result;
}

/** A number that changes with the text: FNV-1a twice. It finds edits; it protects from nothing. @param {string} text */
function digest(text) {
  let first = 0x811c9dc5;
  let second = 0x01000193;
  for (let index = 0; index < text.length; index += 1) {
    first = Math.imul(first ^ text.charCodeAt(index), 0x01000193);
    second = Math.imul(second ^ text.charCodeAt(index), 0x85ebca6b);
  }
  return (first >>> 0).toString(16) + (second >>> 0).toString(16);
}

/** Whether values are the same as the editor stores them: its numbers are float32. @param {any} a @param {any} b @returns {boolean} */
function same(a, b) {
  if (typeof a === "number" && typeof b === "number") return Math.fround(a) === Math.fround(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && same(a[name], b[name]));
}

// --------------------------------------------------------------------------------------------- checking

/** @type {Json} The values of new variables. */
const FIRST = { BOOLEAN: false, FLOAT: 0, STRING: "", COLOR: { r: 1, g: 1, b: 1, a: 1 } };
const MEMBERS = ["description", "hiddenFromPublishing", "scopes"];
const PLATFORMS = /** @type {CodeSyntaxPlatform[]} */ (["WEB", "ANDROID", "iOS"]);

/** Checks a body against a reading, change by change in the order of the REST API, and lists the steps. */
class Check {
  /** @param {Meta} meta */
  constructor(meta) {
    this.meta = /** @type {Meta} */ (JSON.parse(JSON.stringify(meta)));
    /** @type {Step[]} */
    this.steps = [];
    /** @type {Delete[]} Deletions come last, since nothing brings back an object with its id. */
    this.deletions = [];
    this.temporary = new Set();
    /** @type {Record<string, Record<string, string>>} The names in each collection, with the ids that have them. */
    this.names = {};
    this.doomed = new Set();
    for (const id of Object.keys(this.meta.variables)) {
      const variable = this.meta.variables[id];
      if (!variable.deletedButReferenced) this.namesOf(variable.variableCollectionId)[variable.name] = id;
    }
  }

  /** @param {string} collection */
  namesOf(collection) {
    if (!(collection in this.names)) this.names[collection] = Object.create(null);
    return this.names[collection];
  }

  /** @param {Json} body @returns {Step[]} */
  run(body) {
    /** @type {[string, (change: Json) => void][]} */
    const arrays = [
      ["variableCollections", (change) => this.collection(change)],
      ["variableModes", (change) => this.mode(change)],
      ["variables", (change) => this.variable(change)],
      ["variableModeValues", (change) => this.value(change)],
    ];
    for (const [name, check] of arrays) {
      const changes = name in body ? body[name] : [];
      if (!Array.isArray(changes)) throw new Refused(`${name} must be an array`);
      changes.forEach((change, index) => {
        try {
          check(change);
        } catch (error) {
          throw error instanceof Refused ? new Refused(`${name}[${index}]: ${error.message}`) : error;
        }
      });
    }
    return [...this.steps, ...this.deletions];
  }

  /** @param {Json} change @param {string} member */
  text(change, member) {
    const text = change[member];
    if (typeof text !== "string" || text === "") throw new Refused(`${member} must be a text`);
    return text;
  }

  /** @param {any} id @returns {string} */
  claim(id) {
    const temporary = id === undefined ? `new ${this.temporary.size}` : id;
    if (typeof temporary !== "string" || temporary === "") throw new Refused("a temporary id must be a text");
    const isTaken = temporary in this.meta.variables || temporary in this.meta.variableCollections;
    if (isTaken || this.temporary.has(temporary)) throw new Refused(`the temporary id ${temporary} is not unique`);
    this.temporary.add(temporary);
    return temporary;
  }

  /** @param {Json} change @param {string} member @returns {Json} */
  local(change, member) {
    const id = this.text(change, member);
    const collection = this.meta.variableCollections[id];
    if (collection === undefined) throw new Refused(`collection ${id} not found`);
    if (collection.remote) throw new Refused(`collection ${id} is of a library, whose file alone can change it`);
    return collection;
  }

  /** @param {Json} collection @returns {Json[]} */
  extensions(collection) {
    const all = Object.keys(this.meta.variableCollections).map((id) => this.meta.variableCollections[id]);
    const own = all.filter((each) => each.parentVariableCollectionId === collection.id);
    return own.concat(...own.map((each) => this.extensions(each)));
  }

  /** @param {Json} change */
  collection(change) {
    if (change.action === "CREATE") return this.newCollection(change);
    const collection = this.local(change, "id");
    if (change.action === "DELETE") {
      for (const gone of [collection, ...this.extensions(collection)]) {
        this.deletions.unshift({ do: "delete", of: "collection", id: gone.id, collection: gone.id });
        delete this.meta.variableCollections[gone.id];
      }
      return;
    }
    if (change.action !== "UPDATE") throw new Refused("action must be CREATE, UPDATE or DELETE");
    if ("name" in change) this.set("collection", collection, "name", this.text(change, "name"));
    if ("hiddenFromPublishing" in change) {
      this.set("collection", collection, "hiddenFromPublishing", change.hiddenFromPublishing);
    }
  }

  /** @param {Json} change */
  newCollection(change) {
    const name = this.text(change, "name");
    const temp = this.claim(change.id);
    const before = Object.keys(this.meta.variableCollections);
    const isHidden = change.hiddenFromPublishing === true;
    /** @type {Json} */
    const made = { id: temp, name: name, remote: false, hiddenFromPublishing: false, modes: [], variableIds: [] };
    if (change.parentVariableCollectionId === undefined) {
      const mode = this.claim(change.initialModeId);
      made.modes.push({ modeId: mode, name: "Mode 1" });
      this.steps.push({ do: "collection", temp: temp, name: name, mode: mode, before: before });
    } else {
      if (change.initialModeId !== undefined) throw new Refused("initialModeId cannot be combined with a parent");
      const parent = this.local(change, "parentVariableCollectionId");
      const mapping = change.initialModeIdToParentModeIdMapping || {};
      /** @type {Record<string, string>} */
      const modes = {};
      for (const mode of parent.modes) {
        modes[mode.modeId] = this.claim(mapping[mode.modeId]);
        made.modes.push({ modeId: modes[mode.modeId], name: mode.name, parentModeId: mode.modeId });
      }
      for (const mode of Object.keys(mapping)) {
        if (!(mode in modes)) throw new Refused(`${mode} is not a mode of the parent collection`);
      }
      made.isExtension = true;
      made.variableOverrides = {};
      made.parentVariableCollectionId = parent.id;
      made.rootVariableCollectionId = parent.rootVariableCollectionId || parent.id;
      this.steps.push({ do: "collection", temp: temp, name: name, parent: parent.id, modes: modes, before: before });
    }
    this.meta.variableCollections[temp] = made;
    if (isHidden) this.set("collection", made, "hiddenFromPublishing", true);
  }

  /**
   * @param {"collection" | "variable"} of
   * @param {Json} document
   * @param {string} member
   * @param {any} value
   */
  set(of, document, member, value) {
    const was = document[member];
    document[member] = value;
    if (!same(was, value)) {
      this.steps.push({ do: "set", of: of, id: document.id, member: member, value: value, was: was });
    }
  }

  /** @param {Json} change */
  mode(change) {
    let collection;
    if (change.action === "DELETE" && change.variableCollectionId === undefined) {
      const all = Object.keys(this.meta.variableCollections).map((id) => this.meta.variableCollections[id]);
      const having = all.filter((each) => !each.remote && each.modes.some((/** @type {Json} */ mode) => mode.modeId === change.id));
      if (having.length !== 1) throw new Refused(`mode ${change.id} is in ${having.length} collections`);
      collection = having[0];
    } else {
      collection = this.local(change, "variableCollectionId");
    }
    if (collection.isExtension) throw new Refused("modes of an extended collection follow those of its parent");
    if (change.action === "CREATE") {
      const name = this.modeName(change);
      if (collection.modes.length >= 40) throw new Refused("a collection can have at most 40 modes");
      const temp = this.claim(change.id);
      const before = collection.modes.map((/** @type {Json} */ mode) => mode.modeId);
      collection.modes.push({ modeId: temp, name: name });
      this.steps.push({ do: "mode", temp: temp, collection: collection.id, name: name, before: before });
      return;
    }
    const id = this.text(change, "id");
    const mode = collection.modes.find((/** @type {Json} */ each) => each.modeId === id);
    if (mode === undefined) throw new Refused(`mode ${id} is not in collection ${collection.id}`);
    if (change.action === "DELETE") {
      if (collection.modes.length === 1) throw new Refused("the last mode of a collection cannot be deleted");
      collection.modes = collection.modes.filter((/** @type {Json} */ each) => each !== mode);
      this.deletions.push({ do: "delete", of: "mode", id: id, collection: collection.id });
    } else if (change.action === "UPDATE") {
      const name = "name" in change ? this.modeName(change) : mode.name;
      if (name !== mode.name) {
        this.steps.push({ do: "rename mode", collection: collection.id, id: id, value: name, was: mode.name });
      }
      mode.name = name;
    } else {
      throw new Refused("action must be CREATE, UPDATE or DELETE");
    }
  }

  /** @param {Json} change */
  modeName(change) {
    const name = this.text(change, "name");
    if (name.length > 40) throw new Refused("a mode's name can have at most 40 characters");
    return name;
  }

  /** @param {Json} change @param {string} member @returns {Json} */
  known(change, member) {
    const id = this.text(change, member);
    const variable = this.meta.variables[id];
    if (variable === undefined || this.doomed.has(id)) throw new Refused(`variable ${id} not found`);
    return variable;
  }

  /** @param {Json} change */
  variable(change) {
    if (change.action === "CREATE") return this.newVariable(change);
    const variable = this.known(change, "id");
    if (variable.remote) throw new Refused(`variable ${variable.id} is of a library, whose file alone can change it`);
    const names = this.namesOf(variable.variableCollectionId);
    if (change.action === "DELETE") {
      this.doomed.add(variable.id);
      if (variable.variableCollectionId in this.meta.variableCollections) {
        const collection = variable.variableCollectionId;
        this.deletions.push({ do: "delete", of: "variable", id: variable.id, collection: collection });
      }
      return;
    }
    if (change.action !== "UPDATE") throw new Refused("action must be CREATE, UPDATE or DELETE");
    if ("name" in change && change.name !== variable.name) {
      const name = this.freeName(change, variable.variableCollectionId);
      delete names[variable.name];
      names[name] = variable.id;
      this.set("variable", variable, "name", name);
    }
    this.members(change, variable);
  }

  /** @param {Json} change @param {Json} variable */
  members(change, variable) {
    for (const member of MEMBERS) if (member in change) this.set("variable", variable, member, change[member]);
    if (!("codeSyntax" in change)) return;
    for (const platform of PLATFORMS) {
      const [was, value] = [variable.codeSyntax[platform], change.codeSyntax[platform]].map((text) => text || null);
      const member = `codeSyntax.${platform}`;
      if (was !== value) this.steps.push({ do: "set", of: "variable", id: variable.id, member: member, value: value, was: was });
    }
    variable.codeSyntax = change.codeSyntax;
  }

  /**
   * A name that is free at this point. A variable that the request deletes holds its name until the end, so it is renamed.
   * @param {Json} change
   * @param {string} collection
   */
  freeName(change, collection) {
    const name = this.text(change, "name");
    if (/[.{}]/.test(name)) throw new Refused(`the name ${name} has one of the characters . { }`);
    const names = this.namesOf(collection);
    const holder = names[name];
    if (holder !== undefined) {
      if (!this.doomed.has(holder)) throw new Refused(`a variable named ${name} exists already in this collection`);
      const aside = `${name} (deleted ${this.steps.length})`;
      names[aside] = holder;
      this.set("variable", this.meta.variables[holder], "name", aside);
    }
    return name;
  }

  /** @param {Json} change */
  newVariable(change) {
    const collection = this.local(change, "variableCollectionId");
    if (collection.isExtension) throw new Refused("variables cannot be created in an extended collection");
    const type = this.text(change, "resolvedType");
    if (!(type in FIRST)) throw new Refused(`resolvedType must be one of ${Object.keys(FIRST).join(", ")}`);
    if (collection.variableIds.length >= 5000) throw new Refused("a collection can have at most 5000 variables");
    const name = this.freeName(change, collection.id);
    const temp = this.claim(change.id);
    this.namesOf(collection.id)[name] = temp;
    collection.variableIds.push(temp);
    /** @type {Json} */
    const variable = { id: temp, name: name, variableCollectionId: collection.id, resolvedType: type, valuesByMode: {} };
    variable.remote = false;
    variable.description = "";
    variable.hiddenFromPublishing = false;
    variable.scopes = ["ALL_SCOPES"];
    variable.codeSyntax = {};
    this.meta.variables[temp] = variable;
    const kind = /** @type {VariableResolvedDataType} */ (type);
    this.steps.push({ do: "variable", temp: temp, collection: collection.id, name: name, type: kind });
    this.members(change, variable);
  }

  /** @param {Json} change */
  value(change) {
    const variable = this.known(change, "variableId");
    const mode = this.text(change, "modeId");
    const value = change.value;
    if (value === undefined) throw new Refused("value is required");
    const collection = this.collectionWith(variable, mode);
    if (value === null && !collection.isExtension) throw new Refused("null removes an override; this mode is of no extended collection");
    if (!collection.isExtension && variable.remote) throw new Refused(`variable ${variable.id} is of a library`);
    if (value !== null) this.refuseValue(variable, value);
    const overrides = collection.variableOverrides || {};
    const values = collection.isExtension ? overrides[variable.id] || (overrides[variable.id] = {}) : variable.valuesByMode;
    const was = values[mode] === undefined && collection.isExtension ? null : values[mode];
    values[mode] = value === null ? undefined : value;
    const written = value === null ? null : wire(value);
    if (!same(was, written)) this.steps.push({ do: "value", id: variable.id, mode: mode, value: written, was: was });
  }

  /** @param {Json} variable @param {string} mode @returns {Json} */
  collectionWith(variable, mode) {
    const own = this.meta.variableCollections[variable.variableCollectionId];
    const candidates = own === undefined ? [] : [own, ...this.extensions(own)];
    const found = candidates.find((each) => each.modes.some((/** @type {Json} */ other) => other.modeId === mode));
    if (found === undefined) throw new Refused(`mode ${mode} is not of the collection of variable ${variable.id}`);
    return found;
  }

  /** @param {Json} variable @param {any} value */
  refuseValue(variable, value) {
    const isComposed = typeof value === "object" && "color" in value && "opacity" in value;
    if (isComposed && variable.resolvedType === "COLOR") {
      if (targets(value).length === 0) throw new Refused("a composed color needs an alias");
      this.refusePart(value.color, "COLOR");
      this.refusePart(value.opacity, "FLOAT");
    } else {
      this.refusePart(value, variable.resolvedType);
    }
    const seen = new Set();
    const pending = targets(value);
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (id === variable.id) throw new Refused("aliases form a cycle");
      if (seen.has(id) || !(id in this.meta.variables)) continue;
      seen.add(id);
      pending.push(...targets(this.meta.variables[id].valuesByMode));
      for (const each of Object.keys(this.meta.variableCollections)) {
        pending.push(...targets((this.meta.variableCollections[each].variableOverrides || {})[id]));
      }
    }
  }

  /** @param {any} part @param {string} type */
  refusePart(part, type) {
    const kind = typeof part;
    if (kind === "object" && part.type === ALIAS) {
      const target = this.known(part, "id");
      if (target.resolvedType !== type) throw new Refused(`the alias resolves to ${target.resolvedType}, not ${type}`);
      return;
    }
    const channels = kind === "object" ? [part.r, part.g, part.b, part.a === undefined ? 1 : part.a] : [];
    const fits =
      (type === "BOOLEAN" && kind === "boolean") ||
      (type === "STRING" && kind === "string") ||
      (type === "FLOAT" && kind === "number" && isFinite(Math.fround(part))) ||
      (type === "COLOR" && kind === "object" && channels.every((channel) => channel >= 0 && channel <= 1));
    if (!fits) throw new Refused(`the value does not match the type ${type}`);
  }
}

// ---------------------------------------------------------------------------------------------- writing

/** The steps of one request, on the objects of a reading, with the real ids of what it has made. */
class Work {
  /**
   * @param {Reading} reading
   * @param {Step[]} steps
   * @param {Map<string, string>} made
   */
  constructor(reading, steps, made) {
    this.reading = reading;
    this.steps = steps;
    this.made = made;
  }

  /** @param {string} id @returns {string} */
  real(id) {
    return this.made.get(id) || id;
  }

  /** @param {any} value @returns {any} */
  resolved(value) {
    if (typeof value !== "object" || value === null) return value;
    if (value.type === ALIAS) return { type: ALIAS, id: this.real(value.id) };
    return "color" in value ? mapped(value, (part) => this.resolved(part)) : value;
  }

  /** @param {string} id @returns {Variable} */
  variable(id) {
    const variable = this.reading.variables.get(this.real(id));
    if (variable === undefined) throw new Error(`variable ${id} not found`);
    return variable;
  }

  /** @param {string} id @returns {VariableCollection} */
  collection(id) {
    const collection = this.reading.collections.get(this.real(id));
    if (collection === undefined) throw new Error(`collection ${id} not found`);
    return collection;
  }

  /** Carry out a step, and return whether it has made an object. @param {Step} step */
  forward(step) {
    switch (step.do) {
      case "collection":
        this.keep(step, step.parent === undefined
          ? figma.variables.createVariableCollection(step.name)
          : /** @type {any} */ (this.collection(step.parent).extend(step.name)));
        return true;
      case "mode":
        this.made.set(step.temp, this.collection(step.collection).addMode(step.name));
        return true;
      case "variable": {
        const variable = figma.variables.createVariable(step.name, this.collection(step.collection), step.type);
        this.made.set(step.temp, variable.id);
        this.reading.variables.set(variable.id, variable);
        return true;
      }
      case "set":
      case "rename mode":
      case "value":
        this.set(step, step.value);
        return false;
      case "delete":
        if (step.of === "variable") this.variable(step.id).remove();
        else if (step.of === "mode") this.collection(step.collection).removeMode(this.real(step.id));
        else this.collection(step.id).remove();
        return false;
    }
  }

  /** Record a new collection and its first modes. @param {NewCollection} step @param {VariableCollection} collection */
  keep(step, collection) {
    this.made.set(step.temp, collection.id);
    this.reading.collections.set(collection.id, collection);
    if (step.mode !== undefined) this.made.set(step.mode, collection.modes[0].modeId);
    const modes = /** @type {{modeId: string, parentModeId?: string}[]} */ (collection.modes);
    const inherited = step.modes || {};
    for (const parent of Object.keys(inherited)) {
      const mode = modes.find((each) => each.parentModeId === this.real(parent));
      if (mode !== undefined) this.made.set(inherited[parent], mode.modeId);
    }
  }

  /** @param {SetMember | RenameMode | SetValue} step @param {any} value */
  set(step, value) {
    if (step.do === "set") this.setMember(step, value);
    else if (step.do === "rename mode") this.collection(step.collection).renameMode(this.real(step.id), value);
    else if (value === null) this.variable(step.id).removeOverrideForMode(this.real(step.mode));
    else this.variable(step.id).setValueForMode(this.real(step.mode), this.resolved(value));
  }

  /** @param {SetMember} step @param {any} value */
  setMember(step, value) {
    const object = step.of === "collection" ? this.collection(step.id) : this.variable(step.id);
    const platform = /** @type {CodeSyntaxPlatform} */ (step.member.split(".")[1]);
    if (platform === undefined) /** @type {any} */ (object)[step.member] = value;
    else if (value !== null) /** @type {Variable} */ (object).setVariableCodeSyntax(platform, value);
    else if (this.present(step) !== null) /** @type {Variable} */ (object).removeVariableCodeSyntax(platform);
  }

  /** What a step that sets something finds in the file; undefined if its object is gone. @param {Step} step @returns {any} */
  present(step) {
    try {
      if (step.do === "set") {
        const object = /** @type {any} */ (step.of === "collection" ? this.collection(step.id) : this.variable(step.id));
        const [member, platform] = step.member.split(".");
        return platform === undefined ? object[member] : object[member][platform] || null;
      }
      if (step.do === "rename mode") {
        const mode = this.collection(step.collection).modes.find((each) => each.modeId === this.real(step.id));
        return mode === undefined ? undefined : mode.name;
      }
      if (step.do !== "value") return undefined;
      const mode = this.real(step.mode);
      for (const collection of Array.from(this.reading.collections.values())) {
        if (!collection.isExtension || !collection.modes.some((each) => each.modeId === mode)) continue;
        const overrides = /** @type {any} */ (collection).variableOverrides[this.real(step.id)] || {};
        return mode in overrides ? wire(overrides[mode]) : null;
      }
      return wire(this.variable(step.id).valuesByMode[mode]);
    } catch (error) {
      return undefined;
    }
  }

  /** Whether what a step deletes still exists. What something refers to can be found by its id after its deletion.
   * @param {Delete} step */
  exists(step) {
    const owner = this.reading.collections.get(this.real(step.collection));
    if (step.of === "variable") return this.reading.listed.has(this.real(step.id));
    if (owner === undefined || !this.reading.listed.has(owner.id)) return false;
    return step.of === "collection" || this.hasMode(owner, step.id);
  }

  /** @param {VariableCollection} collection @param {string} id */
  hasMode(collection, id) {
    return collection.modes.some((mode) => mode.modeId === this.real(id));
  }

  /**
   * Whether somebody has changed what a step has made: then it is not removed.
   * @param {NewCollection | NewMode | NewVariable} step
   */
  isTouched(step) {
    const id = this.made.get(step.temp);
    if (id === undefined) return false;
    if (step.do === "collection") {
      const collection = this.reading.collections.get(id); // without the variables that the request has made
      return collection !== undefined && step.parent === undefined && collection.variableIds.length > 0;
    }
    const variable = this.reading.variables.get(id);
    if (step.do === "mode" || variable === undefined) return false;
    /** @param {string} member @param {any} first */
    const isOurs = (member, first) => {
      const set = this.steps.filter((each) => each.do === "set" && each.id === step.temp && each.member === member);
      const present = /** @type {any} */ (variable)[member];
      return same(present, first) || set.some((each) => same(present, /** @type {SetMember} */ (each).value));
    };
    const values = variable.valuesByMode;
    const areOurs = Object.keys(values).every((mode) => {
      const value = wire(values[mode]);
      return same(value, FIRST[step.type]) || this.steps.some(
        (each) => each.do === "value" && each.id === step.temp && this.real(each.mode) === mode && same(value, this.resolved(each.value)),
      );
    });
    return !(isOurs("name", step.name) && isOurs("description", "") && areOurs);
  }

  /** Remove what a step has made, if it exists. @param {NewCollection | NewMode | NewVariable} step */
  remove(step) {
    const id = this.made.get(step.temp);
    if (id === undefined) return;
    if (step.do === "variable") {
      if (this.reading.variables.has(id)) this.variable(id).remove();
    } else if (step.do === "collection") {
      if (this.reading.collections.has(id)) this.collection(id).remove();
    } else {
      const collection = this.reading.collections.get(this.real(step.collection));
      if (collection !== undefined && this.hasMode(collection, id)) collection.removeMode(id);
    }
  }

  /**
   * Find what a call has made before the plugin ended, or the call failed: its id is recorded nowhere.
   * @param {NewCollection | NewMode | NewVariable} step
   */
  adopt(step) {
    const reading = this.reading;
    if (this.made.has(step.temp)) return;
    const taken = Array.from(this.made.values());
    /** @param {string} id */
    const isNew = (id) => taken.indexOf(id) < 0;
    if (step.do === "mode") {
      const collection = reading.collections.get(this.real(step.collection));
      const before = step.before.map((id) => this.real(id));
      const modes = collection === undefined ? [] : collection.modes;
      const mode = modes.find((each) => each.name === step.name && isNew(each.modeId) && before.indexOf(each.modeId) < 0);
      if (mode !== undefined) this.made.set(step.temp, mode.modeId);
      return;
    }
    if (step.do === "collection") {
      const before = step.before.map((id) => this.real(id));
      const collection = Array.from(reading.collections.values()).find(
        (each) => each.name === step.name && !each.remote && isNew(each.id) && before.indexOf(each.id) < 0,
      );
      if (collection !== undefined) this.keep(step, collection);
      return;
    }
    // Its name was free, or a step before it renames the variable that has it. No step has set anything of it yet.
    for (const variable of Array.from(reading.variables.values())) {
      if (this.steps.some((each) => each.do === "set" && each.id === variable.id && each.member === "name")) continue;
      const isIts = variable.name === step.name && variable.variableCollectionId === this.real(step.collection);
      if (isIts && variable.resolvedType === step.type && isNew(variable.id)) {
        this.made.set(step.temp, variable.id);
      }
    }
  }
}

/**
 * Carry out a request. Everything between the comparison with what was reviewed and the last call is synchronous, so no
 * edit comes in between.
 * @param {{job: string, body: Json, expected?: string}} job
 * @returns {Promise<{made: [string, string][]}>}
 */
async function apply(job) {
  refuseHalfDone();
  const reading = await read();
  if (job.expected !== undefined && job.expected !== digest(JSON.stringify(reading.meta))) {
    throw new Refused("somebody changed the file since tokensync read it; make a new plan");
  }
  const steps = new Check(reading.meta).run(job.body);
  const work = new Work(reading, steps, new Map());
  figma.commitUndo(); // so that the editor's own undo takes back this request as a whole
  let next = 0;
  try {
    beginJournal(job.job, steps);
    for (; next < steps.length; next += 1) if (work.forward(steps[next])) recordMade(work.made);
  } catch (error) {
    const done = steps.slice(0, next + 1);
    await takeBackNow(work, done, textOf(error));
    throw new Refused(textOf(error));
  }
  endJournal("done");
  figma.commitUndo();
  return { made: asked(work.made) };
}

/** The ids of the objects that a request has named. @param {Map<string, string>} made @returns {[string, string][]} */
function asked(made) {
  return Array.from(made).filter((pair) => !/^new \d+$/.test(pair[0]));
}

/**
 * Take back steps of this run, the last one first: nobody else has changed the file since.
 * @param {Work} work
 * @param {Step[]} done The last one has failed: it may have had its effect.
 * @param {string} why
 */
async function takeBackNow(work, done, why) {
  try {
    if (done.slice(0, -1).some((step) => step.do === "delete")) throw new Error("deletions cannot be taken back");
    const last = done[done.length - 1];
    work.reading = await read();
    if (last !== undefined && last.do === "delete" && !work.exists(last)) throw new Error("a deletion cannot be taken back");
    if (last !== undefined && "temp" in last) work.adopt(last);
    for (const step of done.slice().reverse()) {
      if ("temp" in step) work.remove(step);
      else if (step.do !== "delete" && step.was !== undefined) work.set(step, step.was);
    }
    endJournal("taken back");
  } catch (error) {
    throw new HalfDone(`${why}; a part of the request remains, because ${textOf(error)}`);
  }
}

/** @param {unknown} error */
function textOf(error) {
  return error instanceof Error ? error.message : String(error);
}

// ---------------------------------------------------------------------------------------------- journal

// The journal is in the document, not in `clientStorage`: it is saved and shared with the very changes that it is about,
// so both survive a closed tab or neither does, and another editor's tokensync finds it, too. An entry has at most 100 kB.
const SPACE = "tokensync";
const CHUNK = 60000;
const IDS = 200;

/** @returns {Head | null} */
function head() {
  const text = figma.root.getSharedPluginData(SPACE, "apply");
  return text === "" ? null : JSON.parse(text);
}

/** @param {string} job @param {Step[]} steps */
function beginJournal(job, steps) {
  const text = JSON.stringify(steps);
  let count = 0;
  for (let start = 0; start < text.length; count += 1) {
    // UTF-16 units of three bytes at most; a surrogate pair has four for two.
    const end = start + Math.floor(CHUNK / 3) * (/[^\x00-\x7f]/.test(text.slice(start, start + CHUNK)) ? 1 : 3);
    figma.root.setSharedPluginData(SPACE, `steps.${count}`, text.slice(start, end));
    start = end;
  }
  const old = head();
  for (let index = 0; old !== null && index < old.made; index += 1) {
    figma.root.setSharedPluginData(SPACE, `made.${index}`, "");
  }
  figma.root.setSharedPluginData(SPACE, "apply", JSON.stringify({ job: job, state: "writing", steps: count, made: 0 }));
}

/** Write down the last ids. @param {Map<string, string>} made */
function recordMade(made) {
  const pairs = Array.from(made);
  const chunk = Math.floor((pairs.length - 1) / IDS);
  // A new collection adds several ids at once, which may begin a chunk.
  for (let index = Math.max(0, chunk - 1); index <= chunk; index += 1) {
    const part = pairs.slice(index * IDS, (index + 1) * IDS);
    figma.root.setSharedPluginData(SPACE, `made.${index}`, JSON.stringify(part));
  }
}

/** @param {"done" | "taken back"} state */
function endJournal(state) {
  const now = head();
  if (now === null) return; // it was not written yet
  let made = 0;
  while (figma.root.getSharedPluginData(SPACE, `made.${made}`) !== "") made += 1;
  figma.root.setSharedPluginData(SPACE, "apply", JSON.stringify({ job: now.job, state: state, steps: 0, made: made }));
  for (let index = 0; index < now.steps; index += 1) figma.root.setSharedPluginData(SPACE, `steps.${index}`, "");
}

/** @returns {Map<string, string>} */
function recorded() {
  /** @type {[string, string][]} */
  const pairs = [];
  for (let index = 0; ; index += 1) {
    const text = figma.root.getSharedPluginData(SPACE, `made.${index}`);
    if (text === "") return new Map(pairs);
    pairs.push(...JSON.parse(text));
  }
}

function refuseHalfDone() {
  const last = head();
  if (last !== null && last.state === "writing") throw new HalfDone("an earlier request is half done in this file");
}

/**
 * Complete the request that is half done, or take it back. What somebody has changed since stays as it is.
 * @param {"complete" | "take back"} way
 * @returns {Promise<{left: string[], made: [string, string][]}>}
 */
async function halfDone(way) {
  const last = head();
  if (last === null || last.state !== "writing") throw new Refused("no request is half done in this file");
  let text = "";
  for (let index = 0; index < last.steps; index += 1) text += figma.root.getSharedPluginData(SPACE, `steps.${index}`);
  /** @type {Step[]} */
  const steps = JSON.parse(text);
  const reading = await read();
  const work = new Work(reading, steps, recorded());
  /** @type {string[]} */
  const left = [];
  const unrecorded = steps.find((step) => "temp" in step && !work.made.has(step.temp));
  if (unrecorded !== undefined && "temp" in unrecorded) work.adopt(unrecorded);
  if (way === "take back") {
    if (steps.some((step) => step.do === "delete" && !work.exists(step))) {
      throw new Refused("objects are deleted already, and no plugin brings them back; complete the request instead");
    }
    for (const step of steps.slice().reverse()) {
      if (!("temp" in step)) restore(work, step, left);
      else if (work.isTouched(step)) left.push(`${step.name}, which the request has made`);
      else work.remove(step);
    }
  } else {
    for (const step of steps) {
      if ("temp" in step) {
        if (!work.made.has(step.temp)) {
          work.forward(step);
          recordMade(work.made);
        }
      } else if (step.do === "delete") {
        if (work.exists(step)) work.forward(step);
      } else {
        repeat(work, step, left);
      }
    }
  }
  endJournal(way === "complete" ? "done" : "taken back");
  figma.commitUndo();
  return { left: left, made: asked(work.made) };
}

/**
 * Put back what a step has replaced, unless somebody has changed it since.
 * @param {Work} work
 * @param {SetMember | RenameMode | SetValue | Delete} step
 * @param {string[]} left
 */
function restore(work, step, left) {
  if (step.do === "delete" || step.was === undefined) return;
  if (work.made.has(step.id) || (step.do === "value" && work.made.has(step.mode))) return; // it goes with its object
  const present = work.present(step);
  if (present === undefined) return; // its object was never made, or somebody has deleted it
  if (same(present, work.resolved(step.value))) work.set(step, step.was);
  else if (!isKnown(work, step, present)) left.push(described(step));
}

/**
 * Set what a step sets, unless somebody has changed it since.
 * @param {Work} work
 * @param {SetMember | RenameMode | SetValue} step
 * @param {string[]} left
 */
function repeat(work, step, left) {
  const present = work.present(step);
  if (same(present, work.resolved(step.value))) return;
  if (present === undefined && work.steps.some((each) => each.do === "delete" && each.id === step.id)) return;
  if (step.was === undefined || same(present, work.resolved(step.was))) work.set(step, step.value);
  else if (!isKnown(work, step, present)) left.push(described(step));
}

/** Whether a value is one that the request has found or set: it may set a thing twice, as when two names are swapped.
 * @param {Work} work @param {SetMember | RenameMode | SetValue} step @param {any} present */
function isKnown(work, step, present) {
  return work.steps.some((other) => {
    const each = /** @type {any} */ (other);
    const isIts = each.do === step.do && each.id === step.id && each.mode === /** @type {any} */ (step).mode;
    if (!isIts || each.member !== /** @type {any} */ (step).member) return false;
    return same(present, work.resolved(each.value)) || same(present, work.resolved(each.was));
  });
}

/** @param {Json} step */
function described(step) {
  return step.do === "value" ? `the value of ${step.id} in mode ${step.mode}` : `the ${step.member || "name"} of ${step.id}`;
}

// --------------------------------------------------------------------------------------------- the page

/** @type {Record<string, (message: Json) => Promise<any>>} */
const ANSWERS = {
  async hello() {
    const token = (await figma.clientStorage.getAsync("token")) || "";
    return { key: figma.fileKey || "", name: figma.root.name, token: token };
  },
  async remember(message) {
    await figma.clientStorage.setAsync("token", message.token);
  },
  async local() {
    refuseHalfDone();
    const reading = await read();
    return { meta: reading.meta, unknown: reading.unknown, digest: digest(JSON.stringify(reading.meta)) };
  },
  async published() {
    // The state of one variable at a time: so only of those in collections that are published.
    /** @type {Meta} */
    const meta = { variables: {}, variableCollections: {} };
    for (const collection of await figma.variables.getLocalVariableCollectionsAsync()) {
      if ((await collection.getPublishStatusAsync()) === "UNPUBLISHED") continue;
      meta.variableCollections[collection.id] = { id: collection.id, name: collection.name, key: collection.key };
    }
    for (const variable of await figma.variables.getLocalVariablesAsync()) {
      const { id, name, key, variableCollectionId, resolvedType } = variable;
      if (!(variableCollectionId in meta.variableCollections)) continue;
      if ((await variable.getPublishStatusAsync()) === "UNPUBLISHED") continue;
      meta.variables[id] = { id, name, key, variableCollectionId, resolvedType };
    }
    for (const each of [meta.variables, meta.variableCollections]) {
      for (const id of Object.keys(each)) Object.assign(each[id], { subscribed_id: "", updatedAt: "" });
    }
    return meta;
  },
  async check(message) {
    refuseHalfDone();
    const steps = new Check((await read()).meta).run(message.body);
    /** @type {Record<string, number>} */
    const counts = {};
    for (const step of steps) {
      const of = step.do === "delete" ? `delete ${step.of}` : "temp" in step ? `new ${step.do}` : "change";
      counts[of] = (counts[of] || 0) + 1;
    }
    return { counts: counts };
  },
  async apply(message) {
    return apply(/** @type {any} */ (message));
  },
  async finish(message) {
    return halfDone(message.way);
  },
};

figma.showUI(__html__, { width: 440, height: 560, themeColors: true });
figma.ui.onmessage = async (/** @type {Json} */ message) => {
  try {
    const result = await ANSWERS[message.kind](message);
    figma.ui.postMessage({ id: message.id, result: result, last: head() });
  } catch (error) {
    const kind = error instanceof Refused ? "refused" : error instanceof HalfDone ? "half done" : "failed";
    figma.ui.postMessage({ id: message.id, error: { kind: kind, message: textOf(error) }, last: head() });
  }
};
