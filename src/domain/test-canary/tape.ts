import { mocha } from "./mocha.ts";
import type { TestRunner } from "./runner.ts";

/** Tape, and tap, which has its way of writing tests. */
export const tape: TestRunner = {
  name: "tape",
  isStartedBy: ([program = ""]) => /^(?:tape|tap)$/.test(program),
  isTestFile: (path) => mocha.isTestFile(path),
  stopsEarly: (words) => words.some((word) => /^(?:-b|--bail)$/.test(word)),
  append: () => undefined,
  beside: () => undefined,
};
