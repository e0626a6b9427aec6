// Playwright: one emulator for each worker, and a space of its own for each test.
const { test: base, expect } = require("@playwright/test");
const { startEmulator } = require("tokensync");

const test = base.extend({
  server: [
    async ({}, use) => {
      const server = await startEmulator();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  emulator: async ({ server }, use) => {
    const emulator = await server.space({ seed: { Harbor: "harbor.local.json" } });
    await use(emulator);
    await emulator.stop();
  },
});

test("variables are read", async ({ emulator, request }) => {
  const headers = { "X-Figma-Token": emulator.token };
  const answer = await request.get(`${emulator.url}/v1/files/Harbor/variables/local`, { headers });
  expect(answer.status()).toBe(200);
});

test("a token of another space is refused", async ({ server, emulator, request }) => {
  const headers = { "X-Figma-Token": server.token };
  const answer = await request.get(`${emulator.url}/v1/me`, { headers });
  expect(answer.status()).toBe(403);
});
