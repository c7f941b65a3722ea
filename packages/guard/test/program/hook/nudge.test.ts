import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { takeNudges } from "../../../src/program/hook/hook.ts";
import { scratchFolder } from "../../scratch.ts";

const folder = scratchFolder();

/** The engine's lines for an agent, and the report of its guard. */
function nudged(...lines: readonly string[]) {
  const [file, report] = [join(folder(), "nudge"), join(folder(), "report.jsonl")];
  const write = (...all: readonly string[]) => writeFileSync(file, all.map((line) => `${line}\n`).join(""));
  write(...lines);
  writeFileSync(report, '{"event":"session-start"}\n');
  const claims = () =>
    readFileSync(report, "utf8")
      .split("\n")
      .filter((line) => line.includes('"nudge"'));
  return { file, report, write, claims, take: () => takeNudges(file, report) };
}

describe("a line for an agent", () => {
  test("is handed on once, and a later one does not repeat it", () => {
    const { take, write } = nudged("one");
    expect(take()).toEqual(["one"]);
    expect(take()).toEqual([]);
    write("one", "two");
    expect(take()).toEqual(["two"]);
    expect(take()).toEqual([]);
  });

  test("belongs to the hook whose claim is first", () => {
    const { take, report, claims } = nudged("one");
    appendFileSync(report, `${JSON.stringify({ event: "nudge", n: 0, by: "another hook" })}\n`);
    expect(take()).toEqual([]);
    expect(claims()).toHaveLength(1);
  });

  test("is not handed on if its claim cannot be written", () => {
    const { file } = nudged("one");
    expect(takeNudges(file, undefined)).toEqual([]);
    expect(takeNudges(file, join(folder(), "nowhere", "report.jsonl"))).toEqual([]);
  });

  test("is plain and bounded, whoever has written it", () => {
    const [line = "", ...more] = nudged(`\u001b[2J${"x".repeat(1_000)}`).take();
    expect(more).toEqual([]);
    expect(line).not.toContain("\u001b");
    expect(line.length).toBeLessThanOrEqual(400);
  });
});
