import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkLayers } from "../../scripts/layers/check.ts";
import { ROOT, type ScratchTree, scratchTree } from "./scratch-tree.ts";

let tree: ScratchTree;
beforeEach(() => {
  tree = scratchTree([]);
  tree.plant({
    "src/domain/run/event.ts": "export type RunEvent = string;\n",
    "src/domain/values/user-error.ts": "export const EXIT = 1;\n",
    "src/ports/clock.ts": 'import type { RunEvent } from "../domain/event.ts";\nexport type Clock = RunEvent;\n',
    "src/loop/attempt/planted.ts": "export type Placed = string;\n",
    "oracle/definition.ts": "export const judge = 1;\n",
    "src/adapters/planted/thing.ts": "export const thing = 1;\n",
    "src/adapters/executor/planted.ts": "export const x = 1;\n",
    "src/adapters/planted-error.ts": "export const y = 1;\n",
    "src/loop/planted-loop.ts": "export const run = 1;\n",
    "components/kit/planted-view.tsx": "export const view = 1;\n",
    "components/views/graph/planted-graph.tsx": "export const graph = 1;\n",
    "components/app/planted-app.tsx": "export const app = 1;\n",
    "packages/guard/package.json": '{"exports": {".": "./src/index.ts", "./program": "./src/program/index.ts"}}',
    "packages/guard/src/index.ts": 'export { rule } from "./rule.ts";\n',
    "packages/guard/src/rule.ts": "export const rule = 1;\n",
    "packages/guard/src/program/index.ts": "export const run = 1;\n",
  });
});
afterEach(() => tree[Symbol.dispose]());

const complaintsAbout = (file: string): readonly string[] =>
  checkLayers(tree.path).problems.filter((line) => line.includes(file));

const LAYER = "may import these layers";
const FOLDERS = "may import these folders of components";
const PACKAGES = "may import these packages";
const STARTS = "programs are started through src/adapters/executor";
const BUILTINS = "may import these modules of Node";

describe("the layer check refuses", () => {
  it.each([
    ["the loop importing an adapter", "src/loop/run/zz.ts", 'import { thing } from "../../adapters/planted/thing.ts";', LAYER],
    ["the loop starting processes itself", "src/loop/run/zz.ts", 'import { spawn } from "node:child_process";', STARTS],
    ["an adapter starting programs itself", "src/adapters/planted/zz.ts", 'import { spawn } from "child_process";', STARTS],
    ["the same at run time", "src/adapters/planted/zz.ts", 'export const e = () => import("execa");', STARTS],
    ["the oracle starting programs", "oracle/zz.ts", 'import { spawn } from "node:child_process";', STARTS],
    ["an exception that is none", "src/cli/relay.ts", "export const x = 1;", "starts no programs"],
    ["a component reading files", "components/kit/zz.tsx", 'import { readFileSync } from "node:fs";', BUILTINS],
    ["the same without node:", "components/kit/zz.tsx", 'import { readFileSync } from "fs";', BUILTINS],
    [
      "a component importing an adapter",
      "components/kit/zz.tsx",
      'import { thing } from "../../src/adapters/planted/thing.ts";',
      LAYER,
    ],
    ["a component importing a port", "components/kit/zz.tsx", 'import type { Clock } from "../../src/ports/clock.ts";', LAYER],
    ["a component importing the engine's packages", "components/kit/zz.tsx", 'import { execa } from "execa";', STARTS],
    ["the oracle importing the engine", "oracle/zz.ts", 'import { EXIT } from "../src/domain/values/user-error.ts";', LAYER],
    ["the oracle importing a package", "oracle/zz.ts", 'import { z } from "zod";', PACKAGES],
    ["anyone importing the oracle", "src/cli/zz.ts", 'import { judge } from "../../oracle/definition.ts";', LAYER],
    ["the domain importing a port", "src/domain/zz.ts", 'import type { Clock } from "../ports/clock.ts";', LAYER],
    ["the same in a type", "src/domain/zz.ts", 'export type C = import("../ports/clock.ts").Clock;', LAYER],
    ["the same at run time", "src/domain/zz.ts", 'export const c = () => import("../ports/clock.ts");', LAYER],
    ["the same by require", "src/domain/zz.ts", 'export const c = require("../ports/clock.ts");', LAYER],
    ["the same handed on", "src/domain/zz.ts", 'export type { Clock } from "../ports/clock.ts";', LAYER],
    ["the domain reading files", "src/domain/zz.ts", 'import { readFileSync } from "node:fs";', BUILTINS],
    ["the domain importing React", "src/domain/zz.ts", 'import { useState } from "react";', PACKAGES],
    ["a name made at run time", "src/domain/zz.ts", "export const c = (name: string) => import(name);", "computed"],
    [
      "a package importing loopdash",
      "packages/guard/src/zz.ts",
      'import { EXIT } from "../../../src/domain/values/user-error.ts";',
      LAYER,
    ],
    [
      "the same in a type",
      "packages/guard/src/zz.ts",
      'import type { RunEvent } from "../../../src/domain/run/event.ts";',
      LAYER,
    ],
    ["a package reading files in its pure part", "packages/guard/src/zz.ts", 'import { readFileSync } from "node:fs";', BUILTINS],
    ["its pure part importing its program", "packages/guard/src/zz.ts", 'import { run } from "./program/index.ts";', LAYER],
    ["the domain importing a package's program", "src/domain/zz.ts", 'import { run } from "@loopdash/guard/program";', LAYER],
    ["a way into a package", "src/domain/zz.ts", 'import { rule } from "../../packages/guard/src/rule.ts";', "by its name"],
    ["what a package does not export", "src/domain/zz.ts", 'import { rule } from "@loopdash/guard/rule";', "no such file"],
    ["a port importing an adapter", "src/ports/zz.ts", 'import { thing } from "../adapters/planted/thing.ts";', LAYER],
    ["an adapter importing the loop", "src/adapters/planted/zz.ts", 'import { run } from "../../loop/planted-loop.ts";', LAYER],
    ["an adapter importing a tool", "src/adapters/planted/zz.ts", 'import { test } from "vitest";', PACKAGES],
    [
      "an adapter importing another port's",
      "src/adapters/zz/zz.ts",
      'import { thing } from "../planted/thing.ts";',
      "imports no other one",
    ],
    [
      "a view importing another view",
      "components/views/zz/zz.tsx",
      'import { graph } from "../graph/planted-graph.tsx";',
      FOLDERS,
    ],
    [
      "a dialog importing a view",
      "components/dialogs/zz.tsx",
      'import { graph } from "../views/graph/planted-graph.tsx";',
      FOLDERS,
    ],
    ["the kit importing the app", "components/kit/zz.tsx", 'import { app } from "../app/planted-app.tsx";', FOLDERS],
    ["the same in a type", "components/kit/zz.tsx", 'export type A = typeof import("../app/planted-app.tsx").app;', FOLDERS],
    ["a component outside every folder", "components/zz.tsx", "export const x = 1;", "belongs to no folder of components"],
    [
      "a folder of components that has no place",
      "components/zz/zz.tsx",
      "export const x = 1;",
      "belongs to no folder of components",
    ],
    ["a folder within a view", "components/views/graph/zz/zz.tsx", "export const x = 1;", "belongs to no folder of components"],
    [
      "the store importing a component",
      "src/store/zz.ts",
      'import { view } from "../../components/kit/planted-view.tsx";',
      LAYER,
    ],
    ["an import that leads nowhere", "src/domain/zz.ts", 'import { x } from "./not-there.ts";', "no such file"],
    ["a file outside every layer", "src/helpers/zz.ts", "export const x = 1;", "belongs to no layer"],
    [
      "a step importing what runs it",
      "src/loop/steps/zz.ts",
      'import type { Placed } from "../attempt/planted.ts";\nexport type P = Placed;',
      "may import these folders of src/loop",
    ],
    ["a file that imports itself", "src/domain/zz.ts", 'import type { X } from "./zz.ts";', "cycle"],
  ])("%s", (_what, file, text, reason) => {
    tree.plant({ [file]: `${text}\n` });
    expect(complaintsAbout(file)).toEqual([expect.stringContaining(reason)]);
  });

  it("a cycle through three files, even one of types alone", () => {
    tree.plant({
      "src/domain/zz-a.ts": 'import type { B } from "./zz-b.ts";\nexport type A = B[];\n',
      "src/domain/zz-b.ts": 'import type { C } from "./zz-c.ts";\nexport type B = C[];\n',
      "src/domain/zz-c.ts": 'import type { A } from "./zz-a.ts";\nexport type C = A[];\n',
    });
    expect(complaintsAbout("zz-a.ts")).toEqual([expect.stringMatching(/^cycle: .*zz-.\.ts → .*zz-.\.ts → .*zz-.\.ts$/)]);
  });
});

describe("the layer check lets pass", () => {
  it.each([
    ["an adapter that starts programs", "src/adapters/zz/zz.ts", 'import { x } from "../executor/planted.ts";'],
    ["what adapters of all ports share", "src/adapters/zz/zz.ts", 'import { y } from "../planted-error.ts";'],
    ["adapters of one port", "src/adapters/planted/zz.ts", 'import { thing } from "./thing.ts";'],
    ["the folder that starts programs", "src/adapters/executor/zz.ts", 'import { execa } from "execa";'],
    ["a file that is named for it", "src/cli/relay.ts", 'import { spawn } from "node:child_process";'],
    ["the domain's packages", "src/domain/zz.ts", 'import { z } from "zod";\nimport { join } from "node:path";'],
    ["the domain importing what a package exports", "src/domain/zz.ts", 'import { rule } from "@loopdash/guard";'],
    ["the composition root", "src/cli/zz.ts", 'import { thing } from "../adapters/planted/thing.ts";'],
    ["the app importing a view", "components/app/zz.tsx", 'import { graph } from "../views/graph/planted-graph.tsx";'],
    ["a view importing the kit", "components/views/zz/zz.tsx", 'import { view } from "../../kit/planted-view.tsx";'],
    ["files of one view", "components/views/graph/zz.tsx", 'import { graph } from "./planted-graph.tsx";'],
    [
      "a component that draws",
      "components/kit/zz.tsx",
      'import { Box } from "ink";\nimport type { RunEvent } from "../../src/domain/run/event.ts";',
    ],
  ])("%s", (_what, file, text) => {
    tree.plant({ [file]: `${text}\n` });
    expect(complaintsAbout(file)).toEqual([]);
  });
});

it("keeps glyphs out of the domain: what a thing looks like is told in src/store/labels", () => {
  // What reads the prints of tools reads glyphs as well.
  const files = globSync("{src/domain,packages/*/src}/**/*.ts", { cwd: ROOT }).filter(
    (file) => !/^packages\/(?:triage|test-evidence\/src\/reports)\//.test(file),
  );
  const glyphs = /[\u23e9-\u23fa\u2500-\u27bf]/u;
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => glyphs.test(readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
});

describe("the layer check notices", () => {
  it("every file, however new its syntax", () => {
    const before = checkLayers(tree.path);
    tree.plant({
      "src/domain/zz.ts": 'import type { RunEvent } from "./event.ts";\nusing held = lock();\nexport const e: RunEvent[] = [];\n',
    });
    const after = checkLayers(tree.path);
    expect([after.modules - before.modules, after.imports - before.imports]).toEqual([1, 1]);
  });

  it("every file of this repository", () => {
    const { modules, imports } = checkLayers(ROOT);
    expect(modules).toBe(globSync("{src,packages/*/src,components,oracle}/**/*.{ts,tsx}", { cwd: ROOT }).length);
    expect(modules).toBeGreaterThan(100);
    expect(imports).toBeGreaterThan(modules);
  });

  it("that it saw nothing", () => {
    for (const root of ["src", "packages", "components", "oracle"]) rmSync(join(tree.path, root), { recursive: true });
    expect(checkLayers(tree.path).problems).toEqual([expect.stringContaining("no imports seen")]);
  });

  it("a file that it cannot read", () => {
    tree.plant({ "src/domain/zz.ts": "import { from nowhere;;; {\n" });
    expect(() => checkLayers(tree.path)).toThrow("src/domain/zz.ts");
  });
});
