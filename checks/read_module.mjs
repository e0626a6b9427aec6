// Reads a file URL from standard input as a string in JSON; prints what that ES module exports as JSON.
import { readFileSync } from "node:fs";

process.stdout.write(JSON.stringify({ ...(await import(JSON.parse(readFileSync(0, "utf8")))) }));
