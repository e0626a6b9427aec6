"use strict";
// Values as text for people, and as CSS for specimens. Whatever comes from the design file is put on the page as text
// or through the style object, never as markup.

// The text with what nobody sees, or what turns text around, spelled out. UNSEEN comes from the page, as all outlets
// have one definition of it.
function visible(text) {
  return text.replace(UNSEEN, (each, ...rest) => (rest.at(-1).kept ? each : spelled(each.codePointAt(0))));
}

const NAMED = { 9: "\\t", 10: "\\n", 13: "\\r" };

function spelled(code) {
  const digits = code.toString(16);
  if (NAMED[code]) return NAMED[code];
  return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

function rounded(number, digits = 4) {
  return String(Number(number.toFixed(digits)));
}

function percent(share) {
  return `${rounded(share * 100, 2)}%`;
}

const REASONS = {
  absent: "no value in this mode",
  cycle: "its aliases form a cycle",
  dangling: "it leads to a token that is not there",
  mismatch: "it leads to a value of another type",
};

// A literal as people read it.
function valueText(literal, type, specimen) {
  const [kind, first, second] = literal;
  switch (kind) {
    case "c": return Number(second) === 1 ? first : `${first} ${percent(Number(second))}`;
    case "n": return type === "dimension" ? `${first}px` : specimen === "opacity" ? `${first}%` : first;
    case "q": return first + second;
    case "s": return visible(first);
    case "b": return first ? "true" : "false";
    case "x": return visible(compositeText(first, type));
    default: return REASONS[first];
  }
}

// A literal's colour as CSS.
function colorCss(hex, alpha) {
  if (Number(alpha) === 1) return hex;
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgb(${red} ${green} ${blue} / ${alpha})`;
}

const OWN_FUNCTIONS = ["hsl", "hwb", "lab", "lch", "oklab", "oklch"]; // the other spaces are arguments of color()

// A DTCG value as CSS, or nothing for what is none.
const css = {
  __proto__: null, // a type may be called constructor
  color(value) {
    const alpha = Number(value?.alpha ?? 1);
    if (/^#[0-9a-f]{6}$/i.test(value?.hex ?? "")) return colorCss(value.hex, alpha);
    const space = String(value?.colorSpace ?? "");
    const parts = [value?.components ?? []].flat().map((each) => (each === "none" ? each : rounded(Number(each), 5)));
    if (parts.length !== 3 || parts.includes("NaN") || !/^[a-z0-9-]+$/.test(space)) return "";
    if (space === "srgb" && !parts.includes("none")) {
      const bytes = parts.map((each) => Math.round(Math.min(Math.max(Number(each), 0), 1) * 255));
      return colorCss(`#${bytes.map((each) => each.toString(16).padStart(2, "0")).join("")}`, alpha);
    }
    const opacity = alpha === 1 ? "" : ` / ${alpha}`;
    if (space === "hsl" || space === "hwb") return `${space}(${parts[0]} ${parts[1]}% ${parts[2]}%${opacity})`;
    return OWN_FUNCTIONS.includes(space) ? `${space}(${parts.join(" ")}${opacity})` : `color(${space} ${parts.join(" ")}${opacity})`;
  },
  measure(value) {
    return value && typeof value === "object" ? `${Number(value.value)}${value.unit}` : String(value ?? "");
  },
  shadow(value) {
    return [value].flat().map((each) => [
      each?.inset === true ? "inset" : "",
      ...["offsetX", "offsetY", "blur", "spread"].map((name) => css.measure(each?.[name] ?? 0)),
      css.color(each?.color),
    ].filter(Boolean).join(" ")).join(", ");
  },
  border(value) {
    return [css.measure(value?.width), css.strokeStyle(value?.style), css.color(value?.color)].join(" ");
  },
  strokeStyle(value) {
    return typeof value === "string" ? value : "dashed";
  },
  gradient(value) {
    return [value].flat().map((stop) => `${css.color(stop?.color)} ${percent(Math.min(Math.max(Number(stop?.position ?? 0), 0), 1))}`).join(", ");
  },
  cubicBezier(value) {
    return `cubic-bezier(${[value].flat().map(Number).join(", ")})`;
  },
  transition(value) {
    const { duration, delay, timingFunction } = value ?? {};
    return [css.measure(duration), css.cubicBezier(timingFunction), delay ? css.measure(delay) : ""].filter(Boolean).join(" ");
  },
  fontFamily(value) {
    return [value].flat().map(String).join(", ");
  },
};

// A composite in the shortest words that people know it by.
function compositeText(value, type) {
  if (type === "typography" && value && typeof value === "object") {
    const { fontFamily, fontSize, fontWeight, lineHeight } = value;
    const size = [css.measure(fontSize), lineHeight === undefined ? "" : css.measure(lineHeight)].filter(Boolean).join("/");
    return [fontWeight ?? "", size, css.fontFamily(fontFamily ?? "")].filter((each) => each !== "").join(" ");
  }
  return type in css ? css[type](value) : JSON.stringify(value);
}
