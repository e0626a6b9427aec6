// Reads {css} from standard input as a string in JSON; prints its style rules with typed custom properties.
import { readFileSync } from "node:fs";
import { transform } from "lightningcss";

const css = JSON.parse(readFileSync(0, "utf8"));
const rules = [];

transform({
  filename: "tokens.css",
  code: Buffer.from(css),
  visitor: {
    Rule: {
      style(rule) {
        const { selectors, declarations } = rule.value;
        const { declarations: normal, importantDeclarations: important } = declarations;
        rules.push({
          selectors,
          declarations: [...normal, ...important]
            .filter((each) => each.property === "custom")
            .map((each) => [each.value.name, each.value.value]),
        });
      },
    },
  },
});

process.stdout.write(JSON.stringify(rules));
