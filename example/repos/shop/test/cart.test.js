import assert from "node:assert/strict";
import { test } from "node:test";
import { addProduct, emptyCart, lineTotal, subtotal } from "../src/cart.js";
import { findBySku, PRODUCTS } from "../src/catalog.js";

const tea = findBySku(PRODUCTS, "TEA-01");
const mug = findBySku(PRODUCTS, "MUG-04");

test("adds up lines", () => {
  const cart = addProduct(addProduct(emptyCart(), tea, 2), mug);
  assert.equal(lineTotal(cart.lines[0]), 1580);
  assert.equal(subtotal(cart), 3030);
});

test("raises the quantity of a line that is already there", () => {
  const cart = addProduct(addProduct(emptyCart(), tea), tea, 3);
  assert.equal(cart.lines.length, 1);
  assert.equal(cart.lines[0].quantity, 4);
});

test("refuses quantities that are not whole and positive", () => {
  for (const quantity of [0, -1, 1.5]) assert.throws(() => addProduct(emptyCart(), tea, quantity), RangeError);
});
