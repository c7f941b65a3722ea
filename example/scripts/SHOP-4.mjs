/**
 * Checkout: joins coupons and VAT. At first it breaks its own test and calls that a blocker. Once it knows that red tests are no
 * blocker, it fixes them.
 */
export async function work(kit) {
  await kit.read("src/coupon.js");
  await kit.read("src/vat.js");
  if (!/blocker/i.test(kit.evidence)) {
    await kit.write("src/checkout.js", CHECKOUT.replace("- discounts[index]", "- discounts[index + 1]"));
    await kit.write("src/checkout.test.js", TESTS);
    await kit.test();
    await kit.block({
      command: ["node", "--test", "src/checkout.test.js"],
      claim: "the tests of the checkout are red and cannot be made green",
      wall: "the test run fails, so nothing can be merged",
      tried: "ran the tests twice",
      humanStep: "Make the tests of the checkout pass",
    });
    return;
  }
  await kit.think("Red tests are mine to mend: the discount of a line is at its own index", 500);
  await kit.think("VAT is due on what is paid, so the coupon comes off each line first", 400);
  await kit.write("src/checkout.js", CHECKOUT);
  await kit.write("src/checkout.test.js", TESTS);
  if (await kit.test()) await kit.commit("Checkout: what is to pay, and the VAT in it");
}

const CHECKOUT = `import { lineTotal } from "./cart.js";
import { couponByLine } from "./coupon.js";
import { vatByRate } from "./vat.js";

/** What a cart costs: lines after the coupon, the discount, the VAT contained by rate, and the amount to pay. In cents. */
export function checkout(cart, coupon = { cents: 0 }) {
  const discounts = couponByLine(cart, coupon);
  const items = cart.lines.map((line, index) => ({
    name: line.product.name,
    quantity: line.quantity,
    vat: line.product.vat,
    grossCents: lineTotal(line) - discounts[index],
  }));
  return {
    items,
    discountCents: discounts.reduce((sum, part) => sum + part, 0),
    vat: vatByRate(items),
    payCents: items.reduce((sum, item) => sum + item.grossCents, 0),
  };
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { addProduct, emptyCart } from "./cart.js";
import { PRODUCTS } from "./catalog.js";
import { checkout } from "./checkout.js";

const cart = PRODUCTS.reduce((filled, product) => addProduct(filled, product), emptyCart());

test("without a coupon costs what the lines cost", () => {
  const bill = checkout(cart);
  assert.equal(bill.payCents, 6200);
  assert.equal(bill.discountCents, 0);
  assert.deepEqual([...bill.vat.keys()], [7, 19]);
});

test("takes the coupon off before VAT", () => {
  const bill = checkout(cart, { percent: 50 });
  assert.equal(bill.payCents, 3100);
  assert.equal(bill.payCents + bill.discountCents, 6200);
  assert.ok(bill.vat.get(19) < checkout(cart).vat.get(19));
});

test("an empty cart costs nothing", () => {
  assert.deepEqual(checkout(emptyCart()), { items: [], discountCents: 0, vat: new Map(), payCents: 0 });
});
`;
