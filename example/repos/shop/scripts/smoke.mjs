// Loads every module and prices one cart: what a deployment would do first.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";

const source = new URL("../src/", import.meta.url);
const modules = (await readdir(source)).filter((name) => name.endsWith(".js") && !name.endsWith(".test.js"));
for (const name of modules) await import(new URL(name, source).href);

const { PRODUCTS } = await import("../src/catalog.js");
const { addProduct, emptyCart, subtotal } = await import("../src/cart.js");
const cart = PRODUCTS.reduce((filled, product) => addProduct(filled, product), emptyCart());
assert.equal(subtotal(cart), 6200);
console.log(`smoke: ${modules.length} modules load, a full cart costs ${subtotal(cart)} cents`);
