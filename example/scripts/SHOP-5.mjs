/**
 * Payments: everything up to the provider, whose account only the shop's owner can open. The work lands; the step is left to a
 * person. It files a ticket for the receipt, which nobody has asked for.
 */
export async function work(kit) {
  await kit.read("src/checkout.js");
  await kit.read("scripts/pay.mjs");
  await kit.write("src/payment.js", PAYMENT);
  await kit.write("src/payment.test.js", TESTS);
  await kit.test();
  await kit.discover("receipt", {
    title: "Print a receipt of 32 characters",
    body: "One row per item, then what is to pay, then the VAT in it by rate.",
    reason: "whoever pays wants a receipt, and checkout() has all that it needs",
  });
  await kit.block({
    command: ["node", "scripts/pay.mjs"],
    claim: "payments cannot be taken: the provider has no account for this shop",
    wall: "the provider opens an account only for the shop's owner, by a signed contract",
    tried:
      "built the whole payment behind an interface and tested it with a recorded answer; no sandbox account is offered without the contract",
    humanStep: "Sign the provider's contract and put the key into SHOP_PAYMENT_KEY of prod",
  });
}

const PAYMENT = `import { checkout } from "./checkout.js";

/** Takes what a cart costs through \`provider.charge({cents, key})\`. Throws where the shop has no key, before anything is charged. */
export async function pay(cart, coupon, { provider, key }) {
  if (!key) throw new Error("no account with the payment provider yet");
  const { payCents } = checkout(cart, coupon);
  return payCents === 0 ? { paid: 0 } : { paid: payCents, receipt: await provider.charge({ cents: payCents, key }) };
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { addProduct, emptyCart } from "./cart.js";
import { PRODUCTS } from "./catalog.js";
import { pay } from "./payment.js";

const charged = [];
const provider = { charge: async ({ cents }) => \`paid-\${charged.push(cents)}\` };

test("charges what the checkout says, once", async () => {
  const cart = addProduct(emptyCart(), PRODUCTS[1]);
  assert.deepEqual(await pay(cart, undefined, { provider, key: "k" }), { paid: 1450, receipt: "paid-1" });
  assert.deepEqual(charged, [1450]);
});

test("charges nothing without an account, and nothing for nothing", async () => {
  await assert.rejects(pay(emptyCart(), undefined, { provider, key: undefined }), /no account/);
  assert.deepEqual(await pay(emptyCart(), undefined, { provider, key: "k" }), { paid: 0 });
});
`;
