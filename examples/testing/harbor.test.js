// Jest: one emulator for all tests of a file, and a reset before each.
const { startEmulator } = require("tokensync");

let emulator;

beforeAll(async () => {
  emulator = await startEmulator({ seed: { Harbor: "harbor.local.json" } });
});
beforeEach(() => emulator.reset());
afterAll(() => emulator.stop());

function figma(path, options) {
  return fetch(`${emulator.url}${path}`, { ...options, headers: { "X-Figma-Token": emulator.token } });
}

test("a comment is posted", async () => {
  const answer = await figma("/v1/files/Harbor/comments", { method: "POST", body: JSON.stringify({ message: "hello" }) });
  expect(answer.status).toBe(200);
  const requests = await emulator.requests();
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /v1/files/Harbor/comments"]);
});

test("no comment is left of another test", async () => {
  const answer = await figma("/v1/files/Harbor/comments");
  expect((await answer.json()).comments).toEqual([]);
});
