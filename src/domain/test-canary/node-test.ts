import { appendJs, besideJs, type JsRunner } from "./js-tests.ts";
import type { TestRunner } from "./runner.ts";

const NODE: JsRunner = { modules: new Set(["node:test"]), hasGlobals: false };

const SCRIPT = /\.[cm]?[jt]sx?$/;

/** Node's own runner, started by `node --test` or by running a file of tests. */
export const nodeTest: TestRunner = {
  name: "node:test",
  isStartedBy: ([program = "", ...words]) => {
    if (!/^(?:node|tsx)(?:\.exe)?$/.test(program)) return false;
    const script = words.find((word) => !word.startsWith("-"));
    return words.includes("--test") || (script !== undefined && nodeTest.isTestFile(script));
  },
  // Any file in the folders that a command names: one that is no test does not import node:test.
  isTestFile: (path) => SCRIPT.test(path) && /(?:^|\/)tests?\/|(?:^|[/._-])(?:test|spec)s?[._-]/.test(path),
  stopsEarly: () => false,
  append: (file, options) => appendJs(file, options, NODE),
  beside: (file, options) => besideJs(file, options, NODE),
};
