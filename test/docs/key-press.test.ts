import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
/** More files between a key and what it does are more than anybody follows. */
const MOST_FILES = 25;

test("the way of a key press names files that are there, 25 at most", () => {
  const page = readFileSync(join(ROOT, "docs/inside/architecture.md"), "utf8");
  const [section = ""] = page.split("### How a key press travels")[1]?.split(/^##/m) ?? [];
  const files = [...section.matchAll(/^ {2,3}(\d+) (\S+)/gm)].map(([, n, file]) => ({ n: Number(n), file: file ?? "" }));
  expect(files.map(({ n }) => n)).toEqual(files.map((_, i) => i + 1));
  expect(files.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(files.length).toBeGreaterThan(10);
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});
