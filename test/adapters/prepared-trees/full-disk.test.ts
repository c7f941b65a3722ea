import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SmallDisk } from "../../e2e/small-disk.ts";
import { PROGRAM } from "../../e2e/stage.ts";

const CHILD = join(import.meta.dirname, "full-disk.child.ts");

test("a full disk: nothing half is kept or copied, nothing is left, and the store works once there is room", {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-full-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const small = join(folder, "small");
  using disk = await SmallDisk.at(small);
  const [command = "", ...args] = [...disk.by, process.execPath, CHILD, small, PROGRAM];
  const said: unknown = JSON.parse(execFileSync(command, args, { encoding: "utf8" }));
  expect(said).toEqual({
    first: true,
    copied: { ok: false, why: expect.stringMatching(/could not be copied: .*No space left on device/) },
    inCheckout: [],
    kept: { ok: false, why: "the disk is full" },
    whyNot: "the disk is full",
    left: [],
    again: { ok: true },
    isWhole: true,
    leftAtEnd: [],
  });
});
