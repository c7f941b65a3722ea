import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCents, parseAmount } from "../src/money.js";

test("formats cents with two digits", () => {
  assert.equal(formatCents(1234), "12.34 EUR");
  assert.equal(formatCents(5), "0.05 EUR");
  assert.equal(formatCents(-250, "CHF"), "-2.50 CHF");
});

test("parses what it formats and refuses the rest", () => {
  assert.equal(parseAmount("12.34"), 1234);
  assert.equal(parseAmount("-3"), -300);
  for (const text of ["", "1.2", "12,34", "1e3"]) assert.throws(() => parseAmount(text), RangeError);
});
