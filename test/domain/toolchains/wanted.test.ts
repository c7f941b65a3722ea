import { describe, expect, test } from "vitest";
import { isWanted, newestFirst, type Tool, wantedTools } from "../../../src/domain/toolchains/wanted.ts";

const wantedIn = (files: Readonly<Record<string, string>>) =>
  wantedTools(new Map(Object.entries(files))).map(({ tool, wants, file }) => [tool, wants, file]);

describe("wantedTools", () => {
  test.each([
    [".nvmrc", "v20.11.1\n", "node", "v20.11.1"],
    [".nvmrc", "# ours\nlts/iron\n", "node", "lts/iron"],
    [".node-version", "20\n", "node", "20"],
    [".python-version", "3.12.1\n3.11.0\n", "python", "3.12.1"],
    [".ruby-version", "ruby-3.3.0\n", "ruby", "3.3.0"],
    ["rust-toolchain", "1.75.0\n", "rust", "1.75.0"],
    ["rust-toolchain", '[toolchain]\nchannel = "nightly-2024-01-01"\n', "rust", "nightly-2024-01-01"],
    ["rust-toolchain.toml", '[toolchain]\nchannel = "stable"\ncomponents = ["clippy"]\n', "rust", "stable"],
    ["mise.toml", '[env]\nnode = "1"\n[tools]\nnode = "22"\n[tasks]\ngo = "no"\n', "node", "22"],
    ["package.json", '{"engines": {"node": ">=18"}}', "node", ">=18"],
    ["package.json", '{"engines": {"node": ">=18"}, "volta": {"node": "20.1.0"}}', "node", "20.1.0"],
    ["go.mod", "module x\n\ngo 1.21\n\ntoolchain go1.22.3\n", "go", ">=1.22.3"],
    ["go.mod", "module x\n\ngo 1.21\n", "go", ">=1.21"],
  ])("reads %s: %j", (file, text, tool, wants) => {
    expect(wantedIn({ [file]: text })).toEqual([[tool, wants, file]]);
  });

  test("reads several tools from one file, and the more binding of two files", () => {
    const files = {
      ".tool-versions": "nodejs 20.1.0 # ours\npython system\ngolang 1.22.0\n",
      "package.json": '{"engines": {"node": ">=1"}}',
    };
    expect(wantedIn(files)).toEqual([
      ["node", "20.1.0", ".tool-versions"],
      ["go", "1.22.0", ".tool-versions"],
    ]);
    expect(wantedIn({ ...files, ".nvmrc": "18" })[0]).toEqual(["node", "18", ".nvmrc"]);
  });

  test.each([
    ["package.json", "{"],
    ["package.json", '{"engines": "x"}'],
    ["rust-toolchain.toml", "[toolchain]\n"],
    [".nvmrc", "\n"],
    [".nvmrc", "x".repeat(100)],
    ["go.mod", "module x\n"],
  ])("wants nothing for %s: %j", (file, text) => {
    expect(wantedIn({ [file]: text })).toEqual([]);
  });
});

describe("isWanted", () => {
  test.each<[Tool, string, string, boolean]>([
    ["node", "20", "20.11.1", true],
    ["node", "v20.11", "20.11.1", true],
    ["node", "20.1", "20.11.1", false],
    ["node", "lts/iron", "20.11.1", true],
    ["node", "lts/iron", "22.0.0", false],
    ["node", "lts/*", "22.0.0", true],
    ["node", "lts/*", "21.0.0", false],
    ["node", "stable", "21.0.0", true],
    ["python", "3.12", "3.12.1", true],
    ["python", "myenv", "myenv", true],
    ["python", "3.12", "myenv", false],
    ["rust", "stable", "stable-x86_64-unknown-linux-gnu", true],
    ["rust", "1.75", "1.75.0-x86_64-unknown-linux-gnu", true],
    ["rust", "1.75.0", "1.76.0-x86_64-unknown-linux-gnu", false],
    ["rust", "nightly", "stable-x86_64-unknown-linux-gnu", false],
  ])("knows a pin of %s: %s by %s is %s", (tool, wants, version, is) => {
    expect(isWanted({ tool, wants, isPin: true }, version)).toBe(is);
  });

  test.each([
    [">=18", "18.0.0", true],
    [">=18", "17.9.9", false],
    ["> 18", "18.4.0", false],
    ["> 18", "19.0.0", true],
    ["<21", "21.0.0", false],
    ["<=20", "20.9.0", true],
    [">=18 <21", "20.0.0", true],
    [">= 18 < 20", "20.0.0", false],
    ["^20.1", "20.0.9", false],
    ["^20.1", "20.9.0", true],
    ["^0.2.3", "0.2.9", true],
    ["^0.2.3", "0.3.0", false],
    ["~20.1.2", "20.1.9", true],
    ["~20.1.2", "20.2.0", false],
    ["18.x || 20.x", "20.3.0", true],
    ["18.x || 20.x", "19.3.0", false],
    ["18 - 20", "20.5.0", true],
    ["18 - 20", "21.0.0", false],
    ["*", "1.0.0", true],
    ["what ever", "1.0.0", true],
  ])("knows a range: %s holds %s: %s", (wants, version, is) => {
    expect(isWanted({ tool: "node", wants, isPin: false }, version)).toBe(is);
  });
});

test("newestFirst sorts by numbers, and names last", () => {
  const sorted = ["9.1.0", "stable-x", "20.2.0", "20.11.0"].toSorted(newestFirst);
  expect(sorted).toEqual(["20.11.0", "20.2.0", "9.1.0", "stable-x"]);
});
