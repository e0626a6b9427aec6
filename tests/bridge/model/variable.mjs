// Variables as a plugin sees them, and the data that plugins attach to a document.

import { ALIAS, copy, isEasing, MOTION, OpenFile, stored, targets, withNumbers } from "./file.mjs";
import { ModelCollection } from "./figma.mjs";

/** @typedef {import("./file.mjs").VariableDocument} VariableDocument */

const BAD_NAME = /[.{}]/;

/** The data that plugins attach to a document. @implements {PluginDataMixin} */
export class PluginData {
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
export function notModelled() {
  throw new Error("not part of the model");
}

/** @implements {Variable} */
export class ModelVariable extends PluginData {
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
      if (MOTION.includes(document.resolvedType)) throw new Error("Cannot set scopes on this variable type");
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
    if (this.resolvedType === "EASING" && value !== null && typeof value === "object") return withNumbers(value);
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
      if (kind === "EASING") return isEasing(part);
      return typeof part === { BOOLEAN: "boolean", FLOAT: "number", TIMING: "number", STRING: "string" }[kind];
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
export function refuseName(file, call, name, collection) {
  if (name === "" || BAD_NAME.test(name)) throw new Error(`in ${call}: invalid variable name`);
  for (const variable of Object.values(file.variables)) {
    if (variable.variableCollectionId === collection && variable.name === name && !variable.deletedButReferenced) {
      throw new Error(`in ${call}: duplicate variable name`);
    }
  }
}
