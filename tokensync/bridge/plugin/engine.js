// The part of tokensync that sees the open file. It reads variables as the documents of Figma's REST API, and carries out
// the body of a request to POST /v1/files/KEY/variables. The plugin's code is this file and messages.js.
//
// The plugin API has no transactions. So a request is checked as a whole before the first call (`Check`), becomes a
// list of steps that know what they replace, and is written down in the file (`beginJournal`) before the first of them.
// After a failure the steps are taken back. What a closed tab leaves is found when the plugin runs again (`finish`).

/**
 * @typedef {Record<string, any>} Json
 * @typedef {{do: "collection", temp: string, name: string, mode?: string, parent?: string,
 *   modes?: Record<string, string>, before: string[]}} NewCollection
 * @typedef {{do: "mode", temp: string, collection: string, name: string, before: string[],
 *   following?: [string, string][]}} NewMode
 * @typedef {{do: "variable", temp: string, collection: string, name: string,
 *   type: VariableResolvedDataType}} NewVariable
 * @typedef {{do: "style", temp: string, type: "TEXT" | "EFFECT", name: string, before: string[]}} NewStyle
 * @typedef {{do: "set", of: "collection" | "variable" | "style", id: string, member: string, value: any, was: any,
 *   between?: any[]}} SetMember
 * @typedef {{do: "rename mode", collection: string, id: string, value: string, was: string}} RenameMode
 * @typedef {{do: "value", id: string, mode: string, value: any, was?: any}} SetValue
 * @typedef {{do: "delete", of: "collection" | "variable" | "mode" | "style", id: string, collection: string}} Delete
 * @typedef {NewCollection | NewMode | NewVariable | NewStyle} Creation
 * @typedef {SetMember | RenameMode | SetValue} Setting
 * @typedef {Creation | Setting | Delete} Step
 *
 * The head of the journal. `steps` and `made` are the numbers of its other entries.
 * @typedef {{job: string, state: "writing" | "done" | "taken back", steps: number, made: number}} Head
 * @typedef {{variables: Record<string, Json>, variableCollections: Record<string, Json>, styles?: Record<string, Json>}} Meta
 */

const ALIAS = "VARIABLE_ALIAS";

/** A request that is refused as a whole: nothing was changed. */
class Refused extends Error {}

/** A request of which a part remains in the file. */
class HalfDone extends Error {}

// ---------------------------------------------------------------------------------------------- reading

const OF_VARIABLE = ["id", "name", "key", "variableCollectionId", "resolvedType", "remote", "description"];
const OF_COLLECTION = ["id", "name", "key", "modes", "defaultModeId", "remote", "hiddenFromPublishing", "variableIds"];
const OF_EXTENSION = ["parentVariableCollectionId", "rootVariableCollectionId"];

/** The objects of the file, and the documents of the REST API that describe them. */
class Reading {
  constructor() {
    /** @type {Map<string, Variable>} */
    this.variables = new Map();
    /** @type {Map<string, VariableCollection>} */
    this.collections = new Map();
    /** @type {Map<string, TextStyle | EffectStyle>} Only if they are asked for. */
    this.styles = new Map();
    /** @type {any} What styles.js has found about fonts. */
    this.fonts = undefined;
    /** The ids of local variables and collections. What is deleted can be found by its id, but is not listed. */
    this.listed = new Set();
    /** @type {string[]} Ids that values refer to and the editor does not know. They may exist: nothing is deleted. */
    this.unknown = [];
    this.meta = noMeta();
  }

  describe() {
    for (const collection of Array.from(this.collections.values())) {
      const document = picked(collection, [...OF_COLLECTION, "isExtension"]);
      if (collection.isExtension) {
        Object.assign(document, picked(collection, OF_EXTENSION));
        document.inheritedVariableIds = document.variableIds;
        document.localVariableIds = [];
        document.variableOverrides = mapped(overridesOf(collection), (values) => mapped(values, wire));
      }
      this.meta.variableCollections[collection.id] = this.marked(document);
    }
    for (const variable of Array.from(this.variables.values())) {
      const document = picked(variable, [...OF_VARIABLE, "hiddenFromPublishing", "scopes", "codeSyntax"]);
      document.valuesByMode = mapped(variable.valuesByMode, wire);
      this.meta.variables[variable.id] = this.marked(document);
    }
    if (this.meta.styles !== undefined) describeStyles(this);
  }

  /** @param {Json} document */
  marked(document) {
    if (!document.remote && !this.listed.has(document.id)) document.deletedButReferenced = true;
    return document;
  }
}

/** Read all local variables, and those that they refer to. @param {string[]} [aliases] More ids of variables.
 * @param {boolean | "all"} [withStyles] @returns {Promise<Reading>} */
async function read(aliases = [], withStyles = false) {
  const reading = new Reading();
  for (const collection of await figma.variables.getLocalVariableCollectionsAsync()) reading.collections.set(collection.id, collection);
  for (const variable of await figma.variables.getLocalVariablesAsync()) reading.variables.set(variable.id, variable);
  reading.listed = new Set([...Array.from(reading.collections.keys()), ...Array.from(reading.variables.keys())]);
  const variables = Array.from(reading.variables.values());
  const pending = targets(variables.map((variable) => variable.valuesByMode)).concat(aliases);
  const owners = [];
  if (withStyles) pending.push(...(await addStyles(reading, withStyles)));
  for (const collection of Array.from(reading.collections.values())) {
    if (!collection.isExtension) continue;
    pending.push(...Object.keys(overridesOf(collection)), ...targets(overridesOf(collection)));
    owners.push(...OF_EXTENSION.map((member) => /** @type {any} */ (collection)[member]));
  }
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reading.variables.has(id) || reading.unknown.indexOf(id) >= 0) continue;
    const variable = await figma.variables.getVariableByIdAsync(id);
    if (variable === null) {
      reading.unknown.push(id);
      continue;
    }
    reading.variables.set(variable.id, variable);
    pending.push(...targets(variable.valuesByMode));
    owners.push(variable.variableCollectionId);
  }
  for (const id of owners) {
    const owner = reading.collections.has(id) ? null : await figma.variables.getVariableCollectionByIdAsync(id);
    if (owner !== null) reading.collections.set(id, owner);
  }
  reading.describe(); // after the last wait, so that it shows one moment
  return reading;
}

/** @returns {Meta} Without a prototype, so that no id is a member of all objects. */
const noMeta = () => ({ variables: Object.create(null), variableCollections: Object.create(null) });

/** @param {any} object @param {string[]} members @returns {Json} */
function picked(object, members) {
  /** @type {Json} */
  const result = {};
  for (const member of members) result[member] = object[member];
  return result;
}

/** @param {any} collection @returns {Record<string, Record<string, any>>} */
const overridesOf = (collection) => collection.variableOverrides || {};

const NAMED_EASINGS = ["LINEAR", "EASE_IN", "EASE_OUT", "EASE_IN_AND_OUT", "EASE_IN_BACK", "EASE_OUT_BACK"];
NAMED_EASINGS.push("EASE_IN_AND_OUT_BACK", "GENTLE", "QUICK", "BOUNCY", "SLOW", "HOLD");

/** Whether a value is an easing that the editor plays as it is: without its numbers it would play another one.
 * @param {any} value @returns {boolean} */
function isEasing(value) {
  const { type, easingFunctionCubicBezier: curve, easingFunctionSpring: spring } = value;
  /** @param {any} number @param {number} least @param {number} most */
  const fits = (number, least, most) => typeof number === "number" && number >= least && number <= most;
  if (type === "CUSTOM_SPRING") return spring !== undefined && fits(spring.bounce, 0, 1);
  if (type !== "CUSTOM_CUBIC_BEZIER") return NAMED_EASINGS.indexOf(type) >= 0;
  if (curve === undefined || !fits(curve.x1, 0, 1) || !fits(curve.x2, 0, 1)) return false;
  return [curve.y1, curve.y2].every((y) => fits(Math.fround(y), -3.5e38, 3.5e38));
}

/** The form of a value in the REST API. @param {any} value @returns {any} */
function wire(value) {
  if (typeof value !== "object" || value === null) return value;
  if (value.expressionFunction === "COMPOSE_COLOR") {
    const [color, opacity] = value.expressionArguments; // builds of the editor from before September 2026
    return { color: wire(color), opacity: wire(opacity) };
  }
  if ("color" in value && "opacity" in value) return { color: wire(value.color), opacity: wire(value.opacity) };
  if (value.type === ALIAS) return { type: ALIAS, id: value.id };
  if (NAMED_EASINGS.indexOf(value.type) >= 0) return { type: value.type }; // the editor adds the curve or the spring
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

/** Whether values are the same for the editor, in float32. @param {any} a @param {any} b @returns {boolean} */
function same(a, b) {
  if (typeof a === "number" && typeof b === "number") return Math.fround(a) === Math.fround(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && same(a[name], b[name]));
}

// --------------------------------------------------------------------------------------------- checking

/** @type {Json} The values of new variables. */
const FIRST = { BOOLEAN: false, FLOAT: 0, STRING: "", COLOR: { r: 1, g: 1, b: 1, a: 1 }, TIMING: 0, EASING: {} };
FIRST.EASING = { type: "CUSTOM_CUBIC_BEZIER", easingFunctionCubicBezier: { x1: 0.5, y1: 0, x2: 0.5, y2: 1 } };
const ARRAYS = ["variableCollections", "variableModes", "variables", "variableModeValues", "textStyles", "effectStyles"];
/** @param {Json} body */
const hasStyles = (body) => ARRAYS.slice(4).some((name) => (body[name] || []).length > 0);
const MEMBERS = ["description", "hiddenFromPublishing", "scopes"];
const PLATFORMS = /** @type {CodeSyntaxPlatform[]} */ (["WEB", "ANDROID", "iOS"]);

/** Checks a body against a reading, change by change in the order of the REST API, and lists the steps. */
class Check {
  /** @param {Meta} meta @param {any} [fonts] */
  constructor(meta, fonts) {
    this.meta = noMeta();
    this.meta.styles = Object.create(null);
    this.fonts = fonts;
    for (const member of /** @type {(keyof Meta)[]} */ (["variables", "variableCollections", "styles"])) {
      Object.assign(/** @type {Json} */ (this.meta[member]), JSON.parse(JSON.stringify(meta[member] || {})));
    }
    /** @type {Step[]} */
    this.steps = [];
    /** @type {Delete[]} Those that come last, since nothing brings back an object with its id. */
    this.deletions = [];
    /** @type {Map<string, Delete>} Of modes, by root collection and mode: ids are unique only in its family. */
    this.gone = new Map();
    this.temporary = new Set();
    /** @type {Json} The modes of extensions that come with new modes, in plans of several requests. */
    this.following = {};
    /** @type {Map<string, string>} The ids of variables by collection and name. */
    this.names = new Map();
    /** The ids of variables that the request deletes. */
    this.doomed = new Set();
    for (const id of Object.keys(this.meta.variables)) {
      const variable = this.meta.variables[id];
      if (!variable.deletedButReferenced) this.names.set(`${variable.variableCollectionId} ${variable.name}`, id);
    }
  }

  get collections() {
    return Object.keys(this.meta.variableCollections).map((id) => this.meta.variableCollections[id]);
  }

  /** @param {Json} body @returns {Step[]} */
  run(body) {
    this.following = body.following || {};
    for (const name of ARRAYS) {
      (body[name] || []).forEach((/** @type {Json} */ change, /** @type {number} */ index) => {
        try {
          if (name !== "variableModeValues" && ["CREATE", "UPDATE", "DELETE"].indexOf(change.action) < 0) {
            throw new Refused("action must be CREATE, UPDATE or DELETE");
          }
          /** @type {any} */ (this)[name](change);
        } catch (error) {
          throw error instanceof Refused ? new Refused(`${name}[${index}]: ${error.message}`) : error;
        }
      });
    }
    return [...this.steps, ...this.deletions];
  }

  /** @param {Json} change */
  textStyles(change) {
    checkStyle(this, "TEXT", change);
  }

  /** @param {Json} change */
  effectStyles(change) {
    checkStyle(this, "EFFECT", change);
  }

  /** @param {Json} change @param {string} member @param {number} most */
  text(change, member, most = Infinity) {
    const text = change[member];
    if (typeof text !== "string" || text === "") throw new Refused(`${member} must be a text`);
    if (text.length > most) throw new Refused(`${member} can have at most ${most} characters`);
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
    const own = this.collections.filter((other) => other.parentVariableCollectionId === collection.id);
    return own.concat(...own.map((extension) => this.extensions(extension)));
  }

  /** @param {Json} change */
  variableCollections(change) {
    if (change.action === "CREATE") return this.newCollection(change);
    const collection = this.local(change, "id");
    if (change.action === "DELETE") {
      for (const gone of [collection, ...this.extensions(collection)]) {
        this.deletions.unshift({ do: "delete", of: "collection", id: gone.id, collection: gone.id });
        delete this.meta.variableCollections[gone.id];
        if (!gone.isExtension) for (const id of gone.variableIds) this.doomed.add(id);
      }
      return;
    }
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
    /** @type {Json} */
    const made = { id: temp, name, remote: false, hiddenFromPublishing: false, modes: [], variableIds: [] };
    if (change.parentVariableCollectionId === undefined) {
      const mode = this.claim(change.initialModeId);
      made.modes.push({ modeId: mode, name: "Mode 1" });
      this.steps.push({ do: "collection", temp, name, mode, before });
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
      Object.assign(made, { isExtension: true, variableOverrides: {}, parentVariableCollectionId: parent.id });
      this.steps.push({ do: "collection", temp, name, parent: parent.id, modes, before });
    }
    this.meta.variableCollections[temp] = made;
    if (change.hiddenFromPublishing) this.set("collection", made, "hiddenFromPublishing", true);
  }

  /** @param {"collection" | "variable" | "style"} of @param {Json} document @param {string} member @param {any} value @param {any[]} [between] */
  set(of, document, member, value, between) {
    const was = document[member];
    document[member] = value;
    if (!same(was, value)) this.steps.push({ do: "set", of, id: document.id, member, value, was, between });
  }

  /** @param {Json} change */
  variableModes(change) {
    let collection;
    if (change.action === "DELETE" && change.variableCollectionId === undefined) {
      const having = this.collections.filter((owner) => !owner.remote && modeOf(owner, change.id) !== undefined);
      if (having.length !== 1) throw new Refused(`mode ${change.id} is in ${having.length} collections`);
      collection = having[0];
    } else {
      collection = this.local(change, "variableCollectionId");
    }
    if (collection.isExtension) throw new Refused("modes of an extended collection follow those of its parent");
    if (change.action === "CREATE") {
      const name = this.text(change, "name", 40);
      if (collection.modes.length >= 40) throw new Refused("a collection can have at most 40 modes");
      const temp = this.claim(change.id);
      const before = collection.modes.map((/** @type {Json} */ mode) => mode.modeId);
      collection.modes.push({ modeId: temp, name });
      /** @type {[string, string][]} */
      const following = this.following[temp] || [];
      for (const [extension, own] of following) {
        const owner = this.meta.variableCollections[extension]; // none if the request deletes it
        if (owner !== undefined) owner.modes.push({ modeId: own, name, parentModeId: temp });
      }
      this.steps.push({ do: "mode", temp, collection: collection.id, name, before, following });
      return;
    }
    const id = this.text(change, "id");
    const mode = modeOf(collection, id);
    if (mode === undefined) throw new Refused(`mode ${id} is not in collection ${collection.id}`);
    if (change.action === "DELETE") {
      if (collection.modes.length === 1) throw new Refused("the last mode of a collection cannot be deleted");
      /** @type {Delete} */
      const deletion = { do: "delete", of: "mode", id, collection: collection.id };
      const gone = new Set([id]);
      for (const owner of [collection, ...this.extensions(collection)]) {
        for (const mode of owner.modes) if (gone.has(mode.parentModeId)) gone.add(mode.modeId);
        owner.modes = owner.modes.filter((/** @type {Json} */ mode) => !gone.has(mode.modeId));
      }
      for (const mode of Array.from(gone)) this.gone.set(`${collection.id} ${mode}`, deletion);
      this.deletions.push(deletion);
    } else if ("name" in change && change.name !== mode.name) {
      const value = this.text(change, "name", 40);
      this.steps.push({ do: "rename mode", collection: collection.id, id, value, was: mode.name });
      mode.name = value;
    }
  }

  /** @param {Json} change @param {string} member @returns {Json} */
  known(change, member) {
    const id = this.text(change, member);
    const variable = this.meta.variables[id];
    if (variable === undefined || this.doomed.has(id)) throw new Refused(`variable ${id} not found`);
    return variable;
  }

  /** @param {Json} change */
  variables(change) {
    if (change.action === "CREATE") return this.newVariable(change);
    const variable = this.known(change, "id");
    if (variable.remote) throw new Refused(`variable ${variable.id} is of a library, whose file alone can change it`);
    if (change.action === "DELETE") {
      this.doomed.add(variable.id);
      const collection = variable.variableCollectionId;
      this.deletions.push({ do: "delete", of: "variable", id: variable.id, collection });
      return;
    }
    if ("name" in change && change.name !== variable.name) {
      const name = this.freeName(change, variable.variableCollectionId, variable.id);
      this.names.delete(`${variable.variableCollectionId} ${variable.name}`);
      this.set("variable", variable, "name", name);
    }
    this.members(change, variable);
  }

  /** @param {Json} change @param {Json} variable */
  members(change, variable) {
    const isMotion = variable.resolvedType === "TIMING" || variable.resolvedType === "EASING";
    if (isMotion && "scopes" in change) throw new Refused(`a ${variable.resolvedType} variable has no scopes`);
    for (const member of MEMBERS) if (member in change) this.set("variable", variable, member, change[member]);
    if (!("codeSyntax" in change)) return;
    for (const platform of PLATFORMS) {
      const [was, value] = [variable.codeSyntax[platform], change.codeSyntax[platform]].map((text) => text || null);
      if (was === value) continue;
      this.steps.push({ do: "set", of: "variable", id: variable.id, member: `codeSyntax.${platform}`, value, was });
    }
    variable.codeSyntax = change.codeSyntax;
  }

  /** Take a name that is free at this point. One that a deleted variable holds until the end is made free.
   * @param {Json} change @param {string} collection @param {string} id */
  freeName(change, collection, id) {
    const name = this.text(change, "name");
    if (/[.{}]/.test(name)) throw new Refused(`the name ${name} has one of the characters . { }`);
    const holder = this.names.get(`${collection} ${name}`);
    if (holder !== undefined) {
      if (!this.doomed.has(holder)) throw new Refused(`a variable named ${name} exists already in this collection`);
      this.set("variable", this.meta.variables[holder], "name", `${name} (deleted ${this.steps.length})`);
    }
    this.names.set(`${collection} ${name}`, id);
    return name;
  }

  /** @param {Json} change */
  newVariable(change) {
    const collection = this.local(change, "variableCollectionId");
    if (collection.isExtension) throw new Refused("variables cannot be created in an extended collection");
    const type = this.text(change, "resolvedType");
    if (!(type in FIRST)) throw new Refused(`resolvedType must be one of ${Object.keys(FIRST).join(", ")}`);
    if (collection.variableIds.length >= 5000) throw new Refused("a collection can have at most 5000 variables");
    const temp = this.claim(change.id);
    const name = this.freeName(change, collection.id, temp);
    collection.variableIds.push(temp);
    /** @type {Json} */
    const variable = { id: temp, name, variableCollectionId: collection.id, resolvedType: type, valuesByMode: {} };
    Object.assign(variable, { remote: false, description: "", hiddenFromPublishing: false, codeSyntax: {} });
    variable.scopes = ["ALL_SCOPES"];
    this.meta.variables[temp] = variable;
    this.steps.push({ do: "variable", temp, collection: collection.id, name, type: /** @type {any} */ (type) });
    this.members(change, variable);
  }

  /** @param {Json} change */
  variableModeValues(change) {
    const variable = this.known(change, "variableId");
    const mode = this.text(change, "modeId");
    const value = change.value;
    if (value === undefined) throw new Refused("value is required");
    const collection = this.collectionWith(variable, mode);
    const isOverride = collection.isExtension === true;
    if (value === null && !isOverride) throw new Refused("null removes an override, and this mode has none");
    if (!isOverride && variable.remote) throw new Refused(`variable ${variable.id} is of a library`);
    if (value !== null) this.refuseValue(variable, value);
    if (isOverride && !(variable.id in collection.variableOverrides)) collection.variableOverrides[variable.id] = {};
    const values = isOverride ? collection.variableOverrides[variable.id] : variable.valuesByMode;
    const was = values[mode] === undefined && isOverride ? null : values[mode];
    values[mode] = value === null ? undefined : wire(value);
    if (!same(was, wire(value))) this.steps.push({ do: "value", id: variable.id, mode, value: wire(value), was });
  }

  /** @param {Json} variable @param {string} mode @returns {Json} */
  collectionWith(variable, mode) {
    const own = this.meta.variableCollections[variable.variableCollectionId];
    const candidates = own === undefined ? [] : [own, ...this.extensions(own)];
    const found = candidates.find((candidate) => modeOf(candidate, mode) !== undefined);
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
    if (!this.leads(value, variable.id, this.deletions)) return;
    if (this.leads(value, variable.id, [])) throw new Refused("aliases form a cycle");
    // The editor looks for cycles at each call, and so in modes, too, that go at the end: those that close one go first.
    /** @type {Delete[]} */
    const late = [];
    for (const deletion of this.deletions) {
      (this.leads(value, variable.id, [...late, deletion]) ? this.steps : late).push(deletion);
    }
    this.deletions = late;
  }

  /** Whether the aliases of a value lead to a variable. Of deleted modes, only those of late deletions count.
   * @param {any} value @param {string} end @param {Delete[]} late */
  leads(value, end, late) {
    const seen = new Set();
    const pending = targets(value);
    for (const id of pending) {
      if (id === end) return true;
      if (seen.has(id) || !(id in this.meta.variables)) continue;
      seen.add(id);
      const { variableCollectionId: root, valuesByMode } = this.meta.variables[id];
      for (const values of [valuesByMode, ...this.collections.map((owner) => overridesOf(owner)[id] || {})]) {
        for (const mode of Object.keys(values)) {
          const deletion = this.gone.get(`${root} ${mode}`);
          if (!deletion || late.indexOf(deletion) >= 0) pending.push(...targets(values[mode]));
        }
      }
    }
    return false;
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
      ((type === "FLOAT" || type === "TIMING") && kind === "number" && isFinite(Math.fround(part))) ||
      (type === "EASING" && kind === "object" && isEasing(part)) ||
      (type === "COLOR" && kind === "object" && channels.every((channel) => channel >= 0 && channel <= 1));
    if (!fits) throw new Refused(`the value does not match the type ${type}`);
  }
}

/** @param {any} collection @param {string} id @returns {any} */
const modeOf = (collection, id) => collection.modes.find((/** @type {Json} */ mode) => mode.modeId === id);

// ---------------------------------------------------------------------------------------------- writing

/** The steps of one request, on the objects of a reading, with the real ids of what it has made. */
class Work {
  /** @param {Reading} reading @param {Step[]} steps @param {Map<string, string>} made */
  constructor(reading, steps, made) {
    this.reading = reading;
    this.steps = steps;
    this.made = made;
    /** Deletions that were carried out before their time. */
    this.early = new Set();
    /** @type {Map<string, [string, string]>} The extension of a mode that came with another mode, and that one. */
    this.derived = new Map();
    for (const step of steps) {
      if (step.do !== "mode") continue;
      for (const [extension, own] of step.following || []) this.derived.set(own, [extension, step.temp]);
    }
  }

  /** @param {string} id @returns {string} */
  real(id) {
    const derived = this.derived.get(id); // an id as in the REST API, whose answers do not contain it either
    return derived === undefined ? this.made.get(id) || id : derived.map((part) => this.real(part)).join("/");
  }

  /** @param {any} value @returns {any} */
  resolved(value) {
    if (typeof value !== "object" || value === null) return value;
    if (value.type === ALIAS) return { type: ALIAS, id: this.real(value.id) };
    if (Array.isArray(value)) return value.map((part) => this.resolved(part));
    return mapped(value, (part) => this.resolved(part));
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

  /** @param {string} id @returns {TextStyle | EffectStyle} */
  style(id) {
    const style = this.reading.styles.get(this.real(id));
    if (style === undefined) throw new Error(`style ${id} not found`);
    return style;
  }

  /** @param {{of: string, id: string}} step */
  object(step) {
    if (step.of === "style") return this.style(step.id);
    return step.of === "variable" ? this.variable(step.id) : this.collection(step.id);
  }

  /** Carry out a step, and record what it makes. @param {Step} step */
  forward(step) {
    const known = this.made.size;
    if (step.do === "collection") {
      const extended = step.parent === undefined ? null : this.collection(step.parent).extend(step.name);
      this.keep(step, /** @type {any} */ (extended) || figma.variables.createVariableCollection(step.name));
    } else if (step.do === "mode") {
      this.made.set(step.temp, this.addMode(step));
    } else if (step.do === "variable") {
      const variable = figma.variables.createVariable(step.name, this.collection(step.collection), step.type);
      this.made.set(step.temp, variable.id);
      this.reading.variables.set(variable.id, variable);
    } else if (step.do === "style") {
      makeStyle(this, step);
    } else if (step.do !== "delete") {
      this.set(step, step.value);
    } else if (step.of === "mode") {
      if (!this.early.has(step)) this.collection(step.collection).removeMode(this.real(step.id));
    } else {
      this.object(step).remove();
    }
    recordMade(this.made, known);
  }

  /** Add a mode. At the limit of the plan, modes that the request deletes go first, if that makes room for all new ones.
   * @param {NewMode} step */
  addMode(step) {
    const collection = this.collection(step.collection);
    try {
      return collection.addMode(step.name);
    } catch (error) {
      const limit = /Limited to (\d+) modes/.exec(textOf(error));
      const missing = this.steps.filter((other) => other.do === "mode" && !this.made.has(other.temp));
      const owners = /** @type {NewMode[]} */ (missing).map((addition) => addition.collection);
      if (limit === null || !owners.every((owner) => this.hasRoom(owner, owners, Number(limit[1])))) throw error;
      for (const deletion of this.doomedModes(step.collection)) {
        this.forward(deletion);
        this.early.add(deletion);
      }
      return collection.addMode(step.name);
    }
  }

  /** Whether all new modes of a collection fit without those that the request deletes. `owners` has it once for each.
   * @param {string} owner @param {string[]} owners @param {number} most */
  hasRoom(owner, owners, most) {
    const count = this.collection(owner).modes.length;
    const added = owners.filter((name) => name === owner).length;
    const deleted = this.doomedModes(owner).length;
    return count + added <= most || (deleted < count && count - deleted + added <= most);
  }

  /** @param {string} owner @returns {Step[]} The deletions of modes of a collection that are still to be done. */
  doomedModes(owner) {
    return this.steps.filter(
      (deletion) => deletion.do === "delete" && deletion.of === "mode" && deletion.collection === owner && this.exists(deletion),
    );
  }

  /** Record a new collection and its first modes. @param {NewCollection} step @param {VariableCollection} collection */
  keep(step, collection) {
    this.made.set(step.temp, collection.id);
    this.reading.collections.set(collection.id, collection);
    if (step.mode !== undefined) this.made.set(step.mode, collection.modes[0].modeId);
    const modes = /** @type {{modeId: string, parentModeId?: string}[]} */ (collection.modes);
    const inherited = step.modes || {};
    for (const parent of Object.keys(inherited)) {
      const mode = modes.find((child) => child.parentModeId === this.real(parent));
      if (mode !== undefined) this.made.set(inherited[parent], mode.modeId);
    }
  }

  /** @param {Setting} step @param {any} value */
  set(step, value) {
    if (step.do === "set") this.setMember(step, value);
    else if (step.do === "rename mode") this.collection(step.collection).renameMode(this.real(step.id), value);
    else if (value === null) this.variable(step.id).removeOverrideForMode(this.real(step.mode));
    else this.variable(step.id).setValueForMode(this.real(step.mode), this.resolved(value));
  }

  /** @param {SetMember} step @param {any} value */
  setMember(step, value) {
    if (step.of === "style") return setStyle(this, step, value);
    const object = this.object(step);
    const platform = /** @type {CodeSyntaxPlatform} */ (step.member.split(".")[1]);
    if (platform === undefined) /** @type {any} */ (object)[step.member] = value;
    else if (value !== null) /** @type {Variable} */ (object).setVariableCodeSyntax(platform, value);
    else if (this.present(step) !== null) /** @type {Variable} */ (object).removeVariableCodeSyntax(platform);
  }

  /** What a step finds of what it sets; undefined if its object is gone. @param {Setting} step @returns {any} */
  present(step) {
    try {
      if (step.do === "set" && step.of === "style") return presentOf(this, step);
      if (step.do === "set") {
        const object = /** @type {any} */ (this.object(step));
        const [member, platform] = step.member.split(".");
        return platform === undefined ? object[member] : object[member][platform] || null;
      }
      if (step.do === "rename mode") return modeOf(this.collection(step.collection), this.real(step.id)).name;
      const mode = this.real(step.mode);
      const variable = this.variable(step.id);
      const collections = Array.from(this.reading.collections.values());
      const extension = collections.find((owner) => owner.isExtension && modeOf(owner, mode) !== undefined);
      if (extension === undefined) return wire(variable.valuesByMode[mode]);
      const overrides = overridesOf(extension)[variable.id] || {};
      return mode in overrides ? wire(overrides[mode]) : null;
    } catch (error) {
      return undefined;
    }
  }

  /** Whether a value is one that the request has found or set: it may set a thing twice, as to swap two names.
   * @param {Setting} step @param {any} present */
  isKnown(step, present) {
    const { id, mode, member } = /** @type {Json} */ (step);
    return this.steps.some((/** @type {Json} */ other) => {
      if (other.do !== step.do || other.id !== id || other.mode !== mode || other.member !== member) return false;
      return same(present, this.resolved(other.value)) || same(present, this.resolved(other.was));
    });
  }

  /** Whether what a step deletes still exists. @param {Delete} step */
  exists(step) {
    if (step.of === "style") return this.reading.styles.has(this.real(step.id));
    const id = this.real(step.of === "variable" ? step.id : step.collection);
    if (!this.reading.listed.has(id)) return false;
    return step.of !== "mode" || modeOf(this.collection(id), this.real(step.id)) !== undefined;
  }

  /** Whether somebody has changed what a step has made: then it is not removed. @param {Creation} step */
  isTouched(step) {
    if (step.do === "style") return isTouchedStyle(this, step);
    const id = this.real(step.temp);
    const collection = this.reading.collections.get(id); // without the variables that the request has made
    if (collection !== undefined && !collection.isExtension) return collection.variableIds.length > 0;
    const variable = this.reading.variables.get(id);
    if (step.do !== "variable" || variable === undefined) return false;
    const own = /** @type {Json[]} */ (this.steps.filter((setting) => "id" in setting && setting.id === step.temp));
    const values = mapped(variable.valuesByMode, wire);
    const areOurs = Object.keys(values).every((mode) => {
      const set = own.filter((setting) => setting.do === "value" && this.real(setting.mode) === mode);
      const known = [FIRST[step.type], ...set.map((setting) => this.resolved(setting.value))];
      return known.some((value) => same(value, values[mode]));
    });
    const texts = [step.name, "", ...own.map((setting) => setting.value)];
    return !areOurs || texts.indexOf(variable.name) < 0 || texts.indexOf(variable.description) < 0;
  }

  /** Remove what a step has made, if it exists. @param {Creation} step */
  remove(step) {
    const id = this.made.get(step.temp) || "";
    const owner = step.do === "mode" ? this.reading.collections.get(this.real(step.collection)) : undefined;
    const { variables, collections, styles } = this.reading;
    const objects = step.do === "variable" ? variables : step.do === "style" ? styles : collections;
    const object = objects.get(id);
    if (object !== undefined) {
      object.remove();
      objects.delete(id);
    } else if (owner !== undefined && modeOf(owner, id) !== undefined) {
      owner.removeMode(id);
    }
  }

  /** Whether another variable has the name that a variable had before, such as one that the request has made and somebody
   * has changed since. @param {SetMember} step */
  isNameTaken(step) {
    if (step.of !== "variable" || step.member !== "name") return false;
    const variable = this.variable(step.id);
    return Array.from(this.reading.variables.values()).some(
      (other) =>
        this.reading.listed.has(other.id) &&
        other.id !== variable.id &&
        other.variableCollectionId === variable.variableCollectionId &&
        other.name === step.was,
    );
  }

  /** Find what a call has made before the plugin ended, or the call failed: its id is recorded nowhere. */
  adopt() {
    const step = this.steps.find((creation) => "temp" in creation && !this.made.has(creation.temp));
    if (step === undefined || !("temp" in step)) return;
    const count = this.made.size;
    if (step.do === "style") {
      adoptStyle(this, step);
      return recordMade(this.made, count);
    }
    // A variable's name was free, or a step before renames the variable that has it.
    const names = this.steps.filter((setting) => setting.do === "set" && setting.member === "name");
    const others = "before" in step ? step.before : names.map((setting) => /** @type {SetMember} */ (setting).id);
    const known = new Set([...others.map((id) => this.real(id)), ...Array.from(this.made.values())]);
    const owner = step.do === "collection" ? undefined : this.reading.collections.get(this.real(step.collection));
    if (step.do === "mode") {
      const modes = owner === undefined ? [] : owner.modes;
      const mode = modes.find((candidate) => candidate.name === step.name && !known.has(candidate.modeId));
      if (mode !== undefined) this.made.set(step.temp, mode.modeId);
      return recordMade(this.made, count);
    }
    for (const id of Array.from(this.reading.listed)) {
      const object = /** @type {any} */ (this.reading.variables.get(id) || this.reading.collections.get(id));
      if (this.made.has(step.temp) || object.name !== step.name || known.has(id)) continue;
      if (step.do === "collection" && object.modes) this.keep(step, object);
      if (step.do !== "variable" || owner === undefined || object.variableCollectionId !== owner.id) continue;
      if (object.resolvedType === step.type) this.made.set(step.temp, id);
    }
    recordMade(this.made, count);
  }

  /** Whether the variables that members of a style are bound to are in the file. @param {any} value */
  hasTargets(value) {
    return targets(this.resolved(value)).every((id) => this.reading.variables.has(id));
  }

  /** Whether what a step needs is in the file, or somebody has deleted it since. @param {Creation | Setting} step */
  isPossible(step) {
    const { id, mode, collection, parent } = /** @type {Json} */ (step);
    const { meta, collections, variables, styles } = this.reading;
    if (step.do === "set" && step.of === "style" && !this.hasTargets(step.value)) return false;
    const isRenaming = step.do === "rename mode";
    const modes = [isRenaming ? id : step.do === "value" ? mode : undefined];
    const objects = [isRenaming ? undefined : id, collection, parent];
    const owners = Array.from(collections.values());
    return (
      modes.every((mode) => mode === undefined || owners.some((owner) => modeOf(owner, this.real(mode)) !== undefined)) &&
      objects.map((object) => object && this.real(object)).every((object) => {
        const document = meta.variables[object] || meta.variableCollections[object] || {};
        const exists = variables.has(object) || collections.has(object) || styles.has(object);
        return object === undefined || (exists && !document.deletedButReferenced);
      })
    );
  }

  /** Take all steps back, the last one first, and return what stays because somebody has changed it.
   * @param {boolean} isOwn Whether nobody can have changed anything: the steps were carried out a moment ago. */
  takeBack(isOwn) {
    if (this.steps.some((step) => step.do === "delete" && !this.exists(step))) {
      throw new Refused("objects are deleted already, and no plugin brings them back; complete the request instead");
    }
    /** @type {string[]} */
    const left = [];
    for (const step of this.steps.slice().reverse()) {
      if ("temp" in step) {
        if (!(isOwn && step.do === "style") && this.isTouched(step)) left.push(`${step.name}, which the request has made`);
        else this.remove(step);
      } else if (step.do !== "delete" && step.was !== undefined && !this.made.has(step.id)) {
        const present = this.present(step);
        const isOurs = isOwn ? !same(present, step.was) : same(present, this.resolved(step.value)) || isHalf(step, present);
        if (present === undefined || (step.do === "value" && this.made.has(step.mode))) continue;
        const isPossible = step.do !== "set" || (step.of === "style" ? this.hasTargets(step.was) : !this.isNameTaken(step));
        if (isOurs && isPossible) this.set(step, step.was);
        else if (isOurs || !this.isKnown(step, present)) left.push(described(step));
      }
    }
    return left;
  }

  /** Carry out the steps that are missing, and return what stays because somebody has changed it. */
  complete() {
    /** @type {string[]} */
    const left = [];
    for (const step of this.steps) {
      if (step.do === "delete") {
        if (this.exists(step)) this.forward(step);
      } else if ("temp" in step && this.made.has(step.temp)) {
        continue;
      } else if (!this.isPossible(step)) {
        const isDeleted = this.steps.some((other) => other.do === "delete" && "id" in step && other.id === step.id);
        if (!isDeleted) left.push(described(step));
      } else if ("temp" in step) {
        this.forward(step);
      } else {
        const present = this.present(step);
        if (same(present, this.resolved(step.value))) continue;
        if (step.was === undefined || same(present, this.resolved(step.was)) || isHalf(step, present)) this.forward(step);
        else if (!this.isKnown(step, present)) left.push(described(step));
      }
    }
    return left;
  }
}

/** Whether a step of a style has begun and not ended. @param {Setting} step @param {any} present */
const isHalf = (step, present) => step.do === "set" && step.of === "style" && isBetween(step, present);

/** @param {Json} step */
function described(step) {
  return [step.do, step.member, step.id || step.name, step.mode].filter((part) => part !== undefined).join(" ");
}

/**
 * Carry out a request. Everything between the comparison with what was reviewed and the last call is synchronous, so no
 * edit comes in between.
 * @param {{job: string, body: Json, expected?: string, styles?: boolean}} job
 * @returns {Promise<{made: [string, string][]}>}
 */
async function apply(job) {
  refuseHalfDone();
  let reading = await read([], job.styles || hasStyles(job.body));
  if (hasStyles(job.body)) reading = await withFonts(reading, job.body);
  if (job.expected !== undefined && job.expected !== digest(JSON.stringify(reading.meta))) {
    throw new Refused("somebody changed the file since tokensync read it; make a new plan");
  }
  return carryOut(job.job, reading, [job.body]);
}

/**
 * Carry out one or more requests as one, at once.
 * @param {string} id @param {Reading} reading @param {Json[]} bodies
 * @returns {Promise<{made: [string, string][]}>}
 */
async function carryOut(id, reading, bodies) {
  const check = new Check(reading.meta, reading.fonts);
  const [steps] = bodies.map((body) => check.run(body)).slice(-1);
  const work = new Work(reading, steps, new Map());
  undoPoint(); // so that the editor's own undo takes back this request as a whole
  try {
    beginJournal(id, steps);
    for (const step of steps) work.forward(step);
  } catch (error) {
    const begun = head();
    if (begun !== null && begun.state === "writing") await takeBackNow(textOf(error));
    throw new Refused(textOf(error));
  }
  try {
    endJournal("done");
  } catch (error) {
    const ended = head(); // only entries that nobody reads any more are left if it says so
    if (ended === null || ended.state === "writing") {
      throw new HalfDone(`${textOf(error)}; the request is carried out, but the file does not say so`);
    }
  }
  undoPoint();
  return { made: asked(work.made) };
}

/** Begin a step of the editor's undo, where there is one: nothing depends on it. */
function undoPoint() {
  try {
    figma.commitUndo();
  } catch (error) {
    console.log(`no undo step: ${textOf(error)}`);
  }
}

/** The ids of the objects that a request has named. @param {Map<string, string>} made @returns {[string, string][]} */
function asked(made) {
  return Array.from(made).filter((pair) => !/^new \d+$/.test(pair[0]));
}

/** Take back what a failed request has done. @param {string} why */
async function takeBackNow(why) {
  try {
    const { left } = await finish("take back", true);
    if (left.length > 0) throw new Error(`this could not be restored: ${left.join(", ")}`);
  } catch (error) {
    throw new HalfDone(`${why}; a part of the request remains, because ${textOf(error)}`);
  }
}

/** @param {unknown} error */
function textOf(error) {
  return error instanceof Error ? error.message : String(error);
}

// ---------------------------------------------------------------------------------------------- journal

// The journal is in the document, not in `clientStorage`: it is saved and shared with the very changes that it is
// about, so both survive a closed tab or neither does, and another editor's tokensync finds it, too. An entry has at
// most 100 kB.
const SPACE = "tokensync";
const CHUNK = 90000;
const IDS = 25; // few, since an entry is written again for each of its ids

/** @returns {Head | null} */
function head() {
  const text = figma.root.getSharedPluginData(SPACE, "apply");
  return text === "" ? null : JSON.parse(text);
}

/** A character in a JSON text, in ASCII. @param {string} unit */
const escaped = (unit) => `\\u${`000${unit.charCodeAt(0).toString(16)}`.slice(-4)}`;

/** @param {string} job @param {Step[]} steps */
function beginJournal(job, steps) {
  // In ASCII, so that a character is a byte and no pair of surrogates is cut.
  const text = JSON.stringify(steps).replace(/[^\x00-\x7f]/g, escaped);
  let count = 0;
  for (let start = 0; start < text.length; count += 1) {
    figma.root.setSharedPluginData(SPACE, `steps.${count}`, text.slice(start, start + CHUNK));
    start += CHUNK;
  }
  const old = head();
  for (let index = 0; old !== null && index < old.made; index += 1) {
    figma.root.setSharedPluginData(SPACE, `made.${index}`, "");
  }
  figma.root.setSharedPluginData(SPACE, "apply", JSON.stringify({ job: job, state: "writing", steps: count, made: 0 }));
}

/** Write down the ids after those that are known. @param {Map<string, string>} made @param {number} known */
function recordMade(made, known) {
  const pairs = made.size > known ? Array.from(made) : [];
  for (let index = Math.floor(known / IDS); index * IDS < pairs.length; index += 1) {
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
 * @param {boolean} isOwn Whether it is of this run, so that nobody can have changed anything.
 */
async function finish(way, isOwn) {
  const last = head();
  if (last === null || last.state !== "writing") throw new Refused("no request is half done in this file");
  let text = "";
  for (let index = 0; index < last.steps; index += 1) text += figma.root.getSharedPluginData(SPACE, `steps.${index}`);
  const steps = /** @type {Step[]} */ (JSON.parse(text));
  const isOfStyles = steps.some((/** @type {Json} */ step) => step.do === "style" || step.of === "style");
  if (isOfStyles && typeof addStyles === "undefined") throw new Refused("it is of styles; run the plugin to decide");
  // A variable of a library of which the request has removed the only override is found by its id alone.
  const ids = steps.filter((step) => step.do === "value").map((step) => /** @type {SetValue} */ (step).id);
  const reading = await read(ids, isOfStyles && "all");
  if (isOfStyles) await loadFonts(reading, steps, true);
  const work = new Work(isOfStyles ? await read(ids, "all") : reading, steps, recorded());
  work.adopt();
  const left = way === "complete" ? work.complete() : work.takeBack(isOwn);
  endJournal(way === "complete" ? "done" : "taken back");
  undoPoint();
  return { left };
}
