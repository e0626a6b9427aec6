// Calls tools of an MCP server: the program and its arguments as JSON, then each call. Prints the text of each answer.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [args, ...calls] = process.argv.slice(2).map((argument) => JSON.parse(argument));
const client = new Client({ name: "judge", version: "1" });
await client.connect(new StdioClientTransport({ command: process.execPath, args, env: process.env, stderr: "ignore" }));
const texts = [];
for (const [name, given] of calls) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const text = content.map((part) => part.text ?? "").join("\n");
  if (isError) throw new Error(`${name}: ${text}`);
  texts.push(text);
}
await client.close();
console.log(JSON.stringify(texts));
