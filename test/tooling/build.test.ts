import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transform } from "esbuild";
import { parseSync } from "oxc-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toAscii } from "../../scripts/build/ascii.ts";
import { assertLightStart, assertNoHiddenRequire, assertSelfContained, type Outputs } from "../../scripts/build/assertions.ts";
import { ROOT } from "./scratch-tree.ts";

let dist: string;
beforeAll(() => {
  dist = mkdtempSync(join(tmpdir(), "loopdash-dist-"));
  writeFileSync(join(dist, "left-over.js"), "");
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/build.ts"), dist], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  writeFileSync(join(dist, "package.json"), '{ "type": "module" }');
}, 60_000);
afterAll(() => rmSync(dist, { recursive: true, force: true }));

const built = (name: string): string => readFileSync(join(dist, name), "utf8");

/** Runs the built program as if it were on another version of Node. */
function onNode(version: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const disguise = join(dist, "disguise.cjs");
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  writeFileSync(disguise, `Object.defineProperty(process, "versions", { value: ${versions} });\n`);
  const argv = ["--require", disguise, join(dist, "loopdash.js"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env: { HOME: dist } });
  return { status, stdout, stderr };
}

/** Files of the build that a run of the program loads. */
function loadedBy(...args: string[]): readonly string[] {
  const spy = join(dist, "spy.cjs");
  const log = join(dist, "loaded.log");
  const hook = 'load(url, context, next) { appendFileSync(log, url + "\\n"); return next(url, context); }';
  const lines = [
    'const { appendFileSync } = require("node:fs");',
    `const log = ${JSON.stringify(log)};`,
    `require("node:module").registerHooks({ ${hook} });`,
  ];
  writeFileSync(spy, lines.join("\n"));
  rmSync(log, { force: true });
  spawnSync(process.execPath, ["--require", spy, join(dist, "loopdash.js"), ...args], { env: { HOME: dist } });
  const urls = readFileSync(log, "utf8").trim().split("\n");
  return urls
    .filter((url) => url.startsWith("file:") && !url.endsWith("spy.cjs"))
    .map((url) => url.slice(url.lastIndexOf("/") + 1));
}

describe("the build", () => {
  it("makes a program that can be started by its name", () => {
    expect(statSync(join(dist, "loopdash.js")).mode & 0o111).toBe(0o111);
    expect(built("loopdash.js")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it("removes what it no longer makes", () => {
    expect(existsSync(join(dist, "left-over.js"))).toBe(false);
  });

  it("imports nothing but Node and itself", () => {
    for (const name of globSync("*.js", { cwd: dist })) {
      const { module } = parseSync(name, built(name));
      const names = module.staticImports.map((statement) => statement.moduleRequest.value);
      const foreign = names.filter((to) => !isBuiltin(to) && !(to.startsWith("./") && existsSync(join(dist, to))));
      expect({ name, foreign }).toEqual({ name, foreign: [] });
    }
  });

  it("holds nothing that only costs time: no regular expression made at each use, no package twice, no other language", () => {
    const all = globSync("*.js", { cwd: dist }).map(built).join("\n");
    // How Ink looks at each character of each frame.
    expect(all).toContain("!/^\\p{Default_Ignorable_Code_Point}+$/u.test(");
    const copies = [...all.matchAll(/^\/\/ (.*node_modules\/string-width\/)index\.js$/gm)].map(([, folder = ""]) => folder);
    const versions = copies.map((folder) => JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")).version);
    expect(versions).toContain(JSON.parse(readFileSync(join(ROOT, "node_modules/string-width/package.json"), "utf8")).version);
    expect(new Set(versions).size).toBe(versions.length);
    expect(all).toContain("zod/v4/locales/en.js");
    expect(all).not.toContain("zod/v4/locales/de.js");
  });

  it("is ASCII, and imports node:http nowhere: both would cost every engine megabytes", () => {
    const all = globSync("*.{js,cjs}", { cwd: dist });
    expect(all.filter((name) => /[^\0-\x7f]/.test(built(name)))).toEqual([]);
    const importing = all.filter((name) => /^import .*"(?:node:)?http";$/m.test(built(name)));
    expect(importing).toEqual([]);
  });

  it("lists the files that contain the tripwire: an engine of any of them has the same hash of it", () => {
    const containing = globSync("*.js", { cwd: dist }).filter((name) =>
      built(name).includes("// src/adapters/tripwire/code-sha.ts"),
    );
    expect(containing).toContain("engine.js");
    expect(JSON.parse(built("tripwire.json"))).toEqual(containing.sort());
  });

  it("makes an engine that loads little beside its own file, and nothing that draws", () => {
    const names = [...built("engine.js").matchAll(/^(?:import|export) .*?"\.\/([^"]+)";$|^\} from "\.\/([^"]+)";$/gm)].map(
      ([, whole, end]) => whole ?? end ?? "",
    );
    // What several entries share has a file of its own: more than half of them are below 4 KiB.
    expect(names.length).toBeLessThan(50);
    for (const name of ["engine.js", ...names]) expect(built(name)).not.toContain("react-reconciler");
  });

  it("makes an oracle of one file", () => {
    const names = [...built("oracle.cjs").matchAll(/\brequire\(([^)]*)\)/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !isBuiltin(JSON.parse(name)))).toEqual([]);
    expect(built("oracle.cjs")).not.toMatch(/\bimport\b/);
  });

  it("names the licence of everything that is in it", () => {
    for (const name of ["ink", "react", "zod", "simple-git"]) expect(built("licenses.txt")).toContain(`=== ${name} `);
  });
});

describe("the program's start", () => {
  it.each(["24.15.0", "24.21.0", "25.0.0", "100.1.0"])("is let pass by Node %s", (version) => {
    expect(onNode(version, "--version")).toMatchObject({ status: 0, stderr: "" });
  });

  it.each(["18.20.0", "20.20.2", "22.23.0", "24.14.9"])("is refused on Node %s, in one line", (version) => {
    const { status, stdout, stderr } = onNode(version, "--version");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      `loopdash needs Node 24.15 or newer, and this is Node ${version}. The command loopdash finds or fetches one.\n`,
    );
  });

  it("can be parsed by Node 18", async () => {
    const entry = built("loopdash.js");
    const as = (target: string) => transform(entry, { target, format: "esm" }).then(({ code }) => code);
    expect(await as("node18")).toBe(await as("esnext"));
  });

  it("loads next to nothing for --version", () => {
    const bytes = loadedBy("--version").map((name) => statSync(join(dist, name)).size);
    expect(bytes.length).toBeGreaterThan(1);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(16 * 1024);
  });

  it.each([["--help"], ["runs"], ["no-such-batch.json", "--headless"]])("loads nothing that draws for %s", (...args) => {
    const files = loadedBy(...args);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect(built(file)).not.toContain("react-reconciler");
  });
});

const file = (imports: Outputs[string]["imports"], inputs: readonly string[] = [], entryPoint?: string): Outputs[string] => ({
  bytes: 1,
  imports,
  exports: [],
  inputs: Object.fromEntries(inputs.map((input) => [input, { bytesInOutput: 1 }])),
  ...(entryPoint === undefined ? {} : { entryPoint }),
});

describe("the build's assertions refuse", () => {
  it("a package that was left outside", () => {
    const outputs = { "dist/a.js": file([{ path: "zod", kind: "import-statement", external: true }]) };
    expect(() => assertSelfContained(outputs)).toThrow("dist/a.js imports zod");
  });

  it("an oracle of two files, or with a package in it", () => {
    const two = { "dist/oracle.cjs": file([{ path: "dist/a.js", kind: "import-statement" }]), "dist/a.js": file([]) };
    expect(() => assertSelfContained(two)).toThrow("dist/oracle.cjs imports dist/a.js");
    const fat = { "dist/oracle.cjs": file([], ["oracle/done.ts", "node_modules/zod/index.js"]) };
    expect(() => assertSelfContained(fat)).toThrow("node_modules/zod/index.js");
  });

  it("a character beyond ASCII whose escape would be another program", () => {
    expect(toAscii("a.js", "/[\u2716\u{1f600}]/u; // \u2014")).toBe("/[\\u2716\\ud83d\\ude00]/u; // \\u2014");
    expect(() => toAscii("a.js", "/\\\u2014/")).toThrow("a.js has");
    expect(() => toAscii("a.js", "String.raw`\u2014`")).toThrow("a.js has");
  });

  it("a require that is not bundled", () => {
    expect(() => assertNoHiddenRequire("a.js", 'var x = require2("./impl/format");')).toThrow("./impl/format");
    expect(() => assertNoHiddenRequire("a.js", 'var x = require("node:fs");')).not.toThrow();
  });

  it("an entry that loads something before it looked at Node's version", () => {
    const outputs = { "dist/e.js": file([{ path: "dist/c.js", kind: "import-statement" }]), "dist/c.js": file([], [], "run.ts") };
    expect(() => assertLightStart(outputs, "dist/e.js", "run.ts")).toThrow("dist/c.js");
  });

  it("a start that loads what draws", () => {
    const outputs = {
      "dist/e.js": file([]),
      "dist/run.js": file([{ path: "dist/c.js", kind: "import-statement" }], [], "run.ts"),
      "dist/c.js": file([], ["node_modules/ink/build/index.js"]),
    };
    expect(() => assertLightStart(outputs, "dist/e.js", "run.ts")).toThrow("node_modules/ink/build/index.js");
  });
});
