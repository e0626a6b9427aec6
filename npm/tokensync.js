#!/usr/bin/env node
// Runs the Python command of the same version: with uv if it is on the path, else with pipx.
"use strict";

const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");
const { version } = require("./package.json");

const RUNNERS = [
  ["uv", ["tool", "run", `tokensync@${version}`]],
  ["pipx", ["run", "--spec", `tokensync==${version}`, "tokensync"]],
];

for (const [program, before] of RUNNERS) {
  const done = spawnSync(program, [...before, ...process.argv.slice(2)], { stdio: "inherit" });
  if (done.error?.code === "ENOENT") continue;
  if (done.error) {
    console.error(`error: ${program}: ${done.error.message}; check its installation`);
    process.exit(1);
  }
  process.exit(done.status ?? 128 + constants.signals[done.signal]); // as a shell reports a signal
}
console.error("error: tokensync: neither uv nor pipx is on the path; install uv (https://docs.astral.sh/uv/)");
process.exitCode = 1;
