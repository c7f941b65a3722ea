import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDecoyFolders } from "../../../src/adapters/tripwire/write-tracker.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

test("what an engine noted whole is removed, what it was noting when it was killed is not", async () => {
  const run = join(folder(), "runs/plumbing-20261122-c437");
  const list = join(run, "canaries");
  const beside = (name: string) => join(folder(), "runs", name);
  for (const path of [run, beside("plumbing-20261120-0a1b"), beside("plumbing-2026")]) mkdirSync(path, { recursive: true });
  writeFileSync(list, "plumbing-20261120-0a1b\nplumbing-2026");
  await createDecoyFolders({ run, list, real: { kind: "embedded", file: join(run, "tracker.json") } }).sweep();
  const left = ["plumbing-20261120-0a1b", "plumbing-2026"].map((name) => existsSync(beside(name)));
  expect([...left, existsSync(list)]).toEqual([false, true, false]);
});
