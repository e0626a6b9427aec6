// Reads a file URL from standard input as a string in JSON; prints what that ES module exports as JSON.
import { text } from "node:stream/consumers";

process.stdout.write(JSON.stringify({ ...(await import(JSON.parse(await text(process.stdin)))) }));
