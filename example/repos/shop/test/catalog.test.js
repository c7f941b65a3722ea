import assert from "node:assert/strict";
import { test } from "node:test";
import { findBySku, PRODUCTS } from "../src/catalog.js";

test("finds a product by its number", () => {
  assert.equal(findBySku(PRODUCTS, "MUG-04").name, "Stoneware mug");
  assert.throws(() => findBySku(PRODUCTS, "MUG-99"), RangeError);
});

test("keeps the order in which the shop window shows its products", () => {
  assert.deepEqual(
    PRODUCTS.map((product) => product.sku),
    ["TEA-01", "MUG-04", "POT-02", "TEA-07"],
  );
});
