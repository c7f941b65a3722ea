/** The search. It is right at once; with pull requests, a test that is flaky fails beside it, and loopdash has the job run again. */
export async function work(kit) {
  await kit.read("src/catalog.js");
  await kit.think("A part of the name is enough, and nobody types capitals into a search box", 400);
  await kit.write("src/search.js", SEARCH);
  await kit.write("src/search.test.js", TESTS);
  if (await kit.test()) await kit.commit("Find products by a part of their name");
}

const SEARCH = `/** The products whose name has this text in it, upper and lower case alike. */
export function findByName(products, text) {
  const wanted = text.trim().toLowerCase();
  return products.filter(({ name }) => name.toLowerCase().includes(wanted));
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { PRODUCTS } from "./catalog.js";
import { findByName } from "./search.js";

test("finds a part of a name, whatever its case", () => {
  assert.deepEqual(findByName(PRODUCTS, "TEA, ").map(({ sku }) => sku), ["TEA-01", "TEA-07"]);
});

test("finds nothing that is not there", () => {
  assert.deepEqual(findByName(PRODUCTS, "coffee"), []);
});
`;
