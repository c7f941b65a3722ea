import { appendFileSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { followLines } from "../../../src/adapters/run-files/follow-lines.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

function followed() {
  const file = join(folder(), "report.jsonl");
  const lines: string[] = [];
  const lost: string[] = [];
  const end = followLines(file, { line: (text) => lines.push(text), lost: (why) => lost.push(why) });
  return { file, lines, lost, end };
}

test("whole lines come as they are appended, and the rest at the end", async () => {
  const { file, lines, lost, end } = followed();
  writeFileSync(file, "one\ntw");
  await vi.waitFor(() => expect(lines).toEqual(["one"]));
  appendFileSync(file, "o\nthree\nhalf");
  await end();
  expect(lines).toEqual(["one", "two", "three"]);
  appendFileSync(file, "\nlater\n");
  expect([lines.length, lost]).toEqual([3, []]);
});

test("a file that never comes is not lost", async () => {
  const { lines, lost, end } = followed();
  await end();
  expect([lines, lost]).toEqual([[], []]);
});

test.each([
  ["deleted", (file: string) => rmSync(file), /deleted/],
  ["cut", (file: string) => truncateSync(file), /cut or replaced/],
  [
    "replaced",
    (file: string) => {
      writeFileSync(`${file}.new`, "other\n");
      renameSync(`${file}.new`, file);
    },
    /cut or replaced/,
  ],
  [
    "made a link",
    (file: string) => {
      rmSync(file);
      symlinkSync("/etc/passwd", file);
    },
    /link/,
  ],
  ["flooded", (file: string) => appendFileSync(file, "x\n".repeat(400_000)), /faster/],
] as const)("a file that is %s is lost, once", async (_, act, why) => {
  const { file, lines, lost, end } = followed();
  writeFileSync(file, "one\n");
  await vi.waitFor(() => expect(lines).toEqual(["one"]));
  act(file);
  await end();
  expect(lost).toEqual([expect.stringMatching(why)]);
  expect(lines).not.toContain(readFileSync("/etc/passwd", "utf8").split("\n")[0]);
});

test("a line that is too long is left out, and those after it are not", async () => {
  const { file, lines, end } = followed();
  writeFileSync(file, "one\n");
  await vi.waitFor(() => expect(lines).toEqual(["one"]));
  appendFileSync(file, "y".repeat(100_000));
  await end();
  expect(lines).toEqual(["one"]);
});
