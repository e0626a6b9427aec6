// The part of the plugin's code that answers its page, ui.html. It is joined to engine.js when the plugin is installed.

/** @type {Record<string, (message: Json) => Promise<any>>} */
const ANSWERS = {
  async hello() {
    const token = (await figma.clientStorage.getAsync("token")) || "";
    return { key: figma.fileKey || "", name: figma.root.name, token };
  },
  remember: (message) => figma.clientStorage.setAsync("token", message.token),
  apply: (message) => apply(/** @type {any} */ (message)),
  finish: (message) => finish(message.way, false),
  async local(message) {
    refuseHalfDone();
    const reading = await read([], message.styles);
    return { meta: reading.meta, unknown: reading.unknown, digest: digest(JSON.stringify(reading.meta)) };
  },
  styles: async () => ({ styles: (await readStyles()).styles }),
  nodes: async () => (await readStyles()).nodes,
  async published() {
    const meta = noMeta(); // the state of one object at a time: so only of variables in collections that are published
    const now = { subscribed_id: "", updatedAt: "" };
    for (const collection of await figma.variables.getLocalVariableCollectionsAsync()) {
      if ((await collection.getPublishStatusAsync()) === "UNPUBLISHED") continue;
      meta.variableCollections[collection.id] = Object.assign(picked(collection, ["id", "name", "key"]), now);
    }
    for (const variable of await figma.variables.getLocalVariablesAsync()) {
      if (!(variable.variableCollectionId in meta.variableCollections)) continue;
      if ((await variable.getPublishStatusAsync()) === "UNPUBLISHED") continue;
      meta.variables[variable.id] = Object.assign(picked(variable, OF_VARIABLE.slice(0, 5)), now);
    }
    return meta;
  },
  /** A capture: what `base_url = "snapshot:PATH"` and `pull --snapshot` read. */
  async capture(message) {
    const time = new Date().toISOString(); // no later than what is read
    const { meta, unknown, digest: version } = await ANSWERS.local({}); // the plugin API shows no version of a file
    const { styles, nodes } = await readStyles();
    return {
      capture: { file_key: message.key || null, file_name: figma.root.name, time, version },
      meta: picked(meta, ["variables", "variableCollections"]),
      unknown,
      published: { meta: await ANSWERS.published({}) },
      styles: styles.map((style) => {
        const { style: text, effects, boundVariables } = nodes[style.node_id].document;
        const members = { type: style.style_type, node: style.node_id, value: text || effects, boundVariables };
        return Object.assign(members, picked(style, ["key", "name", "description", "updated_at"]));
      }),
    };
  },
  async check(message) {
    refuseHalfDone();
    let reading = await read([], message.styles || hasStyles(message.body));
    if (hasStyles(message.body)) reading = await withFonts(reading, message.body);
    const steps = new Check(reading.meta, reading.fonts).run(message.body);
    return { steps: steps.length, deletions: steps.filter((step) => step.do === "delete").length };
  },
};

figma.showUI(__html__, { width: 440, height: 560, themeColors: true });
figma.ui.onmessage = async (/** @type {Json} */ message) => {
  try {
    const result = await ANSWERS[message.kind](message);
    figma.ui.postMessage({ id: message.id, result: result, last: head() });
  } catch (error) {
    const kind = error instanceof Refused ? "refused" : error instanceof HalfDone ? "half done" : "failed";
    figma.ui.postMessage({ id: message.id, error: { kind: kind, message: textOf(error) }, last: head() });
  }
};
