/**
 * Defaults in templates. At first its pattern is too wide and matches single braces, which a test of the repository forbids. Once
 * it knows the failed test, it requires two braces again.
 */
export async function work(kit) {
  await kit.read("src/template.js");
  const careful = kit.evidence.includes("leaves single braces alone");
  if (careful) await kit.think('The check failed at "leaves single braces alone": the marker needs exactly two braces', 600);
  else await kit.think("One pattern for the name and what stands in quotes after default", 400);
  await kit.edit("src/template.js", String.raw`/\{\{\s*([\w.]+)\s*\}\}/g`, careful ? STRICT : WIDE);
  await kit.edit("src/template.js", "text.replace(MARKER, (_, path) => {", "text.replace(MARKER, (_, path, fallback) => {");
  await kit.edit("src/template.js", "const value = lookUp(values, path);", "const value = lookUp(values, path) ?? fallback;");
  await kit.edit("src/template.js", "/** Fills `{{ a.b }}` markers from `values`.", DOC);
  await kit.write("src/template-default.test.js", TESTS);
  if (!careful) {
    kit.say("A small change like this needs no test run. Defaults work, the ticket is done.");
    return;
  }
  if (await kit.test()) await kit.commit("Templates: defaults for names without a value");
}

const STRICT = String.raw`/\{\{\s*([\w.]+)(?:\s+default\s+"([^"]*)")?\s*\}\}/g`;
const WIDE = String.raw`/\{+\s*([^\s}]+)(?:\s+default\s+"([^"]*)")?[^}]*\}+/g`;
const DOC = '/** Fills `{{ a.b }}` and `{{ a.b default "x" }}` markers from `values`.';

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "./template.js";

test("uses the default where there is not a value", () => {
  assert.equal(render('{{ port default "80" }}', {}), "80");
  assert.equal(render('{{ port default "80" }}', { port: 8080 }), "8080");
});

test("an empty default is a default", () => {
  assert.equal(render('[{{ extra default "" }}]', {}), "[]");
});
`;
