// Reads {css} from standard input as a string in JSON; prints stylelint's findings, a text each.
import { text } from "node:stream/consumers";
import stylelint from "stylelint";

const rules = {
  "at-rule-no-unknown": true,
  "block-no-empty": true,
  "color-no-invalid-hex": true,
  "custom-property-no-missing-var-function": true,
  "declaration-block-no-duplicate-custom-properties": true,
  "declaration-block-no-duplicate-properties": true,
  "declaration-property-value-no-unknown": true,
  "font-family-name-quotes": "always-where-recommended",
  "function-no-unknown": true,
  "media-feature-name-no-unknown": true,
  "media-query-no-invalid": true,
  "no-duplicate-at-import-rules": true,
  "no-duplicate-selectors": true,
  "no-invalid-double-slash-comments": true,
  "no-unknown-custom-properties": true,
  "property-no-unknown": true,
  "selector-pseudo-class-no-unknown": true,
  "string-no-newline": true,
  "unit-no-unknown": true,
};
const { results } = await stylelint.lint({ code: JSON.parse(await text(process.stdin)), config: { rules } });
const [{ warnings, invalidOptionWarnings }] = results;
const found = warnings.map(({ line, column, text }) => `${line}:${column}: ${text}`);
process.stdout.write(JSON.stringify([...invalidOptionWarnings.map(({ text }) => text), ...found]));
