import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkGuard } from "../../../src/cli/doctor/guard.ts";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import type { VendorKind } from "../../../src/domain/batch/vendors.ts";

const MAIN = join(import.meta.dirname, "../../../src/cli/main.ts");

/** What doctor says of the guard of a vendor's agent, without a sandbox, if `program` starts its hook. */
function guardOf(program: readonly string[], kind: VendorKind = "claude", more: Partial<Pick<Batch, "guard">> = {}) {
  return checkGuard({
    batch: { agent: { kind } as Batch["agent"], sandbox: "off", ...more },
    find: () => Promise.reject(new Error("no sandbox is looked for")),
    program: { argv: program, read: [] },
    path: process.env["PATH"] ?? "",
  });
}

describe("doctor on the guard of an agent", () => {
  test("says that its hook blocks", async () => {
    expect(await guardOf([process.execPath, MAIN])).toEqual([
      { check: "guard", status: "ok", found: "the hook of claude blocks a test command without a sandbox", fix: null },
    ]);
  });

  test.each<[string, readonly string[], VendorKind, string]>([
    ["does nothing", ["/bin/true"], "claude", "exit 0"],
    ["does nothing", ["/bin/true"], "opencode", "exit 0"],
    ["is missing", ["/nowhere/loopdash"], "codex", "exit 2, "],
    ["is missing", ["/nowhere/loopdash"], "opencode", "exit 127, "],
    ["crashes", ["/bin/sh", "-c", "kill -9 $$"], "gemini", "exit 2, "],
  ])("says that a hook which %s is dead, and what to do (%s, %s)", async (_, program, kind, end) => {
    const [check, ...rest] = await guardOf(program, kind);
    expect(rest).toEqual([]);
    expect(check).toMatchObject({ check: "guard", status: "bad" });
    expect(check?.found).toContain(
      `the hook of ${kind} is dead without a sandbox: its hook did not block a test command: ${end}`,
    );
    expect(check?.fix).toMatch(/^Install loopdash again\. .*"guard": false/);
  });

  test("warns of a guard that the batch switches off, and starts nothing", async () => {
    expect(await guardOf(["/nowhere/loopdash"], "claude", { guard: false })).toEqual([
      { check: "guard", status: "warn", found: "the batch switches it off", fix: 'Leave "guard" out of the batch file.' },
    ]);
  });
});
