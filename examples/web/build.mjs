// Builds the pages that need it, from the files that `tokensync build` wrote to generated/.
import { execFileSync } from "node:child_process";
import { build } from "esbuild";

const cli = "node_modules/@tailwindcss/cli/dist/index.mjs";
execFileSync(process.execPath, [cli, "-i", "tailwind/app.css", "-o", "build/tailwind.css", "--minify"], { stdio: "inherit" });
const shared = { bundle: true, minify: true, define: { "process.env.NODE_ENV": '"production"' } };
await build({ ...shared, entryPoints: { tailwind: "tailwind/app.tsx" }, outdir: "build" });
