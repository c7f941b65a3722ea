import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadPrograms } from "../../../src/adapters/agent/registry.ts";
import { checkPrograms } from "../../../src/cli/doctor/programs.ts";
import type { LoadedBatch } from "../../../src/cli/engine/load-batch.ts";
import { processesWith } from "../../adapters/sandbox/support.ts";
import { programsFolder, whyWithout } from "../../agents/programs.ts";

const TESTED = Object.fromEntries((await loadPrograms()).map(({ kind, tested }) => [kind, tested]));

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-programs-test-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function program(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(resolve(file, ".."), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}

const look = (options: { loaded?: unknown; deadlineMs?: number } = {}) =>
  checkPrograms({ env: { PATH: `${root}/bin:/usr/bin:/bin` }, ...options, loaded: options.loaded as LoadedBatch | undefined });

describe("the vendors' programs", () => {
  test("the versions that are told are those that test/agents drives", () => {
    const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../../.ci/agents/package.json"), "utf8"));
    expect(Object.values(TESTED).sort()).toEqual(Object.values(manifest.dependencies).sort());
    expect(manifest.dependencies).toMatchObject({
      "@anthropic-ai/claude-code": TESTED["claude"],
      "@google/gemini-cli": TESTED["gemini"],
      "@openai/codex": TESTED["codex"],
      "opencode-ai": TESTED["opencode"],
    });
  });

  test("nothing is said of one that is not there", async () => {
    expect(await look()).toEqual([]);
  });

  test.each([
    ["the tested one", `echo '${TESTED["claude"]} (Claude Code)'`, "ok", TESTED["claude"]],
    ["a newer one, with words around", "echo warning >&2; echo claude 10.0.0-beta.1", "ok", "10.0.0-beta.1"],
    ["an older one", "echo 2.1.9", "warn", "2.1.9"],
    ["one that fails", "echo 2.1.330; exit 1", "warn", "does not tell its version"],
    ["one that says something else", "echo hello", "warn", "does not tell its version"],
    ["one whose version is on stderr alone", "echo 2.1.330 >&2", "warn", "does not tell its version"],
  ])("%s", async (_, text, status, found) => {
    const path = program("bin/claude", text);
    const [finding, ...more] = await look();
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ check: "program-claude", status });
    expect(finding?.found).toContain(found);
    expect(finding?.found).toContain(path);
    expect(finding?.found).toContain(`tested with ${TESTED["claude"]}`);
    expect(finding?.fix === null).toBe(status === "ok");
  });

  test("one that hangs is ended with all that it started", async () => {
    const word = `doctor-hangs-${process.pid}`;
    program("bin/codex", `setsid bash -c 'exec -a ${word} sleep 300' & exec sleep 300`);
    expect(await look({ deadlineMs: 500 })).toMatchObject([{ check: "program-codex", status: "warn" }]);
    expect(processesWith(word)).toEqual([]);
  });

  test("what it writes to its home is gone, and of the environment it sees what is on the list", async () => {
    program("bin/opencode", 'echo x > "$HOME/left"; pwd > "$0.saw"; echo "$HOME $SECRET_KEY" >> "$0.saw"; echo 1.18.33');
    const env = { PATH: `${root}/bin:/usr/bin:/bin`, HOME: root, SECRET_KEY: "sk-secret" };
    expect(await checkPrograms({ env })).toMatchObject([{ status: "ok" }]);
    const [cwd = "", home = ""] = readFileSync(join(root, "bin/opencode.saw"), "utf8").trim().split("\n");
    expect(home.trim()).toBe(cwd);
    expect(() => readdirSync(cwd)).toThrow("ENOENT");
    expect(readdirSync(root)).toEqual(["bin"]);
  });

  test("those that a batch names by their path are looked at as well, each once", async () => {
    const onPath = program("bin/gemini", "echo 0.61.0");
    const named = program("elsewhere/gemini", "echo 0.62.0");
    const relative = program("batch/tools/codex", "echo 0.170.0");
    const loaded = {
      folder: join(root, "batch"),
      batch: { agent: { kind: "gemini", program: named }, reviewer: { kind: "codex", program: "tools/codex" } },
    };
    const found = (await look({ loaded })).map(({ check, found: text }) => `${check} ${text}`);
    expect(found).toEqual([
      `program-codex 0.170.0 (${relative}); tested with ${TESTED["codex"]}`,
      `program-gemini 0.61.0 (${onPath}); tested with ${TESTED["gemini"]}`,
      `program-gemini 0.62.0 (${named}); tested with ${TESTED["gemini"]}`,
    ]);
    const same = { ...loaded, batch: { agent: { kind: "gemini", program: onPath } } };
    expect(await look({ loaded: same })).toHaveLength(1);
  });

  test("the real ones tell theirs", { timeout: 60_000 }, async ({ skip }) => {
    const missing = Object.keys(TESTED).map(whyWithout).find(Boolean);
    skip(missing !== undefined, missing);
    const env = { PATH: `${programsFolder()}/node_modules/.bin:${process.env["PATH"]}` };
    const found = await checkPrograms({ env, deadlineMs: 50_000 });
    const tested = Object.entries(TESTED).map(([kind, version]) => [`program-${kind}`, "ok", version]);
    expect(found.map(({ check, status, found: text }) => [check, status, text.split(" ")[0]])).toEqual(tested);
  });
});
