// Figma's editor with a plugin in it: runs the installed code.js and ui.html against a model of the open file, with a person
// who types the code and answers.
//
//   node editor.mjs SETTINGS
//
// SETTINGS is a JSON file: {plugin: folder, state: file, options, faults, code, person: "apply" | "decline" | "wait",
// address, other}. `other` has the plugin, code and person of another user who has the file open. Lines of JSON on stdin are what happens: {"do": "save"}, {"do": "edit", "edits": [...]}, {"do": "close"},
// {"do": "open", "faults": [...]}, {"do": "load", "state": {...}} (without a plugin), {"do": "click", "id": "complete"}, {"do": "see"}. Each is answered by a line on stdout.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import vm from "node:vm";
import { pluginApi } from "./figma.mjs";
import { OpenFile } from "./file.mjs";

const settings = JSON.parse(readFileSync(process.argv[2], "utf8"));
let file = new OpenFile(JSON.parse(readFileSync(settings.state, "utf8")), settings.options, settings.faults);

/** A link that is clicked: what it leads to is saved beside the state. */
class Download {
  click() {
    writeFileSync(join(dirname(settings.state), this.download), this.href.text);
  }
}

/** The window of a user's plugin: its page, and its code. Both end when it is closed. */
class Plugin {
  constructor(user) {
    this.user = user;
    const folder = user.plugin;
    const manifest = JSON.parse(readFileSync(`${folder}/manifest.json`, "utf8"));
    [this.allowed] = manifest.networkAccess.allowedDomains;
    this.open = true;
    this.elements = {};
    this.aborting = new AbortController();
    this.code = vm.createContext({ console, setTimeout, clearTimeout, __html__: readFileSync(`${folder}/${manifest.ui}`, "utf8") });
    const page = {
      show: (html) => this.show(html),
      post: (message) => this.later(() => this.window.onmessage({ data: { pluginMessage: message } })),
      close: () => this.close(),
    };
    file.closed = false;
    user.storage ||= {};
    this.api = pluginApi(file, page, user.storage);
    this.code.figma = this.api;
    vm.runInContext(readFileSync(`${folder}/${manifest.main}`, "utf8"), this.code);
  }

  /** Messages are copies that arrive later. */
  later(deliver) {
    setTimeout(() => {
      if (file.closed) this.close();
      if (this.open) deliver();
    }, 0);
  }

  show(html) {
    for (const [, tag] of html.matchAll(/<([a-z0-9]+ [^>]*id="[^>]*)>/g)) {
      const id = /id="([^"]*)"/.exec(tag)[1];
      this.elements[id] = { textContent: "", value: "", hidden: /\shidden\b/.test(tag), onclick: null };
    }
    this.window = vm.createContext({
      console,
      setTimeout,
      clearTimeout,
      crypto,
      Uint8Array,
      document: { getElementById: (id) => this.elements[id], createElement: () => new Download() },
      URL: { createObjectURL: (blob) => blob },
      Blob: class { constructor(parts) { this.text = parts.join(""); } },
      parent: {
        postMessage: ({ pluginMessage }) => {
          const copy = JSON.parse(JSON.stringify(pluginMessage));
          this.later(() =>
            this.api.ui.onmessage(copy).catch((error) => {
              if (!file.closed) throw error;
            }),
          );
        },
      },
      fetch: (url, init) => this.fetch(url, init),
    });
    this.window.window = this.window;
    vm.runInContext(/<script>(.*)<\/script>/s.exec(html)[1], this.window);
  }

  /** A request of a page whose origin is null, with the question that a browser asks before it. */
  async fetch(url, init) {
    if (!this.open) return new Promise(() => {});
    if (!url.startsWith(`${this.allowed}/`)) throw new TypeError(`${url} is not in networkAccess`);
    const asked = Object.keys(init.headers).map((name) => name.toLowerCase()).sort().join(", ");
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: {
        Origin: "null",
        "Access-Control-Request-Method": init.method,
        "Access-Control-Request-Headers": asked,
        "Access-Control-Request-Private-Network": "true",
      },
    });
    const permitted = (preflight.headers.get("access-control-allow-headers") || "").split(", ").sort().join(", ");
    if (preflight.headers.get("access-control-allow-origin") !== "null" || permitted !== asked) {
      throw new TypeError("the browser refuses this request");
    }
    if (preflight.headers.get("access-control-allow-private-network") !== "true") throw new TypeError("not permitted");
    const answer = await fetch(url, { ...init, headers: { ...init.headers, Origin: "null" }, signal: this.aborting.signal });
    return this.open ? answer : new Promise(() => {});
  }

  close() {
    this.open = false;
    this.aborting.abort();
  }

  click(id) {
    return this.open ? this.elements[id].onclick() : undefined;
  }
}

const users = [settings, settings.other].filter((user) => user !== undefined);
let plugins = users.map((user) => new Plugin(user));
const closeAll = () => plugins.forEach((plugin) => plugin.close());

/** What a person does who looks at the page from time to time. */
setInterval(() => {
  if (file.closed) closeAll();
  for (const plugin of plugins.filter((each) => each.open)) {
    const { user } = plugin;
    const { pairing, code, address, question, status } = plugin.elements;
    const isAsked = code.value === "" || status.textContent.startsWith("Not connected. Enter the code"); // again, if it was lost
    if (!pairing.hidden && isAsked && !plugin.isEntering && user.code) {
      code.value = user.code;
      address.value = user.address || "";
      plugin.isEntering = true;
      plugin.click("connect").finally(() => (plugin.isEntering = false));
    }
    if (!question.hidden && user.person !== "wait") plugin.click(user.person === "decline" ? "decline" : "apply");
  }
}, 5);

const happen = {
  save: () => writeFileSync(settings.state, JSON.stringify(file.state())),
  edit: ({ edits }) => edits.forEach((edit) => file.edit(edit)),
  close: () => {
    file.closed = true;
    closeAll();
  },
  load: ({ state }) => {
    closeAll();
    file = new OpenFile(state, settings.options);
    file.closed = true;
  },
  open: ({ faults = [], options = {} }) => {
    closeAll();
    file.faults = faults;
    file.counts.clear();
    Object.assign(file.options, options);
    plugins = users.map((user) => new Plugin(user));
  },
  click: ({ id }) => plugins[0].click(id),
  see: () => ({
    open: plugins[0].open && !file.closed,
    calls: file.calls,
    page: Object.fromEntries(Object.entries(plugins[0].elements).map(([id, { textContent, hidden }]) => [id, hidden ? null : textContent])),
  }),
  set: (members) => Object.assign(settings, members),
};

console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  const event = JSON.parse(line);
  try {
    console.log(JSON.stringify({ done: (await happen[event.do](event)) ?? true }));
  } catch (error) {
    console.log(JSON.stringify({ failed: String(error) }));
  }
}
process.exit(0);
