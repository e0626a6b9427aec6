// Preloaded into other people's clients of the platform (node --import): what they send to its hosts goes to the
// emulator at TOKENSYNC_LOOPBACK. Nothing else of theirs is touched.
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { urlToHttpOptions } from "node:url";

const HOSTS = new Set(["api.figma.com", "www.figma.com"]);
const loopback = new URL(process.env.TOKENSYNC_LOOPBACK);

const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  const url = new URL(request.url);
  if (!HOSTS.has(url.host)) return realFetch(request);
  return realFetch(new Request(new URL(url.pathname + url.search, loopback), request));
};

const realRequest = https.request;
https.request = (...given) => {
  const rest = [...given];
  let options = rest.shift();
  if (typeof options === "string" || options instanceof URL) {
    const more = typeof rest[0] === "object" ? rest.shift() : {};
    options = { ...urlToHttpOptions(new URL(options)), ...more };
  }
  if (!HOSTS.has(options.hostname ?? options.host)) return realRequest(...given);
  const { protocol, hostname, port } = loopback;
  const headers = { ...options.headers, host: loopback.host };
  const led = { ...options, protocol, hostname, host: hostname, port, headers, agent: undefined, servername: undefined };
  return protocol === "https:" ? realRequest(led, ...rest) : http.request(led, ...rest);
};
https.get = (...given) => https.request(...given).end();
syncBuiltinESMExports(); // for those that import { request }
