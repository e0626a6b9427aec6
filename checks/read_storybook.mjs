// Reads {folder} from standard input as JSON; prints the categories that Storybook's addon finds in its style sheets.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { viteFinal } from "storybook-design-token/preset";

const { folder } = JSON.parse(await text(process.stdin));
process.chdir(folder);
const { plugins } = await viteFinal({}, { designTokenGlob: "*.css" });
const plugin = plugins.flat().find((each) => each?.name?.includes("design-token"));
plugin.configResolved({ publicDir: folder, root: folder });
await plugin.transform();
const found = JSON.parse(readFileSync(join(folder, "design-tokens.source.json"), "utf8"));
process.stdout.write(JSON.stringify(found.cssTokens.categories));
