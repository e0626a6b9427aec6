// Reads {path: css} from standard input as JSON; prints the findings of stylelint-config-standard, a text each, by path.
import { text } from "node:stream/consumers";
import stylelint from "stylelint";

const config = { extends: "stylelint-config-standard" };
const findings = {};
for (const [path, code] of Object.entries(JSON.parse(await text(process.stdin)))) {
  const { results } = await stylelint.lint({ code, config });
  findings[path] = results[0].warnings.map(({ line, column, text }) => `${line}:${column}: ${text}`);
}
process.stdout.write(JSON.stringify(findings));
