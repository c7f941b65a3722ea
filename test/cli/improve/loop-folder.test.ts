import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { LoopFolder } from "../../../src/cli/improve/loop-folder.ts";

test("a text that an iteration has on record is not told again, and one that came since is kept", () => {
  const path = mkdtempSync(join(tmpdir(), "loopdash-improve-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const clock = vi.spyOn(Date, "now").mockReturnValueOnce(1_000).mockReturnValueOnce(2_000);
  onTestFinished(() => clock.mockRestore());
  const folder = new LoopFolder(path);
  expect(folder.told()).toEqual([]);
  folder.tell("look at rm");
  const taken = folder.told();
  folder.tell("look at mv");
  folder.forget(taken);
  expect(folder.told()).toEqual(["look at mv"]);
  folder.forget(taken);
  expect(folder.told()).toEqual(["look at mv"]);
});
