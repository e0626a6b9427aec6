// Builds code from a resolver document with Style Dictionary, and with Terrazzo for the web. Reads {resolver, folder,
// tailwind} in JSON from standard input: the document, where the files go, and the theme option of Terrazzo's plug-in for
// Tailwind, without which the platforms are native. Both programs have the settings that their documentation begins
// with. Style Dictionary has an instance for each context, whose file has the tokens of the context's own files.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { Logger, build, defineConfig, parse } from "@terrazzo/parser";
import css from "@terrazzo/plugin-css";
import js from "@terrazzo/plugin-js";
import tailwind from "@terrazzo/plugin-tailwind";
import StyleDictionary from "style-dictionary";

const { resolver: path, folder, tailwind: theme } = JSON.parse(await text(process.stdin));
const document = JSON.parse(readFileSync(path, "utf8"));
const modifiers = Object.entries(document.modifiers ?? {});
const others = modifiers.flatMap(([modifier, { contexts, default: usual }]) =>
  Object.keys(contexts).filter((context) => context !== usual).map((context) => [modifier, context]),
);

function write(name, content) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}

function files(sources) {
  return sources.map(({ $ref }) => join(dirname(path), $ref));
}

// Terrazzo has no form for a token that only some contexts have, such as one that refers to a deleted variable in others.
function absentByDefault(modifier, context) {
  const { contexts, default: usual } = document.modifiers[modifier];
  const [theirs, ours] = [contexts[context], contexts[usual]].map((sources) => files(sources).flatMap(identifiersOf));
  return theirs.filter((identifier) => !ours.includes(identifier));
}

function identifiersOf(file) {
  const below = (group, path) =>
    Object.entries(group).flatMap(([name, member]) =>
      name.startsWith("$") ? [] : "$value" in member ? [[...path, name].join(".")] : below(member, [...path, name]),
    );
  return below(JSON.parse(readFileSync(file, "utf8")), []);
}

async function runStyleDictionaryWith(chosen, platforms) {
  const sets = files(Object.values(document.sets ?? {}).flatMap(({ sources }) => sources));
  const contexts = modifiers.flatMap(([modifier, { contexts, default: usual }]) => files(contexts[chosen[modifier] ?? usual]));
  const dictionary = new StyleDictionary({
    source: [...sets, ...contexts],
    platforms,
    log: { verbosity: "silent", warnings: "disabled", errors: { brokenReferences: "console" } },
  });
  await dictionary.buildAllPlatforms();
}

// The file of a context has its tokens only, so it has values instead of references to tokens of other files.
async function runStyleDictionaryNatively() {
  for (const [modifier, context] of [[], ...others]) {
    const own = new Set(modifier ? files(document.modifiers[modifier].contexts[context]) : []);
    const filter = modifier ? (token) => own.has(token.filePath) : undefined;
    const platform = (name, transformGroup, destination, format, options) => ({
      transformGroup,
      buildPath: `${folder}/style-dictionary/${name}/${modifier ? `${modifier}.${context}` : "default"}/`,
      files: [{ destination, format, filter, options: { className: "StyleDictionary", outputReferences: !modifier, ...options } }],
    });
    await runStyleDictionaryWith(modifier ? { [modifier]: context } : {}, {
      ios: platform("ios", "ios-swift", "StyleDictionary.swift", "ios-swift/enum.swift"),
      android: platform("android", "android", "resources.xml", "android/resources"),
      compose: platform("compose", "compose", "StyleDictionary.kt", "compose/object", { packageName: "com.example" }),
      flutter: platform("flutter", "flutter", "style_dictionary.dart", "flutter/class.dart"),
    });
  }
}

async function runStyleDictionary() {
  const sheet = (destination, selector, filter) => ({
    transformGroup: "css",
    buildPath: `${folder}/style-dictionary/css/`,
    files: [{ destination, format: "css/variables", filter, options: { selector, outputReferences: true } }],
  });
  const module = {
    transformGroup: "js",
    buildPath: `${folder}/style-dictionary/typescript/`,
    files: [
      { destination: "tokens.js", format: "javascript/es6" },
      { destination: "tokens.d.ts", format: "typescript/es6-declarations" },
    ],
  };
  await runStyleDictionaryWith({}, { css: sheet("tokens.css", ":root"), module });
  for (const [modifier, context] of others) {
    const own = new Set(files(document.modifiers[modifier].contexts[context]));
    const selector = `[data-${modifier}="${context}"]`;
    await runStyleDictionaryWith({ [modifier]: context }, { css: sheet(`${modifier}.${context}.css`, selector, (token) => own.has(token.filePath)) });
  }
}

async function runTerrazzo() {
  const logger = new Logger({ level: "error" });
  const cwd = pathToFileURL(`${folder}/`);
  const block = (selector) => (content) => `${selector} {\n  ${content}\n}`;
  const contexts = others.map(([modifier, context]) => ({
    input: { [modifier]: context },
    include: [`${modifier}.**`],
    prepare: block(`[data-${modifier}="${context}"]`),
    exclude: absentByDefault(modifier, context),
  }));
  const permutations = [{ input: {}, prepare: block(":root") }, ...contexts];
  const blocks = others.map(([modifier, context]) => `[data-${modifier}="${context}"] {\n  @tz (${modifier}: "${context}");\n}\n`);
  write("template.css", ["@theme {\n  @tz ();\n}\n", ...blocks].join("\n"));
  const filename = pathToFileURL(path);
  const run = async (plugins) => {
    const config = defineConfig({ tokens: [path], outDir: "./terrazzo/", plugins, lint: { rules: {} } }, { cwd, logger });
    const parsed = await parse([{ filename, src: readFileSync(path, "utf8") }], { config, logger, skipLint: true });
    const { outputFiles } = await build(parsed.tokens, { ...parsed, config, logger });
    for (const file of outputFiles) write(join("terrazzo", file.filename), file.contents);
  };
  await run([
    css({ filename: "css/tokens.css", legacyHex: true, permutations }),
    tailwind({ filename: "tailwind/theme.css", template: "../template.css", theme }),
  ]);
  await run([js({ filename: "typescript/tokens.js" })]);
}

if (theme) {
  await runStyleDictionary();
  await runTerrazzo();
} else {
  await runStyleDictionaryNatively();
}
