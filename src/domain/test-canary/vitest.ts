import { appendJs, besideJs, type JsRunner } from "./js-tests.ts";
import type { TestRunner } from "./runner.ts";

const VITEST: JsRunner = { modules: new Set(["vitest"]), hasGlobals: true };

export const vitest: TestRunner = {
  name: "vitest",
  isStartedBy: ([program = ""]) => /^vitest(?:\.mjs)?$/.test(program),
  isTestFile: (path) => /\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path),
  stopsEarly: (words) => words.some((word) => /^--bail(?:=[1-9]\d*)?$/.test(word)),
  append: (file, options) => appendJs(file, options, VITEST),
  beside: (file, options) => besideJs(file, options, VITEST),
};
