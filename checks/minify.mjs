// Reads {css, js} from standard input as JSON; prints what minifiers make of each sheet and module, as JSON.
import { text } from "node:stream/consumers";
import { transform as transformed } from "esbuild";
import { transform } from "lightningcss";

const { css, js } = JSON.parse(await text(process.stdin));
const minified = [];
for (const each of css) {
  minified.push((await transformed(each, { loader: "css", minify: true })).code);
  minified.push(transform({ filename: "tokens.css", code: Buffer.from(each), minify: true }).code.toString());
}
for (const each of js) {
  minified.push((await transformed(each, { loader: "js", minify: true })).code);
}
process.stdout.write(JSON.stringify(minified));
