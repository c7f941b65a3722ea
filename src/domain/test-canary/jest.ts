import { appendJs, besideJs, type JsRunner } from "./js-tests.ts";
import type { TestRunner } from "./runner.ts";

const JEST: JsRunner = { modules: new Set(["@jest/globals"]), hasGlobals: true };

export const jest: TestRunner = {
  name: "jest",
  isStartedBy: ([program = ""]) => /^jest(?:\.js)?$/.test(program),
  isTestFile: (path) => /\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)__tests__\/.*\.[cm]?[jt]sx?$/.test(path),
  stopsEarly: (words) => words.some((word) => /^(?:-b|--bail(?:=[1-9]\d*)?)$/.test(word)),
  append: (file, options) => appendJs(file, options, JEST),
  beside: (file, options) => besideJs(file, options, JEST),
};
