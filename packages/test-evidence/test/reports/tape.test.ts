import { describe, expect, test } from "vitest";
import { parseTap } from "../../src/reports/tap.ts";

const read = (text: string) => parseTap(text, []).tests.map(({ id, outcome }) => `${outcome} ${id}`);

describe("tape's TAP", () => {
  /** As tape 5.9.0 writes it. */
  const report = (...points: string[]) =>
    `TAP version 13\n# one\nok 1 should be strictly equal\nok 2 named\n# sub\nok 3 should be strictly equal\n# SKIP two\n# TODO four\nnot ok 4 no # TODO\n# empty\n${points.map((point) => `${point}\n`).join("")}\n1..${4 + points.filter((point) => /^(?:not )?ok/.test(point)).length}\n# tests 5\n# pass  4\n# fail  1\n`;
  const tests = ["passed one", "passed sub", "skipped two", "todo four"];

  test("has tests, which are what its comments name, and not their assertions", () => {
    expect(read(report())).toEqual(tests);
    expect(read(report("# last", "ok 5 should be strictly equal", "ok 6 (unnamed assert)"))).toEqual([...tests, "passed last"]);
  });

  test("has a failed test where one assertion failed, and none where a test asserts nothing", () => {
    expect(read(report("# last", "not ok 5 a", "ok 6 b", "# nothing"))).toEqual([...tests, "failed last"]);
  });
});
