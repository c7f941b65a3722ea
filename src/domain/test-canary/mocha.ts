import type { TestRunner } from "./runner.ts";

export const mocha: TestRunner = {
  name: "mocha",
  isStartedBy: ([program = ""]) => /^_?mocha(?:\.c?js)?$/.test(program),
  // Its own default is the folder `test`; a command may name others.
  isTestFile: (path) => /\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)(?:tests?|specs?)\/.*\.[cm]?[jt]sx?$/.test(path),
  stopsEarly: (words) => words.some((word) => /^(?:-b|--bail(?:=true)?)$/.test(word)),
  append: () => undefined,
  beside: () => undefined,
};
