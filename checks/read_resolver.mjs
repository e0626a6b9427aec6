// Reads the file URL of a resolver document from standard input as a string in JSON. Prints every combination of
// contexts, with the tokens that Terrazzo resolves for it: [{input, tokens: {id: {type, value}}}].
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { Logger, defineConfig, parse } from "@terrazzo/parser";

const filename = new URL(JSON.parse(await text(process.stdin)));
const logger = new Logger({ level: "silent" });
const cwd = new URL("./", filename);
const config = defineConfig({ lint: { rules: {} } }, { cwd, logger });
const { resolver } = await parse([{ filename, src: readFileSync(filename, "utf8") }], { config, logger, skipLint: true });
const shown = (tokens) =>
  Object.fromEntries(Object.entries(tokens).map(([id, each]) => [id, { type: each.$type, value: each.$value }]));
process.stdout.write(
  JSON.stringify(resolver.listPermutations().map((input) => ({ input, tokens: shown(resolver.apply(input)) }))),
);
