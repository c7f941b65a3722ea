import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRunStore } from "../../src/adapters/journal/sqlite-run-store.ts";
import { RunId } from "../../src/domain/values/ids.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loopdash-completion-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, ...args: string[]): string {
  const env = { PATH: process.env["PATH"], LOOPDASH_HOME: join(folder, "home") };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

/** What is offered for the last of the words. */
function offered(...words: string[]): readonly string[] {
  const lines = run(process.execPath, MAIN, "complete", "--", ...words)
    .trimEnd()
    .split("\n");
  expect(lines.at(-1)).toBe(":4");
  return lines.slice(0, -1).map((line) => line.split("\t", 1)[0] ?? "");
}

/** What bash offers for a line that ends where TAB is pressed, once it has sourced the script. */
function offeredByBash(line: string): readonly string[] {
  const script = [
    `loopdash() { '${process.execPath}' '${MAIN}' "$@"; }`,
    "source <(loopdash completion bash)",
    `COMP_WORDS=(${line}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))`,
    // It is a builtin that works only where bash itself asks for completions.
    "compopt() { :; }",
    "$(complete -p loopdash | sed 's/.*-F \\([^ ]*\\) .*/\\1/')",
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ];
  return run("bash", "--norc", "-c", script.join("\n")).split("\n").filter(Boolean);
}

describe("completions", () => {
  test("bash completes a verb, an option and a batch file", () => {
    writeFileSync(join(folder, "my batch.json"), "{}");
    expect(offeredByBash("loopdash re")).toEqual(["replay", "revert", "retry", "report"]);
    expect(offeredByBash("loopdash report --h")).toEqual(["--html", "--help"]);
    expect(offeredByBash("loopdash report --b")).toEqual(["--bundle"]);
    expect(offeredByBash("loopdash verify-")).toEqual(["verify-journal"]);
    expect(offeredByBash("loopdash my")).toEqual(["my batch.json"]);
  });

  test.for(["bash", "zsh", "fish"])("there is a script for %s, which asks the program", (shell) => {
    const script = run(process.execPath, MAIN, "completion", shell);
    expect(script).toContain("loopdash complete -- ");
  });

  test("verbs and batch files come first; options are those of the verb, or of a run", () => {
    mkdirSync(join(folder, "work"));
    mkdirSync(join(folder, "node_modules"));
    for (const file of ["batch.json", "notes.md", "work/batch.json", "node_modules/x.json"])
      writeFileSync(join(folder, file), "{}");
    const all = offered("");
    expect(all).toEqual(expect.arrayContaining(["run", "attach", "completion", "help", "batch.json", "work/batch.json"]));
    for (const other of ["complete", "notes.md", "node_modules/x.json"]) expect(all).not.toContain(other);
    expect(offered("wo")).toEqual(["work/batch.json"]);
    expect(offered("doctor", "")).toEqual(expect.arrayContaining(["batch.json", "work/batch.json"]));
    expect(offered("batch.json", "--d")).toEqual(["--dry-run", "--detach"]);
    expect(offered("replay", "--")).toEqual(["--speed", "--idle", "--help"]);
    expect(offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(offered("help", "at")).toEqual(["attach"]);
    expect(offered("init", "--re")).toEqual(["--repo-issues", "--repo", "--reviewer", "--reviewer-key"]);
    expect(offered("init", "--from", "")).toEqual(["linear", "github", "folder"]);
    expect(offered("init", "--reviewer", "")).toEqual(["claude", "codex", "gemini", "opencode", "none"]);
  });

  test("runs are named where there are any", () => {
    expect(offered("attach", "")).toEqual([]);
    mkdirSync(join(folder, "home"));
    const store = openRunStore(join(folder, "home/loopdash.db"));
    store.create({ run: RunId.parse("r-1"), name: "one", batchPath: "/b.json", batchFileSha: "0".repeat(64), startedAt: 0 });
    store.close();
    for (const verb of ["attach", "replay", "status", "report"]) expect(offered(verb, "")).toEqual(["r-1"]);
  });
});
