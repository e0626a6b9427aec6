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

function bar(literal) {
  const length = Math.max(pixels(literal), 0);
  return styled(length > LONGEST_BAR ? "bar long" : "bar", { width: `${Math.min(length, LONGEST_BAR)}px` });
}

function letters(properties, text = "Ag") {
  return styled("letters", properties, text);
}

function curve([, value]) {
  const [x1, y1, x2, y2] = [value].flat().map(Number).map((each) => (Number.isFinite(each) ? each : 0));
  const at = (x, y) => `${rounded(4 + x * 40, 2)} ${rounded(44 - y * 40, 2)}`;
  return drawn("svg", { viewBox: "-4 -8 56 64", class: "curve" },
    drawn("path", { d: `M${at(0, 0)}C${at(x1, y1)} ${at(x2, y2)} ${at(1, 1)}` }));
}

function lines(gap) {
  const element = make("span", "lines");
  for (let count = 0; count < 3; count += 1) element.append(make("span"));
  element.style.setProperty("gap", `${Math.min(Math.max(gap, 1), 18)}px`);
  return element;
}

const DRAW = {
  color: (literal) => swatch(literal),
  opacity: (literal) => swatch(["c", "#6b7488", String(Math.min(Math.max(Number(literal[1]) / 100, 0), 1))]),
  length: bar,
  stroke: (literal) => styled("stroke", { "border-top-width": `${Math.min(Math.max(pixels(literal), 0), 24)}px` }),
  radius: (literal) => styled("corner", { "border-top-left-radius": `${Math.min(Math.max(pixels(literal), 0), 40)}px` }),
  font: ([kind, value]) => letters({ "font-family": kind === "s" ? value : css.fontFamily(value) }),
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
  typography: ([, value]) => letters({
    "font-family": css.fontFamily(value?.fontFamily ?? ""),
    "font-size": `${Math.min(parseFloat(css.measure(value?.fontSize)) || 16, LARGEST_LETTER)}px`,
    "font-weight": String(value?.fontWeight ?? ""),
  }),
};

// The picture of a literal, in a cell of its own.
function specimen(literal, kind) {
  const cell = make("span", `specimen of-${kind}`);
  cell.setAttribute("aria-hidden", "true");
  if (literal[0] === "!") cell.append(make("span", "nothing", "∅"));
  else if (kind in DRAW) cell.append(DRAW[kind](literal));
  return cell;
}
