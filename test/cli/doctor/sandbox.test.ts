import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FoundSandbox } from "../../../src/adapters/sandbox/find-sandbox.ts";
import { checkSandbox } from "../../../src/cli/doctor/sandbox.ts";
import type { SandboxMode } from "../../../src/domain/batch/schema.ts";

const sandbox = { kind: "bubblewrap", layers: false, confine: () => Promise.reject(new Error("not asked")) } as const;
const HOLDS = { ok: true, sandbox, version: "0.8.0", bounds: "4096 processes, memory as there is", lacks: [] } as const;
const NONE = { ok: false, why: "bubblewrap is not installed", todo: "Install it: apt-get install bubblewrap" } as const;

const look = (found: FoundSandbox, mode: SandboxMode = "required") =>
  checkSandbox({ find: () => Promise.resolve(found), path: "/usr/bin", place: "/not/yet", mode });

describe("what the trial of the sandbox shows is told", () => {
  test("one that holds, and how much a process in it may use", async () => {
    expect(await look(HOLDS)).toEqual([
      {
        check: "sandbox",
        status: "ok",
        found: "bubblewrap 0.8.0; each in it may use 4096 processes, memory as there is",
        fix: null,
      },
      {
        check: "sandbox-canary",
        status: "ok",
        found: "a process in it could not change, see or reach anything outside",
        fix: null,
      },
    ]);
  });

  test("what it does not do here is a warning", async () => {
    const lacks = [{ why: "mounts come in", todo: "Mount nothing." }];
    expect((await look({ ...HOLDS, lacks })).slice(2)).toEqual([
      { check: "sandbox-limits", status: "warn", found: "mounts come in", fix: "Mount nothing." },
    ]);
  });

  test.each<SandboxMode>(["required", "auto"])("one that does not hold is bad, also where it is %s", async (mode) => {
    const why = "a process in it could read a hidden file";
    expect(await look({ ok: false, escapes: ["read a hidden file"], why, todo: "Look." }, mode)).toEqual([
      { check: "sandbox-canary", status: "bad", found: why, fix: expect.stringContaining("Do not run agents") },
    ]);
  });

  test("the state folder is to be hidden where it is there", async () => {
    const place = mkdtempSync(join(tmpdir(), "loopdash-doctor-test-"));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const asked: unknown[] = [];
    const find = async (value: unknown) => (asked.push(value), NONE);
    for (const each of [place, join(place, "not-yet")]) await checkSandbox({ find, path: "/bin", place: each, mode: "auto" });
    expect(asked).toEqual([{ path: "/bin", state: place }, { path: "/bin" }]);
  });
});

describe("no sandbox", () => {
  test.each<[SandboxMode, string]>([
    ["required", "bad"],
    ["auto", "warn"],
  ])("where it is %s: %s, with what to do", async (mode, status) => {
    expect(await look(NONE, mode)).toEqual([
      { check: "sandbox", status, found: "none: bubblewrap is not installed", fix: "Install it: apt-get install bubblewrap" },
    ]);
  });

  test("where the batch switches it off: said, be there one or not", async () => {
    for (const found of [NONE, HOLDS])
      expect(await look(found, "off")).toMatchObject([
        { check: "sandbox", status: "warn", found: expect.stringContaining("your rights") },
      ]);
  });
});
