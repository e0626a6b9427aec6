// A model of the part of Figma's plugin API that the bridge uses: variables, collections, text and effect styles, data of
// plugins, and undo. It implements the types of @figma/plugin-typings, and its state is that of the REST API's documents.
//
// Where the typings do not say what the editor does, an option chooses (`DEFAULTS`). No behaviour here proves that of the
// editor; docs/without-enterprise.md lists what only the editor can prove.

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
 *   collection?: string}} Edit
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
};

const BAD_NAME = /[.{}]/;
const ALIAS = "VARIABLE_ALIAS";
/** @type {Record<string, any>} */
const FIRST_VALUES = { BOOLEAN: false, FLOAT: 0, STRING: "", COLOR: { r: 1, g: 1, b: 1, a: 1 } };
const TYPES = Object.keys(FIRST_VALUES);

/** @template Value @param {Value} value JSON. @returns {Value} */
const copy = (value) => JSON.parse(JSON.stringify(value));

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
function targets(value) {
  if (typeof value !== "object" || value === null) return [];
  if (value.type === ALIAS) return [value.id];
  return Object.values(value).flatMap(targets);
}

/** @param {any} value A value as the platform stores it: numbers are float32. @returns {any} */
function stored(value) {
  if (typeof value === "number") return Math.fround(value);
  if (typeof value !== "object" || value === null) return value;
  if (value.type === ALIAS) return { type: ALIAS, id: value.id };
  if ("r" in value) {
    const [r, g, b, a] = [value.r, value.g, value.b, "a" in value ? value.a : 1].map(stored);
    return { r, g, b, a };
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, stored(part)]));
}

/** The data that plugins attach to a document. @implements {PluginDataMixin} */
class PluginData {
  /** @param {OpenFile} file */
  constructor(file) {
    this.file = file;
  }

  /** @param {string} key */
  getPluginData(key) {
    this.file.open();
    return this.file.now.data[key] || "";
  }

  /** @param {string} key @param {string} value */
  setPluginData(key, value) {
    this.file.write("setPluginData", () => {
      if (key.length + value.length > 100_000) throw new Error("in setPluginData: entry exceeds 100 kB");
      if (value === "") delete this.file.now.data[key];
      else this.file.now.data[key] = value;
    });
  }

  getPluginDataKeys() {
    this.file.open();
    return Object.keys(this.file.now.data);
  }

  /** @param {string} namespace @param {string} key */
  getSharedPluginData(namespace, key) {
    return this.getPluginData(`${namespace}/${key}`);
  }

  /** @param {string} namespace @param {string} key @param {string} value */
  setSharedPluginData(namespace, key, value) {
    this.setPluginData(`${namespace}/${key}`, value);
  }

  /** @param {string} namespace */
  getSharedPluginDataKeys(namespace) {
    const prefix = `${namespace}/`;
    return this.getPluginDataKeys().filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }
}

/** @returns {never} */
function notModelled() {
  throw new Error("not part of the model");
}

/** @implements {Variable} */
class ModelVariable extends PluginData {
  /** @param {OpenFile} file @param {string} id */
  constructor(file, id) {
    super(file);
    this.id = id;
  }

  get document() {
    this.file.open();
    const document = this.file.variables[this.id];
    if (document === undefined) throw new Error(`The variable with id "${this.id}" does not exist`);
    return document;
  }

  /** @template Result @param {string} call @param {(document: VariableDocument) => Result} change */
  change(call, change) {
    return this.file.write(call, () => {
      const document = this.document;
      if (document.remote) throw new Error(`in ${call}: Cannot write to a library variable`);
      return change(document);
    });
  }

  get name() {
    return this.document.name;
  }

  set name(value) {
    this.change("set_name", (document) => {
      if (value !== document.name) refuseName(this.file, "set_name", value, document.variableCollectionId);
      document.name = value;
    });
  }

  get description() {
    return this.document.description;
  }

  set description(value) {
    this.change("set_description", (document) => {
      document.description = value;
    });
  }

  get hiddenFromPublishing() {
    return this.document.hiddenFromPublishing;
  }

  set hiddenFromPublishing(value) {
    this.change("set_hiddenFromPublishing", (document) => {
      document.hiddenFromPublishing = value;
    });
  }

  get scopes() {
    return [...this.document.scopes];
  }

  set scopes(value) {
    this.change("set_scopes", (document) => {
      if (value.length > 1 && value.includes("ALL_SCOPES")) {
        throw new Error("in set_scopes: ALL_SCOPES excludes other scopes");
      }
      document.scopes = [...value];
    });
  }

  get remote() {
    return this.document.remote;
  }

  get variableCollectionId() {
    return this.document.variableCollectionId;
  }

  get key() {
    return this.document.key;
  }

  get resolvedType() {
    return this.document.resolvedType;
  }

  get codeSyntax() {
    return { ...this.document.codeSyntax };
  }

  get valuesByMode() {
    const values = copy(this.document.valuesByMode);
    for (const mode of Object.keys(values)) values[mode] = this.answered(values[mode]);
    return values;
  }

  /** @param {any} value */
  answered(value) {
    if (this.file.options.composed === "object" || value === null || typeof value !== "object") return value;
    if (!("color" in value && "opacity" in value)) return value;
    const expressionArguments = [value.color, value.opacity];
    return { type: "VARIABLE_EXPRESSION", expressionFunction: "COMPOSE_COLOR", expressionArguments };
  }

  /** @param {CodeSyntaxPlatform} platform @param {string} value */
  setVariableCodeSyntax(platform, value) {
    this.change("setVariableCodeSyntax", (document) => {
      document.codeSyntax[platform] = value;
    });
  }

  /** @param {CodeSyntaxPlatform} platform */
  removeVariableCodeSyntax(platform) {
    this.change("removeVariableCodeSyntax", (document) => {
      if (!(platform in document.codeSyntax)) throw new Error(`in removeVariableCodeSyntax: no ${platform}`);
      delete document.codeSyntax[platform];
    });
  }

  /** @param {string} modeId @param {VariableValue} value */
  setValueForMode(modeId, value) {
    const call = "setValueForMode";
    this.file.write(call, () => {
      const document = this.document;
      this.refuseValue(call, value);
      for (const id of targets(value)) {
        if (this.file.leads(id, this.id)) throw new Error(`in ${call}: Variable aliases form a cycle`);
      }
      const extension = Object.values(this.file.collections).find(
        (each) => each.isExtension && each.modes.some((mode) => mode.modeId === modeId),
      );
      if (extension) {
        if (!extension.variableIds.includes(this.id)) throw new Error(`in ${call}: variable not in collection`);
        ((extension.variableOverrides ||= {})[this.id] ||= {})[modeId] = stored(value);
        return;
      }
      if (document.remote) throw new Error(`in ${call}: Cannot write to a library variable`);
      if (!(modeId in document.valuesByMode)) throw new Error(`in ${call}: Mode does not exist on this variable`);
      document.valuesByMode[modeId] = stored(value);
    });
  }

  /** @param {string} call @param {any} value */
  refuseValue(call, value) {
    const type = this.document.resolvedType;
    /** @param {any} part @param {string} kind */
    const fits = (part, kind) => {
      if (part !== null && typeof part === "object" && part.type === ALIAS) {
        const target = this.file.variables[part.id];
        return target !== undefined && target.resolvedType === kind;
      }
      if (kind === "COLOR") return part !== null && typeof part === "object" && "r" in part;
      return typeof part === { BOOLEAN: "boolean", FLOAT: "number", STRING: "string" }[kind];
    };
    const composed = type === "COLOR" && value !== null && typeof value === "object" && "color" in value;
    const right = composed ? fits(value.color, "COLOR") && fits(value.opacity, "FLOAT") : fits(value, type);
    if (!right) throw new Error(`in ${call}: Mismatched variable resolved type`);
  }

  remove() {
    this.change("remove", (document) => this.file.removeVariable(document));
  }

  /** @param {string} mode */
  removeOverrideForMode(mode) {
    this.file.write("removeOverrideForMode", () => {
      for (const collection of Object.values(this.file.collections)) {
        const overrides = (collection.variableOverrides || {})[this.id];
        if (overrides && mode in overrides) {
          delete overrides[mode];
          if (Object.keys(overrides).length === 0) delete (collection.variableOverrides || {})[this.id];
        }
      }
    });
  }

  /** @param {VariableCollection} collection @returns {Promise<Record<string, VariableValue>>} */
  async valuesByModeForCollectionAsync(collection) {
    const document = this.file.collections[collection.id];
    if (!document.isExtension) return this.valuesByMode;
    const own = (document.variableOverrides || {})[this.id] || {};
    const parent = await this.valuesByModeForCollectionAsync(
      new ModelCollection(this.file, document.parentVariableCollectionId || ""),
    );
    return Object.fromEntries(
      document.modes.map((mode) => [mode.modeId, own[mode.modeId] ?? parent[mode.parentModeId || ""]]),
    );
  }

  /** @returns {Promise<PublishStatus>} */
  async getPublishStatusAsync() {
    return this.file.published.includes(this.id) ? "CURRENT" : "UNPUBLISHED";
  }

  resolveForConsumer() {
    return notModelled();
  }
}

/** @param {OpenFile} file @param {string} call @param {string} name @param {string} collection */
function refuseName(file, call, name, collection) {
  if (name === "" || BAD_NAME.test(name)) throw new Error(`in ${call}: invalid variable name`);
  for (const variable of Object.values(file.variables)) {
    if (variable.variableCollectionId === collection && variable.name === name && !variable.deletedButReferenced) {
      throw new Error(`in ${call}: duplicate variable name`);
    }
  }
}

/** What collections and extensions have in common. */
class AnyCollection extends PluginData {
  /** @param {OpenFile} file @param {string} id */
  constructor(file, id) {
    super(file);
    this.id = id;
  }

  get document() {
    this.file.open();
    const document = this.file.collections[this.id];
    if (document === undefined) throw new Error(`The variable collection with id "${this.id}" does not exist`);
    return document;
  }

  /** @template Result @param {string} call @param {(document: CollectionDocument) => Result} change */
  change(call, change) {
    return this.file.write(call, () => {
      const document = this.document;
      if (document.remote) throw new Error(`in ${call}: Cannot write to a library collection`);
      return change(document);
    });
  }

  get name() {
    return this.document.name;
  }

  set name(value) {
    this.change("set_collection_name", (document) => {
      document.name = value;
    });
  }

  get hiddenFromPublishing() {
    return this.document.hiddenFromPublishing;
  }

  set hiddenFromPublishing(value) {
    this.change("set_collection_hiddenFromPublishing", (document) => {
      document.hiddenFromPublishing = value;
    });
  }

  get remote() {
    return this.document.remote;
  }

  get variableIds() {
    return [...this.document.variableIds];
  }

  get defaultModeId() {
    return this.document.defaultModeId;
  }

  get key() {
    return this.document.key;
  }

  /** @returns {Promise<PublishStatus>} */
  async getPublishStatusAsync() {
    return this.file.published.includes(this.id) ? "CURRENT" : "UNPUBLISHED";
  }

  /** @param {string} name @returns {ExtendedVariableCollection} */
  extend(name) {
    return this.change("extend", (document) => {
      if (!this.file.options.enterprise) {
        throw new Error("in extend: Cannot create extended collections outside of enterprise plan.");
      }
      const id = `VariableCollectionId:1:${this.file.newNumber()}`;
      /** @param {string} mode */
      const extended = (mode) => `${id}/${mode.slice(mode.indexOf("/") + 1)}`;
      this.file.collections[id] = {
        id,
        name,
        key: this.file.newKey(),
        modes: document.modes.map((mode) => ({
          modeId: extended(mode.modeId),
          name: mode.name,
          parentModeId: mode.modeId,
        })),
        defaultModeId: extended(document.defaultModeId),
        remote: false,
        hiddenFromPublishing: false,
        variableIds: [...document.variableIds],
        isExtension: true,
        parentVariableCollectionId: document.id,
        rootVariableCollectionId: document.rootVariableCollectionId || document.id,
        inheritedVariableIds: [...document.variableIds],
        localVariableIds: [],
        variableOverrides: {},
      };
      return new ModelExtension(this.file, id);
    });
  }

  remove() {
    this.change("remove_collection", (document) => {
      for (const extension of this.file.extensions(document)) delete this.file.collections[extension.id];
      if (document.isExtension) {
        delete this.file.collections[document.id];
      } else {
        document.deletedButReferenced = true;
        for (const variable of Object.values(this.file.variables)) {
          if (variable.variableCollectionId === document.id) variable.deletedButReferenced = true;
        }
      }
      this.file.sweep();
    });
  }
}

/** @implements {VariableCollection} */
class ModelCollection extends AnyCollection {
  get isExtension() {
    return false;
  }

  get modes() {
    return this.document.modes.map(({ modeId, name }) => ({ modeId, name }));
  }

  /** @param {string} name */
  addMode(name) {
    return this.change("addMode", (document) => {
      const most = this.file.options.modes;
      if (document.modes.length >= most) throw new Error(`in addMode: Limited to ${most} modes only`);
      if (name === "" || name.length > 40) throw new Error("in addMode: invalid mode name");
      const modeId = `1:${this.file.newNumber()}`;
      document.modes.push({ modeId, name });
      for (const extension of this.file.extensions(document)) {
        const parentModeId =
          extension.parentVariableCollectionId === document.id
            ? modeId
            : `${extension.parentVariableCollectionId}/${modeId}`;
        extension.modes.push({ modeId: `${extension.id}/${modeId}`, name, parentModeId });
      }
      for (const variable of Object.values(this.file.variables)) {
        if (variable.variableCollectionId === document.id) {
          variable.valuesByMode[modeId] = copy(variable.valuesByMode[document.defaultModeId]);
        }
      }
      return modeId;
    });
  }

  /** @param {string} modeId @param {string} name */
  renameMode(modeId, name) {
    this.change("renameMode", (document) => {
      if (name === "" || name.length > 40) throw new Error("in renameMode: invalid mode name");
      for (const collection of [document, ...this.file.extensions(document)]) {
        for (const mode of collection.modes) {
          if (mode.modeId === modeId || mode.modeId.endsWith(`/${modeId}`)) mode.name = name;
        }
      }
    });
  }

  /** @param {string} modeId */
  removeMode(modeId) {
    this.change("removeMode", (document) => {
      if (!document.modes.some((mode) => mode.modeId === modeId)) throw new Error("in removeMode: no such mode");
      if (document.modes.length === 1) throw new Error("in removeMode: Cannot remove the last mode");
      for (const collection of [document, ...this.file.extensions(document)]) {
        const own = collection.id === document.id ? modeId : `${collection.id}/${modeId}`;
        collection.modes = collection.modes.filter((mode) => mode.modeId !== own);
        if (collection.defaultModeId === own) collection.defaultModeId = collection.modes[0].modeId;
        const overrides = collection.variableOverrides || {};
        for (const id of Object.keys(overrides)) {
          delete overrides[id][own];
          if (Object.keys(overrides[id]).length === 0) delete overrides[id];
        }
      }
      for (const variable of Object.values(this.file.variables)) {
        if (variable.variableCollectionId === document.id) delete variable.valuesByMode[modeId];
      }
      this.file.sweep();
    });
  }
}

/** @implements {ExtendedVariableCollection} */
class ModelExtension extends AnyCollection {
  /** @returns {true} */
  get isExtension() {
    return true;
  }

  get parentVariableCollectionId() {
    return this.document.parentVariableCollectionId || "";
  }

  get rootVariableCollectionId() {
    return this.document.rootVariableCollectionId || "";
  }

  get variableOverrides() {
    return copy(this.document.variableOverrides || {});
  }

  get modes() {
    return this.document.modes.map(({ modeId, name, parentModeId }) => ({
      modeId,
      name,
      parentModeId: parentModeId || "",
    }));
  }

  /** @param {Variable} variable */
  removeOverridesForVariable(variable) {
    this.change("removeOverridesForVariable", (document) => {
      delete (document.variableOverrides || {})[variable.id];
    });
  }

  renameMode() {
    throw new Error("in renameMode: Cannot rename a mode of an extended collection");
  }

  removeMode() {
    throw new Error("in removeMode: Cannot remove a mode whose parent mode exists");
  }
}

/** @implements {VariablesAPI} */
class Variables {
  /** @param {OpenFile} file */
  constructor(file) {
    this.file = file;
  }

  /** @param {CollectionDocument} document @returns {VariableCollection} */
  collection({ id, isExtension }) {
    if (!isExtension) return new ModelCollection(this.file, id);
    return /** @type {any} */ (new ModelExtension(this.file, id));
  }

  /** @param {string} id @returns {Promise<Variable | null>} */
  async getVariableByIdAsync(id) {
    this.file.open();
    return id in this.file.variables ? new ModelVariable(this.file, id) : null;
  }

  /** @param {string} id */
  async getVariableCollectionByIdAsync(id) {
    this.file.open();
    return id in this.file.collections ? this.collection(this.file.collections[id]) : null;
  }

  /** @param {VariableResolvedDataType} [type] @returns {Promise<Variable[]>} */
  async getLocalVariablesAsync(type) {
    this.file.open();
    const local = Object.values(this.file.variables).filter((each) => !each.remote && !each.deletedButReferenced);
    return local
      .filter((each) => type === undefined || each.resolvedType === type)
      .map((each) => new ModelVariable(this.file, each.id));
  }

  async getLocalVariableCollectionsAsync() {
    this.file.open();
    const local = Object.values(this.file.collections).filter((each) => !each.remote && !each.deletedButReferenced);
    return local.map((each) => this.collection(each));
  }

  /** @param {string} name @param {any} collection @param {VariableResolvedDataType} type @returns {Variable} */
  createVariable(name, collection, type) {
    const call = "createVariable";
    return this.file.write(call, () => {
      if (typeof collection === "string") throw new Error(`in ${call}: pass a collection, not its id`);
      const document = this.file.collections[collection.id];
      if (document === undefined || document.remote || document.isExtension) {
        throw new Error(`in ${call}: Cannot create a variable in this collection`);
      }
      if (!TYPES.includes(type)) throw new Error(`in ${call}: invalid type`);
      refuseName(this.file, call, name, document.id);
      return new ModelVariable(this.file, this.file.newVariable(name, document, type).id);
    });
  }

  /** @param {string} name @returns {VariableCollection} */
  createVariableCollection(name) {
    return this.file.write("createVariableCollection", () => {
      if (name === "") throw new Error("in createVariableCollection: invalid name");
      const id = `VariableCollectionId:1:${this.file.newNumber()}`;
      const modeId = `1:${this.file.newNumber()}`;
      this.file.collections[id] = {
        id,
        name,
        key: this.file.newKey(),
        modes: [{ modeId, name: "Mode 1" }],
        defaultModeId: modeId,
        remote: false,
        hiddenFromPublishing: false,
        variableIds: [],
        isExtension: false,
      };
      return new ModelCollection(this.file, id);
    });
  }

  /** @param {Variable} variable @returns {VariableAlias} */
  createVariableAlias(variable) {
    return { type: ALIAS, id: variable.id };
  }

  /** @param {string} id @returns {Promise<VariableAlias>} */
  async createVariableAliasByIdAsync(id) {
    return { type: ALIAS, id };
  }

  // With "documentAccess": "dynamic-page", these throw.
  getVariableById() {
    return notModelled();
  }
  getVariableCollectionById() {
    return notModelled();
  }
  getLocalVariables() {
    return notModelled();
  }
  getLocalVariableCollections() {
    return notModelled();
  }
  extendLibraryCollectionByKeyAsync() {
    return notModelled();
  }
  setBoundVariableForPaint() {
    return notModelled();
  }
  setBoundVariableForEffect() {
    return notModelled();
  }
  setBoundVariableForLayoutGrid() {
    return notModelled();
  }
  importVariableByKeyAsync() {
    return notModelled();
  }
}

/** @implements {ClientStorageAPI} */
class Storage {
  /** @param {OpenFile} file */
  constructor(file) {
    this.file = file;
  }

  /** @param {string} key */
  async getAsync(key) {
    this.file.open();
    return this.file.storage[key];
  }

  /** @param {string} key @param {any} value */
  async setAsync(key, value) {
    this.file.open();
    this.file.storage[key] = value;
  }

  /** @param {string} key */
  async deleteAsync(key) {
    this.file.open();
    delete this.file.storage[key];
  }

  async keysAsync() {
    return Object.keys(this.file.storage);
  }
}

/**
 * The global `figma` of a plugin, as far as the bridge uses it.
 * @param {OpenFile} file
 * @param {{show: (html: string) => void, post: (message: any) => void, close: () => void}} page
 */
export function pluginApi(file, page) {
  const root = Object.assign(new PluginData(file), { name: file.name });
  const ui = {
    /** @type {((message: any) => void) | undefined} */
    onmessage: undefined,
    /** @param {any} message */
    postMessage(message) {
      if (!file.closed) page.post(message);
    },
  };
  return {
    variables: /** @type {VariablesAPI} */ (new Variables(file)),
    clientStorage: /** @type {ClientStorageAPI} */ (new Storage(file)),
    root: /** @type {PluginDataMixin & {name: string}} */ (root),
    fileKey: file.options.fileKey ? file.key : undefined,
    editorType: "figma",
    ui,
    showUI: page.show,
    closePlugin: page.close,
    commitUndo() {
      file.open();
      file.committed = copy(file.now);
    },
    triggerUndo() {
      file.open();
      if (file.options.undo) file.now = copy(file.committed);
    },
    /** @returns {Promise<any[]>} */
    async getLocalTextStylesAsync() {
      file.open();
      return copy(file.now.text);
    },
    /** @returns {Promise<any[]>} */
    async getLocalEffectStylesAsync() {
      file.open();
      return copy(file.now.effects);
    },
  };
}
