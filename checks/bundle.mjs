// Reads {folder, entry} from standard input as JSON; prints what esbuild and Rollup leave of that source, as JSON.
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build, transform } from "esbuild";
import { rollup } from "rollup";

const { folder, entry } = JSON.parse(await text(process.stdin));
const stdin = { contents: entry, resolveDir: folder };
const built = await build({ stdin, bundle: true, minify: true, format: "esm", write: false, absWorkingDir: folder });
const source = {
  name: "source",
  resolveId: (id) => (id === "entry" ? id : join(folder, id)),
  load: (id) => (id === "entry" ? entry : null),
};
const bundle = await rollup({ input: "entry", plugins: [source], onLog: () => {} });
const rolled = (await bundle.generate({ format: "esm" })).output[0].code;
const minified = await transform(rolled, { minify: true });
process.stdout.write(JSON.stringify({ esbuild: built.outputFiles[0].text, rollup: minified.code }));
