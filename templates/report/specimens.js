"use strict";
// What shows a value: a swatch, a bar, a word in its typeface. Each is a picture beside a value that stands in words,
// so it is hidden from screen readers.

const LONGEST_BAR = 72; // px: what a bar may take of its cell
const LARGEST_LETTER = 40;

function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

function drawn(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// An element of a class with the style properties that are given.
function styled(className, properties, text = "") {
  const element = make("span", className, text);
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

// A literal as pixels, for a picture of it; a rem counts 16.
function pixels([, number, unit]) {
  const value = Number(number) * (unit === "rem" || unit === "em" ? 16 : 1);
  return Number.isFinite(value) ? value : 0;
}

function swatch(literal, className = "swatch") {
  const element = make("span", className);
  if (Number(literal[2]) < 1) element.classList.add("sheer");
  element.append(styled("", { "background-color": colorCss(literal[1], literal[2]) }));
  return element;
}

const GENERIC = /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-serif|ui-sans-serif|ui-monospace|ui-rounded)$/i;

// A list of families as CSS: every name but a generic one is a string, since it may hold anything.
function families(value) {
  const names = Array.isArray(value) ? value.map(String) : String(value ?? "").split(",");
  return names.map((name) => name.trim().replace(/^(["'])(.*)\1$/s, "$2")).filter(Boolean).map((name) => (
    GENERIC.test(name) ? name : `"${name.replace(/\p{Cc}/gu, " ").replace(/["\\]/g, "\\$&")}"`
  )).join(", ");
}

function bar(literal) {
  const length = Math.max(pixels(literal), 0);
  return styled(length > LONGEST_BAR ? "bar long" : "bar", { width: `${Math.min(length, LONGEST_BAR)}px` });
}

function letters(properties, text = "Ag") {
  return styled("letters", properties, text);
}

// An easing curve, as high as it goes beyond its ends.
function curve([, value]) {
  const [x1, y1, x2, y2] = [0, 1, 2, 3].map((index) => Number(value?.[index]) || 0);
  const lowest = Math.min(0, y1, y2);
  const height = Math.max(1, y1, y2) - lowest;
  const at = (x, y) => `${rounded(4 + x * 40, 2)} ${rounded(44 - ((y - lowest) / height) * 40, 2)}`;
  return drawn("svg", { viewBox: "0 0 48 48", class: "curve" },
    drawn("path", { d: `M${at(0, 0)}C${at(x1, y1)} ${at(x2, y2)} ${at(1, 1)}` }));
}

const WEIGHTS = {
  __proto__: null, thin: 100, hairline: 100, "extra-light": 200, "ultra-light": 200, light: 300, normal: 400, regular: 400,
  book: 400, medium: 500, "semi-bold": 600, "demi-bold": 600, bold: 700, "extra-bold": 800, "ultra-bold": 800, black: 900,
  heavy: 900, "extra-black": 950, "ultra-black": 950,
};

function textStyle([, value]) {
  const size = pixels(["q", value?.fontSize?.value, value?.fontSize?.unit]) || 16;
  return letters({
    "font-family": families(value?.fontFamily),
    "font-size": `${Math.min(Math.max(size, 1), LARGEST_LETTER)}px`,
    "font-weight": String(WEIGHTS[value?.fontWeight] ?? value?.fontWeight ?? ""),
    "letter-spacing": css.measure(value?.letterSpacing ?? ""),
  });
}

function lines(gap) {
  const element = make("span", "lines");
  for (let count = 0; count < 3; count += 1) element.append(make("span"));
  element.style.setProperty("gap", `${Math.min(Math.max(gap, 1), 18)}px`);
  return element;
}

const DRAW = {
  __proto__: null,
  color: (literal) => swatch(literal),
  opacity: (literal) => swatch(["c", "#6b7488", String(Math.min(Math.max(Number(literal[1]) / 100, 0), 1))]),
  fraction: (literal) => swatch(["c", "#6b7488", String(Math.min(Math.max(Number(literal[1]), 0), 1))]),
  length: bar,
  stroke: (literal) => styled("stroke", { "border-top-width": `${Math.min(Math.max(pixels(literal), 0), 24)}px` }),
  radius: (literal) => styled("corner", { "border-top-left-radius": `${Math.min(Math.max(pixels(literal), 0), 40)}px` }),
  font: ([, value]) => letters({ "font-family": families(value) }),
  "font-size": (literal) => letters({ "font-size": `${Math.min(Math.max(pixels(literal), 1), LARGEST_LETTER)}px` }),
  weight: ([, number]) => letters({ "font-weight": number }),
  "letter-spacing": (literal) => letters({ "letter-spacing": `${Math.min(pixels(literal), 12)}px`, "font-size": "15px" }, "Tracking"),
  "line-height": (literal) => lines(literal[2] || pixels(literal) > 4 ? pixels(literal) / 4 : pixels(literal) * 5),
  number: ([, number]) => make("span", "figure", number),
  string: () => make("span", "figure", "“ ”"),
  boolean: ([, value]) => make("span", value ? "switch on" : "switch"),
  duration: () => drawn("svg", { viewBox: "0 0 48 48", class: "curve" },
    drawn("circle", { cx: "24", cy: "24", r: "18" }), drawn("path", { d: "M24 13V24L32 29" })),
  curve,
  transition: ([, value]) => curve(["x", value?.timingFunction]),
  shadow: ([, value]) => styled("sheet", { "box-shadow": css.shadow(value) }),
  border: ([, value]) => styled("sheet plain", { border: css.border(value) }),
  gradient: ([, value]) => styled("sheet plain", { "background-image": `linear-gradient(90deg, ${css.gradient(value)})` }),
  "stroke-style": ([, value]) => styled("stroke", { "border-top-style": css.strokeStyle(value), "border-top-width": "3px" }),
  typography: textStyle,
};

// The picture of a literal, in a cell of its own.
function specimen(literal, kind) {
  const cell = make("span", `specimen of-${kind}`);
  cell.setAttribute("aria-hidden", "true");
  if (literal[0] === "!") cell.append(make("span", "nothing", "∅"));
  else if (kind in DRAW) cell.append(DRAW[kind](literal));
  return cell;
}

const OF_TYPE = {
  __proto__: null, border: "border", boolean: "boolean", color: "color", css: "string", cubicBezier: "curve", duration: "duration",
  fontFamily: "font", fontWeight: "weight", gradient: "gradient", shadow: "shadow", string: "string", strokeStyle: "stroke-style",
  transition: "transition", typography: "typography",
};
const OF_SCOPE = {
  __proto__: null, CORNER_RADIUS: "radius", FONT_SIZE: "font-size", GAP: "length", LETTER_SPACING: "letter-spacing",
  LINE_HEIGHT: "line-height", PARAGRAPH_INDENT: "length", PARAGRAPH_SPACING: "length", STROKE_FLOAT: "stroke", WIDTH_HEIGHT: "length",
};
const OF_WORDS = {
  __proto__: null, "font size": "font-size", "text size": "font-size", "line height": "line-height", "letter spacing": "letter-spacing",
  corner: "radius", corners: "radius", radii: "radius", radius: "radius", rounded: "radius", stroke: "stroke", border: "stroke",
  outline: "stroke", leading: "line-height", tracking: "letter-spacing",
};
const POSSIBLE = {
  __proto__: null, dimension: ["font-size", "letter-spacing", "line-height", "length", "radius", "stroke"],
  number: ["letter-spacing", "line-height"],
};

// What shows a token: by its type, by its only scope, or by the words of its name.
function specimenOf(type, scopes, opacity, names) {
  if (type in OF_TYPE) return OF_TYPE[type];
  if (opacity) return opacity === "percent" ? "opacity" : "fraction";
  const possible = POSSIBLE[type] ?? [];
  const [byScope, ...others] = new Set(scopes.map((scope) => OF_SCOPE[scope]));
  if (!others.length && possible.includes(byScope)) return byScope;
  const words = names.flatMap((name) => name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  const named = [...pairs, ...words].map((word) => OF_WORDS[word]).find((kind) => possible.includes(kind));
  return named ?? { __proto__: null, dimension: "length", number: "number" }[type] ?? "none";
}
