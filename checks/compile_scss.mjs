// Reads {source, files, style} from standard input as JSON; prints the CSS of the source, which may @use the files, as JSON.
import { text } from "node:stream/consumers";
import { compileString } from "sass";

const { source, files, style } = JSON.parse(await text(process.stdin));
const scheme = "given:";
const importer = {
  canonicalize(url) {
    const bare = url.replace(scheme, "").replace(/^\.?\//, "");
    const [, folder, name] = /^(.*\/)?([^/]*)$/.exec(bare);
    const tried = [bare, `${bare}.scss`, `${folder ?? ""}_${name}.scss`, `${bare}/_index.scss`, `${bare}/index.scss`];
    const found = tried.find((each) => Object.hasOwn(files, each));
    return found === undefined ? null : new URL(`${scheme}${found}`);
  },
  load: (url) => ({ contents: files[decodeURIComponent(url.href.slice(scheme.length))], syntax: "scss" }),
};
const warned = [];
const { css } = compileString(source, {
  importers: [importer],
  charset: false,
  style,
  logger: { warn: (message) => warned.push(message), debug() {} },
});
if (warned.length > 0) {
  throw new Error(warned.join("\n"));
}
process.stdout.write(JSON.stringify(css));
