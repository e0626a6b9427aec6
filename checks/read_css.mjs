// Reads {css} from standard input as a string in JSON; prints its style rules with typed custom properties, and the
// at-rules around each.
import { text } from "node:stream/consumers";
import { transform } from "lightningcss";

const css = JSON.parse(await text(process.stdin));
const rules = [];
const around = [];

transform({
  filename: "tokens.css",
  code: Buffer.from(css),
  visitor: {
    Rule: (rule) => {
      if (rule.type === "media" || rule.type === "layer-block" || rule.type === "supports") {
        around.push(rule.value);
      }
      if (rule.type === "style") {
        const { selectors, declarations } = rule.value;
        const { declarations: normal, importantDeclarations: important } = declarations;
        rules.push({
          selectors,
          at: around.map((each) => each.query ?? each.condition ?? each.name),
          declarations: [...normal, ...important]
            .filter((each) => each.property === "custom")
            .map((each) => [each.value.name, each.value.value]),
        });
      }
    },
    RuleExit: (rule) => {
      if (rule.type === "media" || rule.type === "layer-block" || rule.type === "supports") {
        around.pop();
      }
    },
  },
});

process.stdout.write(JSON.stringify(rules));
