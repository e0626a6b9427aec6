// Reads {folder, entries} from standard input as JSON; prints {css, code} of these modules, as JSON: their style sheet,
// and what is left of the last module.
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { transformFileSync } from "@babel/core";
import stylex from "@stylexjs/babel-plugin";

const { folder, entries } = JSON.parse(await text(process.stdin));
const options = { dev: false, unstable_moduleResolution: { type: "commonJS", rootDir: folder } };
const compiled = entries.map((entry) =>
  transformFileSync(join(folder, entry), {
    babelrc: false,
    configFile: false,
    compact: false,
    plugins: [[stylex, options]],
  }),
);
const rules = compiled.flatMap(({ metadata }) => metadata.stylex ?? []);
process.stdout.write(
  JSON.stringify({ css: stylex.processStylexRules(rules, { useLayers: false }), code: compiled.at(-1).code }),
);
