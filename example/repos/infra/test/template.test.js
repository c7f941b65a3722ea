import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "../src/template.js";

test("fills markers by dotted path", () => {
  assert.equal(render("{{ a }}-{{b.c}}", { a: 1, b: { c: "x" } }), "1-x");
});

test("throws on a name that has no value", () => {
  assert.throws(() => render("{{ nobody }}", {}), /no value for nobody/);
});

test("leaves single braces alone", () => {
  assert.equal(render('location / { return 200 "{{ a }}"; }', { a: "ok" }), 'location / { return 200 "ok"; }');
});
