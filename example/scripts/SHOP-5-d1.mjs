/** The receipt as text. Leaves its change uncommitted. With pull requests, a person asks how wide it is. */
export async function work(kit) {
  await kit.read("src/checkout.js");
  await kit.think("Receipt printers are 32 characters wide: long names are cut, amounts stay in line", 500);
  const told = /width be exported/.test(kit.evidence);
  if (told) await kit.think("Whoever prints it needs to know the width", 300);
  await kit.write("src/receipt.js", told ? RECEIPT.replace("const WIDTH", "export const WIDTH") : RECEIPT);
  await kit.write("src/receipt.test.js", TESTS);
  await kit.test();
  kit.say("The receipt prints. I stop here.");
}

const RECEIPT = `import { formatCents } from "./money.js";

const WIDTH = 32;

/** The bill of checkout() as lines of 32 characters. */
export function receipt(bill) {
  return [
    ...bill.items.map((item) => row(\`\${item.quantity} x \${item.name}\`, formatCents(item.grossCents))),
    "-".repeat(WIDTH),
    row("to pay", formatCents(bill.payCents)),
    ...[...bill.vat].map(([rate, cents]) => row(\`  VAT \${rate} %\`, formatCents(cents))),
  ];
}

function row(label, amount) {
  const room = WIDTH - amount.length - 1;
  return \`\${label.slice(0, room).padEnd(room)} \${amount}\`;
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { addProduct, emptyCart } from "./cart.js";
import { PRODUCTS } from "./catalog.js";
import { checkout } from "./checkout.js";
import { receipt } from "./receipt.js";

test("every line is 32 characters wide", () => {
  const cart = PRODUCTS.reduce((filled, product) => addProduct(filled, product, 3), emptyCart());
  for (const line of receipt(checkout(cart))) assert.equal(line.length, 32);
});

test("ends with what is to pay and the VAT in it", () => {
  const lines = receipt(checkout(addProduct(emptyCart(), PRODUCTS[1])));
  assert.match(lines.at(-2), /^to pay +14\\.50 EUR$/);
  assert.match(lines.at(-1), /VAT 19 % +2\\.32 EUR$/);
});
`;
