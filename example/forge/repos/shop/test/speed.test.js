import assert from "node:assert/strict";
import { test } from "node:test";
import { addProduct, emptyCart, subtotal } from "../src/cart.js";
import { PRODUCTS } from "../src/catalog.js";

// It measures time, so it is flaky: on a busy machine it fails, whatever the code is.
test("prices ten thousand carts within two seconds", () => {
  const cart = PRODUCTS.reduce((filled, product) => addProduct(filled, product), emptyCart());
  const began = performance.now();
  let sum = 0;
  for (let n = 0; n < 10_000; n += 1) sum += subtotal(cart);
  const tookMs = Math.round(performance.now() - began);
  assert.equal(sum, 62_000_000);
  assert.ok(tookMs < 2_000, `it took ${tookMs} ms`);
});
