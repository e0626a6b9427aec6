// Reads a file URL from standard input as a string in JSON: a token file or a resolver document. Prints its tokens
// with every modifier at its default, and the number of combinations of contexts. Each context is resolved in one of
// them at least; not all are, since each takes as long as reading a library's files anew.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { Logger, defineConfig, parse } from "@terrazzo/parser";

const filename = new URL(JSON.parse(await text(process.stdin)));
const logger = new Logger({ level: "error" });
const cwd = new URL("./", filename);
// The rules `core/valid-*` refuse whole types, string and boolean among them, before they look at a value.
const config = defineConfig({ lint: { rules: {} } }, { cwd, logger });
const off = Object.fromEntries(
  Object.keys(config.lint.rules).filter((rule) => rule.startsWith("core/valid-")).map((rule) => [rule, "off"]),
);
const { tokens, resolver } = await parse([{ filename, src: readFileSync(filename, "utf8") }], {
  config: defineConfig({ lint: { rules: off } }, { cwd, logger }),
  logger,
});
const permutations = resolver.listPermutations ? resolver.listPermutations() : [{}];
const seen = new Set();
for (const input of permutations) {
  const contexts = Object.entries(input).map(([modifier, context]) => JSON.stringify([modifier, context]));
  if (seen.size === 0 || contexts.some((each) => !seen.has(each))) {
    resolver.apply(input);
    contexts.forEach((each) => seen.add(each));
  }
}

const shown = Object.fromEntries(Object.entries(tokens).map(([id, each]) => [id, { type: each.$type, value: each.$value }]));
process.stdout.write(JSON.stringify({ tokens: shown, permutations: permutations.length }));
