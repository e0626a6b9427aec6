// Runs a script of tokensync on a model of the open file, as Figma's use_figma does: in an async function that gets figma.
//
//   node script.mjs SETTINGS
//
// SETTINGS is a JSON file: {script: file, state: file, options, faults, missing: names of what figma does not implement}. The
// state is saved, and a line of JSON says what comes of it: {"returned", "logged", "executed"}, or {"closed": true}.

import { readFileSync, writeFileSync } from "node:fs";
import vm from "node:vm";
import { pluginApi } from "./figma.mjs";
import { OpenFile } from "./file.mjs";

const settings = JSON.parse(readFileSync(process.argv[2], "utf8"));
const file = new OpenFile(JSON.parse(readFileSync(settings.state, "utf8")), settings.options, settings.faults);
const figma = pluginApi(file, { show() {}, post() {}, close() {} });
for (const name of settings.missing || []) {
  figma[name] = () => {
    throw new Error(`${name} is not implemented`);
  };
}
const logged = [];
const context = vm.createContext({ figma, console: { log: (text) => logged.push(String(text)) } });
let outcome;
try {
  const code = readFileSync(settings.script, "utf8");
  const returned = await vm.runInContext(`(async () => {${code}\n})()`, context);
  outcome = file.closed ? { closed: true } : { returned: JSON.parse(JSON.stringify(returned)), logged };
} catch (error) {
  if (!file.closed) throw error;
  outcome = { closed: true };
}
file.closed = false;
writeFileSync(settings.state, JSON.stringify(file.state()));
const known = ["figma", "console"];
outcome.executed = Object.getOwnPropertyNames(context).filter((name) => !known.includes(name));
console.log(JSON.stringify(outcome));
