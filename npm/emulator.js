// Starts an emulator of Figma's API for tests, or uses the one at TOKENSYNC_EMULATOR_URL.
"use strict";

const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const { join } = require("node:path");
const { createInterface } = require("node:readline");
const { version } = require("./package.json");

const REDIRECT = join(__dirname, "redirect.cjs");
const LOOPBACK = "127.0.0.1,localhost,::1";
const USAGE = 2; // tokensync's exit code for an option or a file that is wrong

/** The commands that may start an emulator, in order. */
function candidates() {
  return [
    ["tokensync"],
    ["uvx", `tokensync@${version}`],
    ["pipx", "run", "--spec", `tokensync==${version}`, "tokensync"],
    ...["python3", "python", "py"].map((python) => [python, "-m", "tokensync"]), // no python3 on Windows
  ];
}

/** The options of `tokensync emulator serve`: `rateLimits: true` is `--rate-limits`, and false is the default. */
function commandLine(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [option];
    return [value === false ? [] : (value ?? [])].flat().flatMap((part) => [option, String(part)]);
  });
}

/** Start a command, and return its process and the decoded first line. Rejects if it ends before that. */
function launch([program, ...before], options) {
  const words = [...before, "emulator", "serve", "--end-with-stdin", ...commandLine(options)];
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: "pipe", windowsHide: true });
    const closed = new Promise((end) => child.on("close", end));
    let problem = "";
    child.stderr.on("data", (text) => (problem = (problem + text).slice(-4000)));
    child.stdin.on("error", () => {}); // the process has ended, as "close" reports
    child.on("error", (error) => reject(new Error(error.code === "ENOENT" ? "not found" : error.message)));
    child.on("close", (code) => reject(Object.assign(new Error(problem.trim() || `ended with ${code}`), { code })));
    createInterface({ input: child.stdout }).once("line", (line) => {
      // Node may end before the emulator, which then ends with its stdin.
      for (const handle of [child, child.stdin, child.stdout, child.stderr]) handle.unref();
      try {
        resolve({ child, closed, ...JSON.parse(line) });
      } catch {
        child.stdin.end();
        reject(new Error(`printed ${JSON.stringify(line.slice(0, 100))} in place of an address`));
      }
    });
  });
}

/** Send a request for control, and return the decoded answer. Rejects for what is not an emulator. */
function call(url, { method = "GET", token, body, certificate }) {
  const json = body && JSON.stringify(body);
  const headers = {
    ...(token && { "X-Figma-Token": token }),
    ...(json && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json) }),
  };
  const trust = certificate && { ca: readFileSync(certificate) };
  const client = url.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    // An agent of its own: the shared one may use a proxy.
    const request = client.request(url, { method, headers, agent: false, ...trust }, async (response) => {
      try {
        let text = "";
        for await (const part of response.setEncoding("utf8")) text += part;
        if (!response.headers["x-tokensync-emulator"]) throw new Error(`${url}: not a tokensync emulator`);
        const answer = JSON.parse(text);
        if (response.statusCode !== 200) throw new Error(`${url}: ${answer.message}`);
        resolve(answer);
      } catch (error) {
        reject(error);
      }
    });
    request.on("error", (error) => reject(new Error(`${url}: ${error.message}; start an emulator there`)));
    request.end(json);
  });
}

/** One platform at `url`, with the files of `seed` at its start. */
async function platform({ url, token, certificate, seed = {}, stop }) {
  const control = (method, path, body) => call(`${url}/_emulator/${path}`, { method, token, body, certificate });
  const files = Object.entries(seed).map(([key, file]) => [
    key,
    typeof file === "string" ? JSON.parse(readFileSync(file, "utf8")) : file,
  ]);
  const emulator = {
    url,
    token,
    env: {
      TOKENSYNC_EMULATOR_URL: url,
      TOKENSYNC_BASE_URL: url,
      FIGMA_ACCESS_TOKEN: token,
      NO_PROXY: LOOPBACK,
      no_proxy: LOOPBACK,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require ${JSON.stringify(REDIRECT)}`.trim(),
      ...(certificate && { NODE_EXTRA_CA_CERTS: certificate, SSL_CERT_FILE: certificate }),
    },
    async seed(key, local, published) {
      await control("POST", "seed", { file_key: key, local, published });
    },
    async reset() {
      await control("POST", "reset");
      for (const [key, local] of files) await emulator.seed(key, local);
    },
    async requests({ since = 0, unknown = false, wait, seconds = 5 } = {}) {
      const waiting = wait === undefined ? "" : `&wait=${wait}&wait_s=${seconds}`;
      return (await control("GET", `requests?since=${since}&unknown=${Number(unknown)}${waiting}`)).requests;
    },
    async space({ strict = false, rateLimits = false, seed: files } = {}) {
      const created = await control("POST", "spaces", { strict, rate_limits: rateLimits });
      const remove = () => control("DELETE", `spaces/${created.space}`);
      return platform({ url: created.base_url, token: created.token, certificate, seed: files, stop: remove });
    },
    async stop() {
      await stop();
    },
  };
  await control("GET", "health");
  for (const [key, local] of files) await emulator.seed(key, local);
  return emulator;
}

/** See emulator.d.ts. */
async function startEmulator({ seed, port = 0, ...options } = {}) {
  const { TOKENSYNC_EMULATOR_URL: url, TOKENSYNC_BIN: program } = process.env;
  if (url) {
    const { strict, rateLimits, ...others } = options;
    const [other] = Object.keys(others);
    if (other) throw new Error(`${other}: the emulator at TOKENSYNC_EMULATOR_URL runs already; remove this option`);
    return (await platform({ url: url.replace(/\/+$/, "") })).space({ strict, rateLimits, seed });
  }
  const tried = ["TOKENSYNC_EMULATOR_URL: not set", ...(program ? [] : ["TOKENSYNC_BIN: not set"])];
  for (const command of program ? [[program]] : candidates()) {
    try {
      const { child, closed, base_url, token, certificate } = await launch(command, { port, ...options });
      const stop = () => {
        for (const handle of [child, child.stdout, child.stderr]) handle.ref(); // Node waits for the end
        child.stdin.end();
        return closed;
      };
      return await platform({ url: base_url, token, certificate, seed, stop }).catch(async (error) => {
        await stop();
        throw error;
      });
    } catch (error) {
      tried.push(`${command.join(" ")}: ${error.message}`);
      if (error.code === USAGE && !["uvx", "pipx"].includes(command[0])) break;
    }
  }
  const advice = "install uv, or set TOKENSYNC_BIN to the path of tokensync";
  throw new Error(`no emulator could be started; ${advice}. Tried in this order:\n  ${tried.join("\n  ")}`);
}

module.exports = { startEmulator };
