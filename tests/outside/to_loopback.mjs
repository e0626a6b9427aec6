// Preloaded into other people's clients of the platform (node --import): what they send to its hosts goes to the
// emulator at TOKENSYNC_LOOPBACK. Nothing else of theirs is touched.
import http from "node:http";
import https from "node:https";

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
  const options = typeof given[0] === "object" && !(given[0] instanceof URL) ? given[0] : null;
  if (options === null || !HOSTS.has(options.hostname ?? options.host)) return realRequest(...given);
  const { hostname, port } = loopback;
  const headers = { ...options.headers, host: loopback.host };
  return http.request({ ...options, protocol: "http:", hostname, host: hostname, port, headers, agent: undefined }, given[1]);
};
