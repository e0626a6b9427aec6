"use strict";
// How files come to the page: chosen, or dropped on it.

const MOST_NOTES = 12;

function textOf(file) {
  return file.text().then((text) => text.replace(/^\ufeff/, ""));
}

// The files of a dropped entry, with their paths; a folder gives its entries in several answers.
async function filesIn(entry) {
  if (entry.isFile) return [[entry.fullPath.replace(/^\//, ""), await new Promise((...done) => { entry.file(...done); })]];
  const reader = entry.createReader();
  const found = [];
  for (let some; !some || some.length;) {
    some = await new Promise((...done) => { reader.readEntries(...done); });
    for (const each of some) found.push(...await filesIn(each));
  }
  return found;
}

async function open(files) {
  const draft = new Draft(reading);
  const trees = [];
  for (const [path, file] of files.filter(([name]) => /\.json$/i.test(name))) {
    try {
      const tree = JSON.parse(await textOf(file));
      if (isObject(tree)) trees.push({ path, tree });
    } catch (error) {
      draft.notes.push(`${path}: ${error.message}`);
    }
  }
  const payloadOf = ({ tree }) => [tree.meta, tree].find((each) => isObject(each?.variables) && isObject(each.variableCollections));
  const response = trees.find(payloadOf);
  try {
    if (response) readResponse(draft, payloadOf(response));
    else readTokenFiles(draft, trees);
    showTokens(draft, response?.path ?? [files[0]?.[0] ?? ""].map((path) => path.split("/")[0])[0]);
  } catch (error) {
    draft.notes.push(`this has another form than a response or token files (${error.message})`);
  }
  if (!draft.tokens.length) draft.notes.unshift("no tokens in these files; choose a response with variables, or DTCG token files");
  const notes = draft.notes.slice(0, MOST_NOTES).map((text) => make("p", "", shortened(visible(text))));
  if (draft.notes.length > MOST_NOTES) notes.push(make("p", "", `and ${draft.notes.length - MOST_NOTES} more`));
  by("notes").replaceChildren(...notes);
}

function showTokens(draft, name) {
  const tokens = draft.document();
  if (!tokens.leaf.length) return;
  take(tokens);
  Object.assign(state, { query: "", type: "", collection: -1, group: [], elsewhere: false });
  by("intro").hidden = true;
  const title = document.querySelector("h1");
  document.title = title.textContent = shortened(visible(name)) || "Tokens";
  const local = every.filter((token) => !(tokens.mark[token] & ELSEWHERE));
  const extensions = ({ modes }) => new Set(modes.map(([, extension]) => extension)).size; // and the root
  const collections = [...new Set(local.map((token) => tokens.collection[token]))].reduce((sum, at) => sum + extensions(tokens.collections[at]), 0);
  document.querySelector(".summary").textContent = `${local.length} tokens in ${collections} collections`;
  offer();
  chosen();
  reflect();
  show();
}

const { reading } = data;
for (const table of Object.values(reading).flatMap((each) => [each, ...Object.values(each).filter(isObject)])) {
  Object.setPrototypeOf(table, null); // a scope may be called constructor
}
for (const id of ["files", "folder"]) {
  by(id).addEventListener("change", () => open([...by(id).files].map((file) => [file.webkitRelativePath || file.name, file])));
}
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const { items, files } = event.dataTransfer; // both are empty after the first wait
  const own = [...files].map((file) => [file.name, file]);
  const entries = [...items].map((each) => each.webkitGetAsEntry?.()).filter(Boolean);
  open(entries.length ? (await Promise.all(entries.map(filesIn))).flat() : own);
});
