// Text and effect styles as a plugin sees them, with the fonts of the editor.

import { ALIAS, copy, OpenFile, stored } from "./file.mjs";
import { notModelled, PluginData } from "./variable.mjs";

/** @typedef {import("./file.mjs").StyleDocument} StyleDocument */

const TYPES = { fontFamily: "STRING", fontStyle: "STRING", color: "COLOR" };
const WEIGHTS = ["Thin", "Extra Light", "Light", "Regular", "Medium", "Semi Bold", "Bold", "Extra Bold", "Black"];

/** @param {OpenFile} file @returns {FontName[]} */
export function fontsOf(file) {
  return Object.entries(file.options.fonts).flatMap(([family, styles]) => styles.map((style) => ({ family, style })));
}

/** @param {string} field @param {Variable} variable @param {string} call */
function refuseType(field, variable, call) {
  const type = /** @type {Record<string, string>} */ (TYPES)[field] || "FLOAT";
  if (variable.resolvedType !== type) throw new Error(`in ${call}: ${field} cannot be bound to a ${variable.resolvedType}`);
}

/** @param {Effect} effect @param {VariableBindableEffectField} field @param {Variable | null} variable @returns {Effect} */
export function withBinding(effect, field, variable) {
  const boundVariables = { .../** @type {any} */ (effect).boundVariables };
  if (variable === null) {
    delete boundVariables[field];
  } else {
    refuseType(field, variable, "setBoundVariableForEffect");
    boundVariables[field] = { type: ALIAS, id: variable.id };
  }
  return /** @type {Effect} */ ({ ...effect, boundVariables });
}

/** @param {OpenFile} file @param {"TEXT" | "EFFECT"} type @returns {StyleDocument} */
export function newStyle(file, type) {
  const key = file.newKey();
  /** @type {StyleDocument} */
  const style = { id: `S:${key},`, key, type, name: "Style", description: "" };
  if (type === "EFFECT") style.effects = [];
  if (type === "TEXT") {
    Object.assign(style, {
      fontName: { family: "Inter", style: "Regular" },
      fontSize: 12,
      letterSpacing: { unit: "PERCENT", value: 0 },
      lineHeight: { unit: "AUTO" },
      textCase: "ORIGINAL",
      textDecoration: "NONE",
      paragraphSpacing: 0,
      paragraphIndent: 0,
      boundVariables: {},
    });
  }
  (type === "TEXT" ? file.now.text : file.now.effects).push(style);
  return style;
}

class ModelStyle extends PluginData {
  /** @param {OpenFile} file @param {string} id */
  constructor(file, id) {
    super(file);
    this.id = id;
  }

  get document() {
    this.file.open();
    const styles = [...this.file.now.text, ...this.file.now.effects];
    const document = styles.find((each) => each.id === this.id);
    if (document === undefined) throw new Error(`The style with id "${this.id}" does not exist`);
    return document;
  }

  /** @param {string} member @param {any} value */
  put(member, value) {
    this.file.write(`set_${member}`, () => {
      this.document[member] = stored(value);
    });
  }

  /** What a member shows that is bound to a variable: the value in its first mode. @param {any} value @returns {any} */
  resolved(value) {
    if (value === null || typeof value !== "object") return value;
    if ("color" in value) return { ...this.resolved(value.color), a: Math.fround(this.resolved(value.opacity) / 100) };
    if (value.type !== ALIAS) return value;
    const variable = this.file.variables[value.id];
    return variable === undefined ? undefined : this.resolved(Object.values(variable.valuesByMode)[0]);
  }

  get key() {
    return this.document.key;
  }

  get remote() {
    return false;
  }

  get name() {
    return this.document.name;
  }

  set name(value) {
    if (value === "") throw new Error("in set_name: invalid name");
    this.put("name", value);
  }

  get description() {
    return this.document.description;
  }

  set description(value) {
    this.put("description", value);
  }

  get descriptionMarkdown() {
    return this.description;
  }

  set descriptionMarkdown(value) {
    this.description = value;
  }

  /** @returns {ReadonlyArray<DocumentationLink>} */
  get documentationLinks() {
    return [];
  }

  get consumers() {
    return notModelled();
  }

  getStyleConsumersAsync() {
    return notModelled();
  }

  /** @returns {Promise<PublishStatus>} */
  async getPublishStatusAsync() {
    return this.file.published.includes(this.id) ? "CURRENT" : "UNPUBLISHED";
  }

  /** @param {string} key */
  getPluginData(key) {
    return super.getPluginData(`${this.id} ${key}`);
  }

  /** @param {string} key @param {string} value */
  setPluginData(key, value) {
    super.setPluginData(`${this.id} ${key}`, value);
  }

  remove() {
    this.file.write("remove_style", () => {
      const { document } = this;
      const { now } = this.file;
      now.text = now.text.filter((each) => each !== document);
      now.effects = now.effects.filter((each) => each !== document);
    });
  }
}

/** @implements {TextStyle} */
export class ModelTextStyle extends ModelStyle {
  /** @type {"TEXT"} */
  type = "TEXT";
  /** @type {LeadingTrim} */
  leadingTrim = "NONE";
  /** @type {TextWrapStyle} */
  textWrapStyle = "AUTO";
  listSpacing = 0;
  hangingPunctuation = false;
  hangingList = false;

  /** What is shown: a bound member has the value of its variable. @param {string} member */
  shown(member) {
    const alias = (this.document.boundVariables || {})[member];
    const value = alias === undefined ? undefined : this.resolved(alias);
    return value === undefined ? this.document[member] : value;
  }

  /** @param {string} member @param {any} value */
  put(member, value) {
    if (member !== "name" && member !== "description") this.refuseUnloaded(`set_${member}`, this.fontName);
    super.put(member, value);
  }

  /** @param {string} call @param {FontName} font */
  refuseUnloaded(call, { family, style }) {
    if (this.file.loaded.has(`${family} ${style}`)) return;
    throw new Error(`in ${call}: Cannot write to node with unloaded font "${family} ${style}"`);
  }

  /** @returns {FontName} */
  get fontName() {
    const { fontName, boundVariables = {} } = this.document;
    const family = this.resolved(boundVariables.fontFamily || null) || fontName.family; // a deleted variable changes nothing
    let style = this.resolved(boundVariables.fontStyle || null) || fontName.style;
    const bound = this.resolved(boundVariables.fontWeight || null);
    if (typeof bound === "number") {
      const name = WEIGHTS[Math.min(Math.max(Math.round(bound / 100), 1), 9) - 1];
      const styles = this.file.options.fonts[family] || [];
      style = styles.find((each) => each.replace(/ /g, "") === name.replace(/ /g, "")) || style;
    }
    return { family, style };
  }

  set fontName(value) {
    const { family, style } = value;
    this.refuseUnloaded("set_fontName", value);
    this.file.write("set_fontName", () => {
      this.document.fontName = { family, style };
    });
  }

  get boundVariables() {
    return copy(this.document.boundVariables || {});
  }

  /** @param {VariableBindableTextField} field @param {Variable | null} variable */
  setBoundVariable(field, variable) {
    const call = "setBoundVariable";
    this.refuseUnloaded(call, this.fontName);
    this.file.write(call, () => {
      const bound = (this.document.boundVariables ||= {});
      const { document } = this;
      if (variable === null) {
        if (/^font(Family|Style|Weight)$/.test(field)) document.fontName = this.fontName;
        else document[field] = this.member(field);
        delete bound[field];
        return;
      }
      refuseType(field, variable, call);
      const was = bound[field];
      bound[field] = { type: ALIAS, id: variable.id };
      const font = this.fontName;
      if (!this.file.loaded.has(`${font.family} ${font.style}`)) {
        if (was === undefined) delete bound[field];
        else bound[field] = was;
        this.refuseUnloaded(call, font);
      }
    });
  }

  /** @param {string} field */
  member(field) {
    return /** @type {any} */ (this)[field];
  }

  get fontSize() {
    return this.shown("fontSize");
  }

  set fontSize(value) {
    if (!(value >= 1)) throw new Error("in set_fontSize: Expected number to be >= 1");
    this.put("fontSize", value);
  }

  /** @returns {LetterSpacing} */
  get letterSpacing() {
    const value = this.shown("letterSpacing");
    return typeof value === "number" ? { unit: "PIXELS", value } : copy(value);
  }

  set letterSpacing(value) {
    this.put("letterSpacing", value);
  }

  /** @returns {LineHeight} */
  get lineHeight() {
    const value = this.shown("lineHeight");
    return typeof value === "number" ? { unit: "PIXELS", value } : copy(value);
  }

  set lineHeight(value) {
    this.put("lineHeight", value);
  }

  /** @returns {TextCase} */
  get textCase() {
    return this.document.textCase;
  }

  set textCase(value) {
    this.put("textCase", value);
  }

  /** @returns {TextDecoration} */
  get textDecoration() {
    return this.document.textDecoration;
  }

  set textDecoration(value) {
    this.put("textDecoration", value);
  }

  get paragraphSpacing() {
    return this.shown("paragraphSpacing");
  }

  set paragraphSpacing(value) {
    this.put("paragraphSpacing", value);
  }

  get paragraphIndent() {
    return this.shown("paragraphIndent");
  }

  set paragraphIndent(value) {
    this.put("paragraphIndent", value);
  }
}

/** @implements {EffectStyle} */
export class ModelEffectStyle extends ModelStyle {
  /** @type {"EFFECT"} */
  type = "EFFECT";

  /** @returns {ReadonlyArray<Effect>} */
  get effects() {
    return this.document.effects.map((/** @type {any} */ effect) => {
      const shown = copy(effect);
      for (const [field, alias] of Object.entries(shown.boundVariables || {})) {
        const value = this.resolved(alias);
        if (value === undefined) continue;
        if (field === "offsetX") shown.offset.x = value;
        else if (field === "offsetY") shown.offset.y = value;
        else shown[field] = value;
      }
      return shown;
    });
  }

  set effects(value) {
    for (const effect of /** @type {any[]} */ (copy(value))) {
      const isShadow = /_SHADOW$/.test(effect.type);
      const isWhole = isShadow ? effect.color && effect.offset && effect.blendMode : true;
      const known = ["type", "visible", "color", "offset", "radius", "spread", "blendMode", "showShadowBehindNode"];
      known.push("boundVariables", "blurType", "startRadius", "startOffset", "endOffset");
      const isKnown = Object.keys(effect).every((name) => known.includes(name));
      if (!isWhole || !isKnown || typeof effect.radius !== "number" || typeof effect.visible !== "boolean") {
        throw new Error('in set_effects: Property "effects" failed validation');
      }
    }
    this.file.write("set_effects", () => {
      this.document.effects = value.map(storedEffect);
    });
  }
}

/** @param {any} effect */
function storedEffect(effect) {
  const { color, boundVariables, ...others } = copy(effect);
  const bound = Object.keys(boundVariables || {}).length > 0 ? { boundVariables } : {};
  return { ...stored(others), ...(color ? { color: stored(color) } : {}), ...bound };
}
