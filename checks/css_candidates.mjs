// The words and functions in declarations of style sheets, as postcss and postcss-value-parser read them.
//
// Gets {path: text} as JSON; writes {path: [[offset, property, text, whether it is a function], ...]}.
// Omitted are descriptors, the values of masks, and what is inside of var(), env(), url() and attr().
import { readFileSync } from "node:fs";
import names from "color-name";
import postcss from "postcss";
import scss from "postcss-scss";
import valueParser from "postcss-value-parser";

const descriptors = ["font-face", "property", "counter-style", "font-palette-values", "page"];

function candidates(path, text) {
  const found = [];
  (path.endsWith(".scss") ? scss : postcss).parse(text).walkDecls((declaration) => {
    if (descriptors.includes(declaration.parent.name) || /^(-webkit-)?mask/.test(declaration.prop)) return;
    const value = declaration.raws.value?.raw ?? declaration.value;
    const start = declaration.source.start.offset + declaration.prop.length + declaration.raws.between.length;
    valueParser(value).walk((node) => {
      const isFunction = node.type === "function";
      if (isFunction && /^(var|env|url|attr)$/i.test(node.value)) return false;
      const isName = node.type === "word" && Object.hasOwn(names, node.value.toLowerCase());
      if (isName || (node.type === "word" && node.value[0] === "#") || (isFunction && node.value)) {
        const written = value.slice(node.sourceIndex, node.sourceEndIndex);
        found.push([start + node.sourceIndex, declaration.prop, written, isFunction]);
      }
    });
  });
  return found;
}

const texts = JSON.parse(readFileSync(0, "utf8"));
const found = Object.entries(texts).map(([path, text]) => [path, candidates(path, text)]);
process.stdout.write(JSON.stringify(Object.fromEntries(found)));
