// Builds the pages that need it, from the files that `tokensync build` wrote to generated/.
import { execFileSync } from "node:child_process";
import { vanillaExtractPlugin } from "@vanilla-extract/esbuild-plugin";
import { build } from "esbuild";

const cli = "node_modules/@tailwindcss/cli/dist/index.mjs";
execFileSync(process.execPath, [cli, "-i", "tailwind/app.css", "-o", "build/tailwind.css", "--minify"], { stdio: "inherit" });
await build({
  entryPoints: { tailwind: "tailwind/app.tsx", react: "react/app.tsx" },
  outdir: "build",
  bundle: true,
  minify: true,
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [vanillaExtractPlugin()],
});
