import { expect, test } from "vitest";
import { filesNamedIn, loadedBySettingsAlone, withoutCodeUnderTest } from "../../../src/domain/test-canary/named-files.ts";

const FILES = new Set(["setup.mjs", "src/config.mjs", "src/index.mjs", "src/sum.ts", "config/more.js", "web/setup.mjs"]);

test.each<[string, string, readonly string[]]>([
  ['import { defineConfig } from "vitest/config";', ".", []],
  ['new URL("./src", import.meta.url)', ".", []],
  ['import x from "./src";', ".", ["src/index.mjs"]],
  ['setupFiles: ["./setup.mjs"]', ".", ["setup.mjs"]],
  ['setupFiles: ["setup.mjs"]', "web", ["web/setup.mjs"]],
  ['setupFiles: ["<rootDir>/setup.mjs"]', ".", ["setup.mjs"]],
  ['setupFiles: ["../setup"]', "web", ["setup.mjs"]],
  ["require: ./config/more\n", ".", ["config/more.js"]],
  ['import "./src/sum.js";', ".", ["src/sum.ts"]],
  ['import "setup";', ".", []],
])("%s in %s names files", (text, folder, names) => {
  expect(filesNamedIn(text, folder, FILES)).toEqual(names);
});

test("values that name code under test are none of a runner", () => {
  const text = 'alias: { "@": "./src/index.mjs" },\n"entry": "./src/config.mjs",\nsetupFiles: ["./setup.mjs"]';
  expect(filesNamedIn(withoutCodeUnderTest(text), ".", FILES)).toEqual(["setup.mjs"]);
});

test("what tests or code under test load too is not the settings'", () => {
  const texts = new Map([
    ["vitest.config.mjs", ""],
    ["setup.mjs", 'import "./add.mjs";\nimport "./deep.mjs";\nimport "./store.mjs";\n'],
    ["deep.mjs", ""],
    ["store.mjs", 'import "./add.mjs";'],
    ["add.mjs", ""],
    ["both.mjs", ""],
    ["test/add.test.mjs", 'import "../add.mjs";\nimport "../both.mjs";\n'],
  ]);
  const named = ["setup.mjs", "both.mjs"];
  expect([...loadedBySettingsAlone({ texts, settings: new Set(["vitest.config.mjs"]), named })]).toEqual([
    "setup.mjs",
    "deep.mjs",
  ]);
});
