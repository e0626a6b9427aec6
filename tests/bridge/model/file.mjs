// The state of a file that is open in a model of Figma's editor: the REST API's documents, what other editors do to them,
// and faults. figma.mjs is the plugin API on it.

/**
 * @typedef {{
 *   id: string, name: string, key: string, variableCollectionId: string, resolvedType: VariableResolvedDataType,
 *   valuesByMode: Record<string, any>, remote: boolean, description: string, hiddenFromPublishing: boolean,
 *   scopes: VariableScope[], codeSyntax: Record<string, string>, deletedButReferenced?: boolean
 * }} VariableDocument
 * @typedef {{modeId: string, name: string, parentModeId?: string}} ModeDocument
 * @typedef {{
 *   id: string, name: string, key: string, modes: ModeDocument[], defaultModeId: string, remote: boolean,
 *   hiddenFromPublishing: boolean, variableIds: string[], isExtension?: boolean, parentVariableCollectionId?: string,
 *   rootVariableCollectionId?: string, inheritedVariableIds?: string[], localVariableIds?: string[],
 *   variableOverrides?: Record<string, Record<string, any>>, deletedButReferenced?: boolean
 * }} CollectionDocument
 * @typedef {{variables: Record<string, VariableDocument>, variableCollections: Record<string, CollectionDocument>}} Meta
 * @typedef {Record<string, any> & {id: string, key: string, name: string, description: string}} StyleDocument
 * @typedef {{
 *   key?: string, name?: string, meta: Meta, text?: StyleDocument[], effects?: StyleDocument[],
 *   published?: string[], data?: Record<string, string>, storage?: Record<string, any>, last?: number
 * }} State
 *
 * A fault happens at the `nth` call (from 1) of those named `call` that write: the plugin is closed, the call throws, or
 * an editor changes the file. `after` is true if the call has its effect first.
 * @typedef {{call?: string, nth: number, does: "close" | "throw" | "edit", after?: boolean, message?: string,
 *   edits?: Edit[]}} Fault
 *
 * What another editor does. Objects are named by their id or name.
 * @typedef {{does: "set" | "rename" | "delete" | "create" | "describe", variable: string, mode?: string, value?: any,
 *   collection?: string}} VariableEdit
 * @typedef {VariableEdit | {does: "restyle" | "unstyle", style: string, member?: string, value?: any}} Edit
 */

export const DEFAULTS = {
  /** The most modes of a collection on the file's plan: 1 on Starter, 10 or 20 above, 40 on Enterprise. */
  modes: 40,
  /** Whether collections can be extended. */
  enterprise: true,
  /** Whether `triggerUndo` takes back everything since `commitUndo`. */
  undo: true,
  /** Whether ids grow with each object. If not, no order can be read from them. */
  ordered: true,
  /** The form of composed colours in answers: as they are written, or that of older builds of the editor. */
  composed: /** @type {"object" | "expression"} */ ("object"),
  /** Whether the plugin may see the key of the file. */
  fileKey: true,
  /** The fonts of the editor, by family, and those of them that cannot be loaded. */
  fonts: /** @type {Record<string, string[]>} */ ({
    Inter: ["Regular", "Italic", "Medium", "Semi Bold", "Bold", "Bold Italic"],
    Fraunces: ["Regular", "SemiBold", "Bold"],
    "Source Sans 3": ["Regular", "Medium", "SemiBold", "Bold"],
    Bitter: ["Regular", "Medium", "SemiBold", "Bold"],
  }),
  unloadable: /** @type {string[]} */ ([]),
};

export const ALIAS = "VARIABLE_ALIAS";
/** @type {Record<string, any>} */
const FIRST_VALUES = {
  BOOLEAN: false,
  FLOAT: 0,
  STRING: "",
  COLOR: { r: 1, g: 1, b: 1, a: 1 },
  TIMING: 0,
  EASING: { type: "CUSTOM_CUBIC_BEZIER", easingFunctionCubicBezier: { x1: 0.5, y1: 0, x2: 0.5, y2: 1 } },
};
export const MOTION = ["TIMING", "EASING"];

/** The curves and springs of named easings, which the editor answers with them. @type {Record<string, number[]>} */
const NAMED = {
  LINEAR: [0, 0, 1, 1],
  EASE_IN: [0.42, 0, 1, 1],
  EASE_OUT: [0, 0, 0.58, 1],
  EASE_IN_AND_OUT: [0.42, 0, 0.58, 1],
  EASE_IN_BACK: [0.3, -0.05, 0.7, -0.5],
  EASE_OUT_BACK: [0.45, 1.45, 0.8, 1],
  EASE_IN_AND_OUT_BACK: [0.7, -0.4, 0.4, 1.4],
  GENTLE: [0.25],
  QUICK: [1 - 20 / (2 * Math.sqrt(300))],
  BOUNCY: [1 - 15 / (2 * Math.sqrt(600))],
  SLOW: [0],
  HOLD: [],
};

/** An easing as the editor answers it. @param {any} value */
export function withNumbers(value) {
  const [x1, y1, x2, y2] = (NAMED[value.type] || []).map(Math.fround);
  if (y2 !== undefined) return { type: value.type, easingFunctionCubicBezier: { x1, y1, x2, y2 } };
  return x1 === undefined ? value : { type: value.type, easingFunctionSpring: { bounce: x1 } };
}

/** Whether a value is a MotionEasing. @param {any} value */
export function isEasing(value) {
  if (value === null || typeof value !== "object") return false;
  const { type, easingFunctionCubicBezier: curve, easingFunctionSpring: spring } = value;
  if (type === "CUSTOM_CUBIC_BEZIER") return [curve?.x1, curve?.x2].every((x) => x >= 0 && x <= 1);
  return type === "CUSTOM_SPRING" ? spring?.bounce >= 0 && spring.bounce <= 1 : type in NAMED;
}

export const TYPES = Object.keys(FIRST_VALUES);

/** @template Value @param {Value} value JSON. @returns {Value} */
export const copy = (value) => JSON.parse(JSON.stringify(value));

/** What a call meets after the plugin is closed: no code of the plugin runs any more. */
export class Closed extends Error {}

/** A file that is open in the editor. */
export class OpenFile {
  /**
   * @param {State} state
   * @param {Partial<typeof DEFAULTS>} options
   * @param {Fault[]} faults
   */
  constructor(state, options = {}, faults = []) {
    this.options = { ...DEFAULTS, ...options };
    this.faults = faults;
    this.closed = false;
    /** @type {Map<Fault, number>} */
    this.counts = new Map();
    this.calls = 0;
    this.key = state.key || "";
    this.name = state.name || "Design";
    this.last = state.last || 9000;
    /** The ids of published variables and collections. */
    this.published = state.published || [];
    /** @type {{meta: Meta, text: StyleDocument[], effects: StyleDocument[], data: Record<string, string>}} */
    this.now = copy({
      meta: state.meta,
      text: state.text || [],
      effects: state.effects || [],
      data: state.data || {},
    });
    this.committed = copy(this.now);
    /** The fonts that the plugin has loaded: "Inter Bold". @type {Set<string>} */
    this.loaded = new Set();
    /** @type {Record<string, any>} */
    this.storage = state.storage || {};
  }

  /** @returns {State} */
  state() {
    return { key: this.key, name: this.name, ...copy(this.now), storage: this.storage, last: this.last, published: this.published };
  }

  get variables() {
    return this.now.meta.variables;
  }

  get collections() {
    return this.now.meta.variableCollections;
  }

  newNumber() {
    this.last += 1;
    // 7919 is a prime, so no two numbers below 100,003 get the same one.
    return this.options.ordered ? this.last : (this.last * 7919) % 100003;
  }

  /** The keys of new objects are 40 hexadecimal digits, as those of the platform. */
  newKey() {
    return this.newNumber().toString(16).padStart(40, "b");
  }

  open() {
    if (this.closed) throw new Closed("the plugin is closed");
  }

  /**
   * Carry out a call that writes, with the faults that are due.
   * @template Result
   * @param {string} call
   * @param {() => Result} change
   * @returns {Result}
   */
  write(call, change) {
    this.open();
    this.calls += 1;
    const due = this.faults.filter((fault) => {
      if (fault.call !== undefined && fault.call !== call) return false;
      const count = (this.counts.get(fault) || 0) + 1;
      this.counts.set(fault, count);
      return count === fault.nth;
    });
    for (const fault of due) if (!fault.after) this.befall(call, fault);
    const result = change();
    for (const fault of due) if (fault.after) this.befall(call, fault);
    return result;
  }

  /**
   * @param {string} call
   * @param {Fault} fault
   */
  befall(call, fault) {
    if (fault.does === "edit") for (const edit of fault.edits || []) this.edit(edit);
    if (fault.does === "throw") throw new Error(`in ${call}: ${fault.message || "internal error"}`);
    if (fault.does === "close") {
      this.closed = true;
      this.open();
    }
  }

  /** Change the file as another editor does. @param {Edit} edit */
  edit(edit) {
    if ("style" in edit) return this.editStyle(edit);
    const variable = Object.values(this.variables).find(
      (each) => !each.deletedButReferenced && (each.id === edit.variable || each.name === edit.variable),
    );
    if (edit.does === "create") {
      const collection = Object.values(this.collections).find((each) => each.name === edit.collection);
      if (collection === undefined) throw new Error(`no collection ${edit.collection}`);
      const made = this.newVariable(edit.variable, collection, "STRING");
      made.valuesByMode[collection.defaultModeId] = edit.value;
      return;
    }
    if (variable === undefined) throw new Error(`no variable ${edit.variable}`);
    if (edit.does === "rename") variable.name = String(edit.value);
    if (edit.does === "describe") variable.description = String(edit.value);
    if (edit.does === "delete") this.removeVariable(variable);
    if (edit.does === "set") {
      const modes = this.collections[variable.variableCollectionId].modes;
      const mode = modes.find((each) => each.name === edit.mode || each.modeId === edit.mode) || modes[0];
      variable.valuesByMode[mode.modeId] = edit.value;
    }
  }

  /** @param {{does: string, style: string, member?: string, value?: any}} edit */
  editStyle({ does, style, member, value }) {
    for (const kind of /** @type {("text" | "effects")[]} */ (["text", "effects"])) {
      const found = this.now[kind].find((each) => each.name === style);
      if (found !== undefined && does === "restyle") found[member || ""] = value;
      if (found !== undefined && does === "unstyle") this.now[kind].splice(this.now[kind].indexOf(found), 1);
    }
  }

  /**
   * @param {string} name
   * @param {CollectionDocument} collection
   * @param {VariableResolvedDataType} type
   */
  newVariable(name, collection, type) {
    /** @type {VariableDocument} */
    const variable = {
      id: `VariableID:1:${this.newNumber()}`,
      name,
      key: this.newKey(),
      variableCollectionId: collection.id,
      resolvedType: type,
      valuesByMode: {},
      remote: false,
      description: "",
      hiddenFromPublishing: false,
      scopes: ["ALL_SCOPES"],
      codeSyntax: {},
    };
    for (const mode of collection.modes) variable.valuesByMode[mode.modeId] = copy(FIRST_VALUES[type]);
    this.variables[variable.id] = variable;
    collection.variableIds.push(variable.id);
    for (const extension of this.extensions(collection)) {
      extension.variableIds.push(variable.id);
      (extension.inheritedVariableIds ||= []).push(variable.id);
    }
    return variable;
  }

  /** The extensions of a collection, parents first. @param {CollectionDocument} collection @returns {CollectionDocument[]} */
  extensions(collection) {
    const own = Object.values(this.collections).filter((each) => each.parentVariableCollectionId === collection.id);
    return own.flatMap((each) => [each, ...this.extensions(each)]);
  }

  /** @param {VariableDocument} variable */
  removeVariable(variable) {
    variable.deletedButReferenced = true;
    this.sweep();
  }

  /** Forget deleted objects that nothing refers to. */
  sweep() {
    for (;;) {
      const referred = new Set();
      for (const variable of Object.values(this.variables)) {
        for (const id of targets(Object.values(variable.valuesByMode))) if (id !== variable.id) referred.add(id);
      }
      for (const collection of Object.values(this.collections)) {
        for (const id of targets(Object.values(collection.variableOverrides || {}))) referred.add(id);
      }
      const gone = Object.values(this.variables).filter((each) => each.deletedButReferenced && !referred.has(each.id));
      if (gone.length === 0) break;
      for (const variable of gone) {
        delete this.variables[variable.id];
        for (const collection of Object.values(this.collections)) {
          collection.variableIds = collection.variableIds.filter((id) => id !== variable.id);
          if (collection.inheritedVariableIds) collection.inheritedVariableIds = [...collection.variableIds];
          if (collection.variableOverrides) delete collection.variableOverrides[variable.id];
        }
      }
    }
    for (const collection of Object.values(this.collections)) {
      const used = Object.values(this.variables).some((each) => each.variableCollectionId === collection.id);
      if (collection.deletedButReferenced && !used) delete this.collections[collection.id];
    }
  }

  /** Whether following aliases leads from one variable to another. @param {string} start @param {string} end */
  leads(start, end) {
    const seen = new Set();
    const pending = [start];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (id === end) return true;
      if (seen.has(id)) continue;
      seen.add(id);
      const variable = this.variables[id];
      if (variable) pending.push(...targets(Object.values(variable.valuesByMode)));
      for (const collection of Object.values(this.collections)) {
        pending.push(...targets(Object.values((collection.variableOverrides || {})[id] || {})));
      }
    }
    return false;
  }
}

/** The ids that values alias, at any depth. @param {any} value @returns {string[]} */
export function targets(value) {
  if (typeof value !== "object" || value === null) return [];
  if (value.type === ALIAS) return [value.id];
  return Object.values(value).flatMap(targets);
}

/** @param {any} value A value as the platform stores it: numbers are float32. @returns {any} */
export function stored(value) {
  if (typeof value === "number") return Math.fround(value);
  if (typeof value !== "object" || value === null) return value;
  if (value.type === ALIAS) return { type: ALIAS, id: value.id };
  if ("r" in value) {
    const [r, g, b, a] = [value.r, value.g, value.b, "a" in value ? value.a : 1].map(stored);
    return { r, g, b, a };
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, stored(part)]));
}
