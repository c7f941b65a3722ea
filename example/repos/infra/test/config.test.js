import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeConfig } from "../src/config.js";

test("merges nested keys and leaves the defaults as they were", () => {
  const defaults = { http: { host: "a", port: 1 }, workers: 2 };
  assert.deepEqual(mergeConfig(defaults, { http: { port: 9 } }), { http: { host: "a", port: 9 }, workers: 2 });
  assert.equal(defaults.http.port, 1);
});

test("replaces lists as a whole", () => {
  assert.deepEqual(mergeConfig({ hosts: ["a", "b"] }, { hosts: ["c"] }), { hosts: ["c"] });
});
