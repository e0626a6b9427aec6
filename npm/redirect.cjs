// Preloaded into a program (node --require or --import): its requests to Figma's API go to the emulator at
// TOKENSYNC_EMULATOR_URL, and every other connection to Figma, or lookup of its names, throws. `--require` reaches
// worker threads, too; `--import` does not (Node issue 62301).
"use strict";

const dns = require("node:dns");
const http = require("node:http");
const https = require("node:https");
const net = require("node:net");
const tls = require("node:tls");
const { syncBuiltinESMExports } = require("node:module");
const { urlToHttpOptions } = require("node:url");

const CODE = "ERR_TOKENSYNC_REDIRECT";
const REDIRECTED = /^(api|www)\.figma(-gov)?\.com$/;
const SERVICE = /(^|\.)figma(-gov)?\.com$/;
const OF_A_CONNECTION = new Set(["agent", "createConnection", "defaultPort", "lookup", "port", "servername"]);

/** A host in the spelling of the patterns. */
const canonical = (host) => String(host ?? "").toLowerCase().replace(/\.$/, "");

function fail(message) {
  throw Object.assign(new Error(message), { code: CODE });
}

/** Throw if a host is one of the service's. */
function refuse(host, means) {
  if (SERVICE.test(canonical(host))) {
    fail(`${host}: ${means} would reach Figma itself; only fetch, http, https and undici are led to the emulator`);
  }
}

/** The emulator's address for a path at a host of the service; null for any other host. */
function redirected(host, path) {
  if (!REDIRECTED.test(canonical(host))) {
    refuse(host, "a request");
    return null;
  }
  const base = process.env.TOKENSYNC_EMULATOR_URL; // read with each request: tests set it after this module is loaded
  if (!base || !URL.canParse(base) || SERVICE.test(canonical(new URL(base).hostname))) {
    fail(`${host}: TOKENSYNC_EMULATOR_URL is ${base || "not set"}; set it to the base_url of an emulator`);
  }
  return new URL(base.replace(/\/+$/, "") + path);
}

/** Replace a function by what `make` returns for it, with its properties, such as those for util.promisify. */
function replace(owner, name, make) {
  const real = owner[name];
  owner[name] = Object.defineProperties(make(real), Object.getOwnPropertyDescriptors(real));
}

replace(globalThis, "fetch", (real) => async (input, init) => {
  const text = input instanceof Request ? input.url : String(input);
  if (!URL.canParse(text)) return real(input, init);
  const url = new URL(text);
  const address = redirected(url.hostname, url.pathname + url.search);
  return address ? real(new Request(address, new Request(input, init))) : real(input, init);
});

// The dispatcher of Node's own undici is the default of an installed one, too, if that is loaded later.
new Request("data:,"); // loads it
for (const symbol of [Symbol.for("undici.globalDispatcher.1"), Symbol.for("undici.globalDispatcher.2")]) {
  const dispatcher = globalThis[symbol];
  if (!dispatcher) continue;
  replace(dispatcher, "dispatch", (real) => (options, handler) => {
    const address = options.origin && redirected(new URL(options.origin).hostname, options.path);
    const led = address && { ...options, origin: address.origin, path: address.pathname + address.search };
    return real.call(dispatcher, led || options, handler);
  });
}

const realRequests = { "http:": http.request, "https:": https.request };
for (const module of [http, https]) {
  replace(module, "request", (real) => (...given) => {
    const rest = [...given];
    let options = rest.shift();
    if (typeof options === "string" || options instanceof URL) {
      const more = rest[0] !== null && typeof rest[0] === "object" ? rest.shift() : {};
      options = { ...urlToHttpOptions(new URL(options)), ...more };
    }
    // A proxy gets the whole URL in place of the path, and would look the host up itself.
    const whole = /^https?:\/\//i.test(options?.path) && URL.canParse(options.path) ? new URL(options.path) : null;
    const address = whole
      ? redirected(whole.hostname, whole.pathname + whole.search)
      : redirected(options?.hostname ?? options?.host, options?.path || "/");
    if (!address) return real(...given);
    const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !OF_A_CONNECTION.has(name)));
    const headers = { ...options.headers, host: address.host };
    const { hostname } = address;
    return realRequests[address.protocol]({ ...kept, ...urlToHttpOptions(address), host: hostname, headers }, ...rest);
  });
  replace(module, "get", () => (...given) => {
    const request = module.request(...given);
    request.end();
    return request;
  });
}

// What is left reaches the service: http2, tls, sockets, tunnels through a proxy, and agents of undici.
replace(net.Socket.prototype, "connect", (real) => function (...given) {
  const [options, host] = Array.isArray(given[0]) ? given[0] : given;
  refuse(options !== null && typeof options === "object" ? options.host : host, "a connection");
  return real.apply(this, given);
});
replace(tls, "connect", (real) => (...given) => {
  for (const argument of given) {
    for (const host of [argument?.host, argument?.servername, argument]) {
      if (typeof host === "string") refuse(host, "a TLS connection");
    }
  }
  return real(...given);
});
for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const name of Object.getOwnPropertyNames(resolver)) {
    if (!/^(lookup|resolve)/.test(name) || name === "lookupService") continue;
    replace(resolver, name, (real) => function (host, ...given) {
      refuse(host, "a lookup");
      return real.call(this, host, ...given);
    });
  }
}
syncBuiltinESMExports(); // for modules that import { request }
