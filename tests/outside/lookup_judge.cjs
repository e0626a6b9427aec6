// Preloaded before the redirect: writes each name that Node asks the system's resolver for to the file JUDGED.
const { appendFileSync } = require("node:fs");

const cares = process.binding("cares_wrap");
const real = cares.getaddrinfo;
cares.getaddrinfo = (request, name, ...rest) => {
  appendFileSync(process.env.JUDGED, `${name}\n`);
  return real(request, name, ...rest);
};
