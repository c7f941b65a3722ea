import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, type ScratchTree, scratchTree } from "./scratch-tree.ts";

let tree: ScratchTree;
beforeAll(() => {
  tree = scratchTree(["biome.json", ".gitignore", "package.json", "tsconfig.json", "scripts/lint"]);
});
afterAll(() => tree[Symbol.dispose]());

/** What Biome, set up as in this repository, says of a file with this text at this place. */
function lint(file: string, text: string): { ok: boolean; output: string } {
  tree.plant({ [file]: text });
  const biome = join(ROOT, "node_modules/.bin/biome");
  const env = { PATH: process.env["PATH"] ?? "" };
  const { status, stdout, stderr } = spawnSync(biome, ["lint", "--colors=off", file], { cwd: tree.path, env, encoding: "utf8" });
  return { ok: status === 0, output: stdout + stderr };
}

describe("the domain may not", () => {
  it.each([
    ["read the clock", "export const x = Date.now();"],
    ["read the clock as a Date", "export const x = new Date();"],
    ["read the clock as text", "export const x = Date();"],
    ["measure time", "export const x = performance.now();"],
    ["roll dice", "export const x = Math.random();"],
    ["take dice away with it", "export const { random } = Math;"],
    ["roll better dice", 'import { randomUUID } from "node:crypto";\nexport const x = randomUUID();'],
    ["do something later", "export const x = setTimeout(() => undefined, 1);"],
    ["look at its process", "export const x = process.pid;"],
    ["print", 'export const x = () => console.log("x");'],
    ["reach round these rules", 'export const x = globalThis["process"];'],
  ])("%s", (_what, text) => {
    for (const file of ["src/domain/planted.ts", "packages/guard/src/planted.ts"])
      expect(lint(file, `${text}\n`).output).toMatch(/The domain (has|does|may|knows|prints|reaches)/);
  });

  it("be refused for what is pure", () => {
    const pure =
      'import { createHash } from "node:crypto";\nexport const x = [new Date(0).toISOString(), createHash("sha256"), Math.max(1, 2)];\n';
    expect(lint("src/domain/planted.ts", pure)).toMatchObject({ ok: true });
  });
});

describe("no source file may", () => {
  it.each([
    ["leave a promise alone", "const f = async () => 1;\nexport function g(): void {\n  f();\n}", "noFloatingPromises"],
    [
      "forget a case",
      'export function g(x: "a" | "b"): number {\n  switch (x) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}',
      "useExhaustiveSwitchCases",
    ],
    ["export a default", "export default 1;", "noDefaultExport"],
    ["hand on another file", 'export * from "../domain/ids.ts";', "noBarrelFile"],
    ["print", "export const x = () => console.log(1);", "noConsole"],
    ["swallow an error", 'export function g(): void {\n  try {\n    JSON.parse("");\n  } catch {}\n}', "noEmptyBlockStatements"],
    [
      "grow over 300 lines",
      Array.from({ length: 301 }, (_, i) => `export const x${i} = ${i};`).join("\n"),
      "noExcessiveLinesPerFile",
    ],
    [
      "hold a function over 50 lines",
      `export function g(): number[] {\n  const x: number[] = [];\n${"  x.push(1);\n".repeat(51)}  return x;\n}`,
      "noExcessiveLinesPerFunction",
    ],
  ])("%s", (_what, text, rule) => {
    const { ok, output } = lint("src/loop/planted.ts", `${text}\n`);
    expect(output).toContain(rule);
    expect(ok).toBe(false);
  });
});
