// A model of the part of Figma's plugin API that the bridge uses: variables, collections, text and effect styles, data of
// plugins, and undo. It implements the types of @figma/plugin-typings.
//
// Where the typings do not say what the editor does, an option of file.mjs chooses. No behaviour here proves that of the
// editor; docs/without-enterprise.md lists what only the editor can prove.

import { ALIAS, copy, OpenFile, TYPES } from "./file.mjs";
import { fontsOf, ModelEffectStyle, ModelTextStyle, newStyle, withBinding } from "./style.mjs";
import { ModelVariable, notModelled, PluginData, refuseName } from "./variable.mjs";

/** @typedef {import("./file.mjs").CollectionDocument} CollectionDocument */

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
export class ModelCollection extends AnyCollection {
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
  /** @param {Effect} effect @param {VariableBindableEffectField} field @param {Variable | null} variable */
  setBoundVariableForEffect(effect, field, variable) {
    return this.file.write("setBoundVariableForEffect", () => withBinding(effect, field, variable));
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
  /** @param {OpenFile} file @param {Record<string, any>} values */
  constructor(file, values) {
    this.file = file;
    this.values = values;
  }

  /** @param {string} key */
  async getAsync(key) {
    this.file.open();
    return this.values[key];
  }

  /** @param {string} key @param {any} value */
  async setAsync(key, value) {
    this.file.open();
    this.values[key] = value;
  }

  /** @param {string} key */
  async deleteAsync(key) {
    this.file.open();
    delete this.values[key];
  }

  async keysAsync() {
    return Object.keys(this.values);
  }
}

/**
 * The global `figma` of a plugin, as far as the bridge uses it.
 * @param {OpenFile} file
 * @param {{show: (html: string) => void, post: (message: any) => void, close: () => void}} page
 * @param {Record<string, any>} storage What the editor remembers for a user.
 */
export function pluginApi(file, page, storage = file.storage) {
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
    clientStorage: /** @type {ClientStorageAPI} */ (new Storage(file, storage)),
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
    async getLocalTextStylesAsync() {
      file.open();
      return file.now.text.map((style) => new ModelTextStyle(file, style.id));
    },
    async getLocalEffectStylesAsync() {
      file.open();
      return file.now.effects.map((style) => new ModelEffectStyle(file, style.id));
    },
    createTextStyle: () => file.write("createTextStyle", () => new ModelTextStyle(file, newStyle(file, "TEXT").id)),
    createEffectStyle: () => file.write("createEffectStyle", () => new ModelEffectStyle(file, newStyle(file, "EFFECT").id)),
    async listAvailableFontsAsync() {
      file.open();
      return fontsOf(file).map((fontName) => ({ fontName }));
    },
    /** @param {FontName} font */
    async loadFontAsync({ family, style }) {
      file.open();
      const isThere = fontsOf(file).some((each) => each.family === family && each.style === style);
      if (!isThere || file.options.unloadable.includes(`${family} ${style}`)) {
        throw new Error(`in loadFontAsync: The font "${family} ${style}" could not be loaded`);
      }
      file.loaded.add(`${family} ${style}`);
    },
  };
}
