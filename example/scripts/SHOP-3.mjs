/**
 * Search in the catalogue. At first it takes findBySku() for the search that is asked for, changes nothing and says it
 * is done; told that nothing changed, it does the work.
 */
export async function work(kit) {
  await kit.read("src/catalog.js");
  if (!/nothing was changed|empty/i.test(kit.evidence)) {
    await kit.think("There is a find function already, so the catalogue can be searched", 700);
    await kit.test();
    kit.say("Search works and all tests pass. The ticket is done.");
    return;
  }
  await kit.think("The last try changed nothing: findBySku() is no search by words. Writing one", 600);
  await kit.write("src/search.js", SEARCH);
  await kit.write("src/search.test.js", TESTS);
  if (await kit.test()) await kit.commit("Search the catalogue by words");
}

const SEARCH = `/** Products whose name holds every word, in the catalogue's order; case does not matter. No words find nothing. */
export function search(products, words) {
  const wanted = words.toLowerCase().split(/\\s+/).filter((word) => word !== "");
  if (wanted.length === 0) return [];
  return products.filter((product) => wanted.every((word) => product.name.toLowerCase().includes(word)));
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { PRODUCTS } from "./catalog.js";
import { search } from "./search.js";

const skus = (words) => search(PRODUCTS, words).map((product) => product.sku);

test("finds by any word, whatever its case", () => {
  assert.deepEqual(skus("TEA"), ["TEA-01", "POT-02", "TEA-07"]);
  assert.deepEqual(skus("pot glass"), ["POT-02"]);
});

test("finds nothing for nothing", () => {
  assert.deepEqual(skus("  "), []);
  assert.deepEqual(skus("coffee"), []);
});
`;
