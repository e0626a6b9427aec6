// Text and effect styles. It is joined to engine.js when the plugin is installed; a script that writes variables only
// does without it.
//
// A request has the arrays `textStyles` and `effectStyles`. Their members are those that `membersOf` reads. The members of
// a font are one step, since not every combination of a family, a weight and a slant exists: which one does is looked up,
// and loaded, before anything is written.

/**
 * @typedef {TextStyle | EffectStyle} Style
 * @typedef {{fontFamily: any, fontWeight: any, fontStyle: any, slant: string, name: FontName}} StyleFont
 */

const FONT = ["fontFamily", "fontWeight", "fontStyle", "slant"];
const BINDABLE = ["fontFamily", "fontWeight", "fontStyle", "fontSize", "letterSpacing", "lineHeight", "paragraphSpacing"];
BINDABLE.push("paragraphIndent");
/** @type {Json} The types of the variables that members can be bound to; all others are numbers. */
const BOUND_TYPES = { fontFamily: "STRING", fontStyle: "STRING", color: "COLOR" };
/** @type {Json} What a new style has, as far as it is known: another style of that kind is somebody's. */
const FRESH = { fontSize: 12, paragraphSpacing: 0, paragraphIndent: 0, textCase: "ORIGINAL", textDecoration: "NONE" };
Object.assign(FRESH, { letterSpacing: { unit: "PERCENT", value: 0 }, lineHeight: { unit: "AUTO" }, effects: [], description: "" });

/** The names of the weights 100, 200, ..., 900, of which "Regular" is none. */
const WEIGHTS = ["thin|hairline", "(extra|ultra)light", "light", "", "medium", "(semi|demi)bold", "bold"];
WEIGHTS.push("(extra|ultra)bold", "black|heavy");

// ---------------------------------------------------------------------------------------------- reading

/** @param {Style} style */
const styleId = (style) => `S:${style.key}`;

/** @returns {Promise<Style[]>} */
const allStyles = async () => [...(await figma.getLocalTextStylesAsync()), ...(await figma.getLocalEffectStylesAsync())];

/** The styles of the file. One that publishes some offers those: others cannot publish any on their plan, or never did.
 * @returns {Promise<Style[]>} */
async function offeredStyles() {
  const styles = await allStyles();
  const offered = [];
  let publishes = false;
  for (const style of styles) {
    const isPublished = (await style.getPublishStatusAsync()) !== "UNPUBLISHED";
    publishes = publishes || isPublished;
    // What tokensync has made stays in sight until somebody publishes it.
    if (isPublished || style.getSharedPluginData(SPACE, "made") !== "") offered.push(style);
  }
  return publishes ? offered : styles;
}

/** The text and effect styles of the file, as the REST API lists them and shows their nodes. */
async function readStyles() {
  /** @type {{styles: Json[], nodes: Json}} */
  const read = { styles: [], nodes: {} };
  for (const style of await offeredStyles()) {
    const node = documentOf(style);
    const item = picked(style, ["key", "name", "description"]);
    const of = { node_id: style.key, style_type: style.type, updated_at: digest(JSON.stringify(node)) };
    read.styles.push(Object.assign(item, of));
    read.nodes[style.key] = { document: node };
  }
  return read;
}

/** @param {Style} style */
function documentOf(style) {
  if (style.type === "TEXT") return { style: typeStyle(style), boundVariables: style.boundVariables };
  return { effects: style.effects };
}

/** @param {TextStyle} style */
function typeStyle(style) {
  const { weight, slant } = fontStyle(style.fontName.style);
  const { fontSize, letterSpacing, lineHeight } = style;
  /** @param {{unit: string, value: number}} length */
  const pixels = (length) => (length.unit === "PERCENT" ? (length.value / 100) * fontSize : length.value);
  const height = lineHeight.unit === "AUTO" ? null : pixels(lineHeight);
  const own = picked(style, ["fontSize", "textCase", "textDecoration", "paragraphSpacing", "paragraphIndent"]);
  return Object.assign(own, {
    fontFamily: style.fontName.family,
    fontStyle: style.fontName.style,
    fontWeight: weight,
    italic: slant !== "normal",
    letterSpacing: pixels(letterSpacing),
    lineHeightPx: height,
    lineHeightPercentFontSize: height === null ? null : (height / fontSize) * 100,
    lineHeightUnit: { PIXELS: "PIXELS", PERCENT: "FONT_SIZE_%", AUTO: "INTRINSIC_%" }[lineHeight.unit],
  });
}

/** The weight and slant that the name of a font's style says; the plugin API has no numbers. @param {string} name */
function fontStyle(name) {
  const words = name.toLowerCase().replace(/[ -]|italic|oblique|regular|normal|book/g, "");
  const weight = WEIGHTS.findIndex((names) => new RegExp(`^(${names})$`).test(words));
  const slant = /oblique/i.test(name) ? "oblique" : /italic/i.test(name) ? "italic" : "normal";
  return { weight: weight < 0 ? null : 100 * (weight + 1), slant };
}

/** What a request can set, but for name and description. @param {Style} style @returns {Json} */
function membersOf(style) {
  if (style.type === "EFFECT") return { effects: style.effects.map(effectMember) };
  const { weight, slant } = fontStyle(style.fontName.style);
  const members = { fontFamily: style.fontName.family, fontWeight: weight, fontStyle: null, slant };
  const others = ["fontSize", "letterSpacing", "lineHeight", "textCase", "textDecoration", "paragraphSpacing"];
  Object.assign(members, picked(style, [...others, "paragraphIndent"]));
  const bound = /** @type {Json} */ (style.boundVariables || {});
  for (const field of BINDABLE) if (bound[field]) /** @type {Json} */ (members)[field] = aliasOf(bound[field]);
  return JSON.parse(JSON.stringify(members));
}

/** @param {any} bound */
const aliasOf = (bound) => ({ type: ALIAS, id: (Array.isArray(bound) ? bound[0] : bound).id });

/** @param {Effect} effect @returns {Json} */
function effectMember(effect) {
  const member = JSON.parse(JSON.stringify(effect));
  if (member.offset) Object.assign(member, { offsetX: member.offset.x, offsetY: member.offset.y });
  const bound = member.boundVariables || {};
  for (const field of Object.keys(bound)) member[field] = aliasOf(bound[field]);
  delete member.offset;
  delete member.boundVariables;
  return member;
}

/** Add the styles to a reading, and return the ids that they are bound to. Their documents follow after the last wait.
 * @param {Reading} reading @param {true | "all"} which "all" are also those that were made without their mark */
async function addStyles(reading, which) {
  reading.meta.styles = Object.create(null);
  const bound = [];
  for (const style of which === "all" ? await allStyles() : await offeredStyles()) {
    reading.styles.set(styleId(style), style);
    bound.push(...targets(membersOf(style)));
  }
  return bound;
}

/** @param {Reading} reading */
function describeStyles(reading) {
  for (const style of Array.from(reading.styles.values())) {
    const document = picked(style, ["key", "name", "description", "type"]);
    Object.assign(document, { id: styleId(style), document: documentOf(style), members: membersOf(style) });
    /** @type {any} */ (reading.meta.styles)[styleId(style)] = JSON.parse(JSON.stringify(document));
  }
}

// --------------------------------------------------------------------------------------------- checking

/** Check a change of a style, and list its steps. @param {Check} check @param {"TEXT" | "EFFECT"} type @param {Json} change */
function checkStyle(check, type, change) {
  const styles = /** @type {Record<string, Json>} */ (check.meta.styles);
  let style = styles[change.id];
  if (change.action === "CREATE") {
    const before = Object.keys(styles);
    if (change.id in styles) throw new Refused(`the temporary id ${change.id} is not unique`);
    const temp = check.claim(change.id);
    style = styles[temp] = { id: temp, type, members: {} };
    check.steps.push({ do: "style", temp, type, name: check.text(change, "name"), before });
  } else if (style === undefined || style.type !== type || check.doomed.has(change.id)) {
    throw new Refused(`${type.toLowerCase()} style ${change.id} not found`);
  }
  if (change.action === "DELETE") {
    check.doomed.add(style.id);
    check.deletions.push({ do: "delete", of: "style", id: style.id, collection: style.id });
    return;
  }
  if ("name" in change) check.set("style", style, "name", check.text(change, "name"));
  if ("description" in change) check.set("style", style, "description", String(change.description));
  const members = change.members || {};
  const known = type === "TEXT" ? [...BINDABLE, "slant", "textCase", "textDecoration"] : ["effects"];
  for (const member of Object.keys(members)) {
    if (known.indexOf(member) < 0) throw new Refused(`a style has no member ${member}`);
    refuseAliases(check, member, members[member]);
  }
  const was = style.members;
  style.members = Object.assign({}, was, members);
  const valueOf = (/** @type {string} */ id) => firstValue(check, id);
  const old = /** @type {any} */ (check.fonts.reading.styles.get(style.id));
  /** @type {any[]} What steps of several calls may leave: literals in place of aliases. */
  const between = [];
  if (Object.keys(members).length > 0 && FONT.some((member) => was[member] && was[member].type === ALIAS)) {
    between.push(...check.fonts.expect({ id: style.id, members: was }, valueOf));
  }
  if (FONT.some((member) => member in members)) {
    const font = check.fonts.chosen(style, valueOf);
    const present = "fontFamily" in was ? check.fonts.present(style.id, was) : undefined;
    check.set("style", { id: style.id, font: present }, "font", font, between);
  }
  for (const member of Object.keys(members).filter((name) => FONT.indexOf(name) < 0)) {
    const isBound = was[member] && was[member].type === ALIAS;
    const literals = isBound ? [old[member], valueOf(was[member].id)] : [];
    check.set("style", { id: style.id, [member]: was[member] }, member, members[member], JSON.parse(JSON.stringify(literals)));
  }
}

/** @param {Check} check @param {string} member @param {any} value */
function refuseAliases(check, member, value) {
  if (typeof value !== "object" || value === null) return;
  if (value.type !== ALIAS) {
    for (const name of Object.keys(value)) refuseAliases(check, Array.isArray(value) ? member : name, value[name]);
    return;
  }
  const type = BOUND_TYPES[member] || "FLOAT";
  const target = check.known(value, "id");
  if (target.resolvedType !== type) throw new Refused(`the alias of ${member} resolves to ${target.resolvedType}, not ${type}`);
}

/** The value of a variable in the default mode, which says which font is needed. @param {Check} check @param {string} id */
function firstValue(check, id) {
  for (let depth = 0; depth < 50; depth += 1) {
    const variable = check.meta.variables[id];
    const collection = variable && check.meta.variableCollections[variable.variableCollectionId];
    const modes = collection ? [collection.defaultModeId, collection.modes[0].modeId] : [];
    const [value] = modes.map((mode) => variable.valuesByMode[mode]).filter((part) => part !== undefined);
    if (typeof value !== "object" || value === null) return value;
    id = value.id;
  }
  return undefined;
}

/** The fonts of the editor. Those that steps need are loaded before the first of them. */
class Fonts {
  /** @param {Reading} reading */
  constructor(reading) {
    this.reading = reading;
    /** @type {FontName[]} */
    this.available = [];
    /** @type {FontName[]} Those that styles have after the request has changed the variables that they are bound to. */
    this.expected = [];
  }

  /** Expect the fonts of a family: the editor decides about a weight that no font has.
   * @param {Json} style @param {(id: string) => any} valueOf @returns {FontName[]} */
  expect(style, valueOf) {
    const { fontFamily } = style.members;
    const name = fontFamily.type === ALIAS ? valueOf(fontFamily.id) : fontFamily;
    const family = this.ofFamily(name);
    this.expected.push(...family);
    return family.map(plainFont);
  }

  /** @param {any} name */
  ofFamily(name) {
    const family = this.available.filter((font) => font.family === name);
    if (family.length === 0) throw new Refused(`the font family ${name} is not available in this editor`);
    return family;
  }

  /** The font of a style as it is. @param {string} id @param {Json} members @returns {StyleFont} */
  present(id, members) {
    const style = /** @type {TextStyle} */ (this.reading.styles.get(id));
    return /** @type {any} */ (Object.assign(picked(members, FONT), { name: plainFont(style.fontName) }));
  }

  /** The font that a style needs. @param {Json} style @param {(id: string) => any} valueOf @returns {StyleFont} */
  chosen(style, valueOf) {
    const members = picked(style.members, FONT);
    const plain = mapped(members, (value) => (value && value.type === ALIAS ? valueOf(value.id) : value));
    const old = /** @type {TextStyle | undefined} */ (this.reading.styles.get(style.id));
    const family = this.ofFamily(plain.fontFamily);
    const wanted = plain.fontStyle !== null ? fontStyle(String(plain.fontStyle)) : { weight: plain.fontWeight, slant: plain.slant };
    const names = [plain.fontStyle, old && old.fontName.style];
    const fitting = family.filter((font) => {
      const { weight, slant } = fontStyle(font.style);
      return wanted.weight === null ? names.indexOf(font.style) >= 0 : weight === wanted.weight && slant === wanted.slant;
    });
    const name = fitting.find((font) => names.indexOf(font.style) >= 0) || fitting[0];
    const words = `weight ${wanted.weight}${wanted.slant === "normal" ? "" : `, ${wanted.slant}`}`;
    if (name === undefined) throw new Refused(`the font family ${plain.fontFamily} has no style of ${words}`);
    return /** @type {any} */ (Object.assign(members, { name: plainFont(name) }));
  }
}

/** @param {FontName} font */
const plainFont = (font) => ({ family: font.family, style: font.style });

/** Read the file, and load what the steps of requests need, before anything is written.
 * @param {Reading} reading @param {Json} body @returns {Promise<Reading>} the file as it is after the last wait */
async function withFonts(reading, body) {
  const fonts = new Fonts(reading);
  fonts.available = (await figma.listAvailableFontsAsync()).map((font) => font.fontName);
  reading.fonts = fonts;
  await loadFonts(reading, new Check(reading.meta, fonts).run(body));
  const again = await read([], true);
  again.fonts = Object.assign(new Fonts(again), { available: fonts.available });
  return again;
}

/** Load the fonts that steps set and find: the editor changes no text style without them.
 * @param {Reading} reading @param {Step[]} steps @param {boolean} [isFinishing] Whether what fails is for the steps to tell. */
async function loadFonts(reading, steps, isFinishing) {
  /** @type {FontName[]} */
  const needed = [];
  const expected = reading.fonts ? reading.fonts.expected : [];
  for (const step of steps) {
    if (step.do !== "set" || step.of !== "style" || ["name", "description", "effects"].indexOf(step.member) >= 0) continue;
    const style = /** @type {TextStyle | undefined} */ (reading.styles.get(step.id));
    if (style !== undefined) needed.push(plainFont(style.fontName));
    if (step.member === "font") for (const font of [step.value, step.was]) if (font) needed.push(font.name);
  }
  /** @type {Set<string>} */
  const loaded = new Set();
  for (const font of [...needed, ...expected]) {
    const key = JSON.stringify(font);
    if (loaded.has(key)) continue;
    loaded.add(key);
    try {
      await figma.loadFontAsync(font);
    } catch (error) {
      if (!isFinishing && needed.indexOf(font) >= 0) throw new Refused(textOf(error));
    }
  }
}

// ---------------------------------------------------------------------------------------------- writing

/** @param {Work} work @param {NewStyle} step */
function makeStyle(work, step) {
  const style = step.type === "TEXT" ? figma.createTextStyle() : figma.createEffectStyle();
  work.made.set(step.temp, styleId(style));
  work.reading.styles.set(styleId(style), style);
  style.setSharedPluginData(SPACE, "made", "1");
}

/** @param {Work} work @param {SetMember} step @param {any} value */
function setStyle(work, step, value) {
  const style = /** @type {any} */ (work.style(step.id));
  if (step.member === "font") return setFont(work, style, value);
  if (step.member === "effects") {
    style.effects = value.map((/** @type {Json} */ effect) => boundEffect(work, effect));
  } else if (BINDABLE.indexOf(step.member) < 0) {
    style[step.member] = value;
  } else {
    bind(work, style, step.member, value);
  }
}

/** @param {Work} work @param {any} style @param {string} member @param {any} value */
function bind(work, style, member, value) {
  if (value !== null && value.type === ALIAS) return style.setBoundVariable(member, work.variable(value.id));
  if ((style.boundVariables || {})[member]) style.setBoundVariable(member, null);
  if (value !== null && FONT.indexOf(member) < 0) style[member] = value;
}

/** @param {Work} work @param {TextStyle} style @param {StyleFont} font */
function setFont(work, style, font) {
  const fields = /** @type {("fontFamily" | "fontWeight" | "fontStyle")[]} */ (FONT.slice(0, 3));
  for (const field of fields) if (!font[field] || font[field].type !== ALIAS) bind(work, style, field, null);
  style.fontName = font.name;
  for (const field of fields) if (font[field] && font[field].type === ALIAS) bind(work, style, field, font[field]);
}

/** @param {Work} work @param {Json} member @returns {Effect} */
function boundEffect(work, member) {
  const literal = mapped(member, (part) => (part && part.type === ALIAS ? 0 : part));
  if ("offsetX" in member) literal.offset = { x: literal.offsetX, y: literal.offsetY };
  if (literal.color === 0) literal.color = { r: 0, g: 0, b: 0, a: 1 };
  delete literal.offsetX;
  delete literal.offsetY;
  let effect = /** @type {Effect} */ (/** @type {any} */ (literal));
  for (const field of /** @type {VariableBindableEffectField[]} */ (Object.keys(member))) {
    const part = member[field];
    if (part === null || part.type !== ALIAS) continue;
    effect = figma.variables.setBoundVariableForEffect(effect, field, work.variable(part.id));
  }
  return effect;
}

/** What a step finds of what it sets. @param {Work} work @param {SetMember} step */
function presentOf(work, step) {
  const style = work.style(step.id);
  if (step.member === "name" || step.member === "description") return style[step.member];
  const members = membersOf(style);
  if (step.member !== "font") return members[step.member];
  return Object.assign(picked(members, FONT), { name: plainFont(/** @type {TextStyle} */ (style).fontName) });
}

/** Whether a step of several calls can have left this. @param {SetMember} step @param {any} present */
function isBetween({ member, value, was, between }, present) {
  const known = between || [];
  if (member !== "font" || !was || !present) return known.some((value) => same(value, present));
  const fonts = [was, value, ...known.map((name) => ({ name }))];
  const areOurs = FONT.slice(0, 3).every((field) => {
    const isBound = present[field] !== null && present[field].type === ALIAS;
    return !isBound || same(present[field], was[field]) || same(present[field], value[field]);
  });
  return areOurs && ["family", "style"].every((part) => fonts.some((font) => font.name[part] === present.name[part]));
}

/** Whether somebody has changed a style that a request has made. @param {Work} work @param {NewStyle} step */
function isTouchedStyle(work, step) {
  if (!work.reading.styles.has(work.real(step.temp))) return false;
  return work.steps.some((setting) => {
    if (setting.do !== "set" || setting.of !== "style" || setting.id !== step.temp) return false;
    const present = presentOf(work, setting);
    if (same(present, work.resolved(setting.value))) return false;
    return !(setting.member === "font" || setting.member === "name" || same(present, FRESH[setting.member]));
  });
}

/** Find a style that was made, whose id is recorded nowhere. @param {Work} work @param {NewStyle} step */
function adoptStyle(work, step) {
  const known = new Set([...step.before, ...Array.from(work.made.values())]);
  for (const style of Array.from(work.reading.styles.values())) {
    if (style.type !== step.type || known.has(styleId(style)) || work.made.has(step.temp)) continue;
    const members = membersOf(style);
    const isFresh = style.description === "" && Object.keys(members).every((member) => {
      return FONT.indexOf(member) >= 0 || same(members[member], FRESH[member]);
    });
    if (!isFresh) continue;
    work.made.set(step.temp, styleId(style));
    style.setSharedPluginData(SPACE, "made", "1");
  }
}
