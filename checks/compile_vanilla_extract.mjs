// Reads {folder, entry} from standard input as JSON; prints the style sheet of that file, as JSON.
import { text } from "node:stream/consumers";
import { vanillaExtractPlugin } from "@vanilla-extract/esbuild-plugin";
import { build } from "esbuild";

const { folder, entry } = JSON.parse(await text(process.stdin));
const built = await build({
  entryPoints: [entry],
  absWorkingDir: folder,
  outdir: "out",
  bundle: true,
  write: false,
  logLevel: "silent",
  plugins: [vanillaExtractPlugin({ cwd: folder })],
});
process.stdout.write(JSON.stringify(built.outputFiles.find((file) => file.path.endsWith(".css")).text));
