import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { VendorKind } from "../../src/domain/batch/vendors.ts";

/** One act of an agent, whatever its program calls it. */
export type Act =
  | { readonly read: string }
  | { readonly edit: string; readonly from: string; readonly to: string }
  | { readonly search: string }
  | { readonly run: string };

/** A behaviour that shows in the signals. */
export type Behaviour = "works" | "chases" | "invents" | "circles" | "wanders" | "trespasses";

const again = <T>(n: number, of: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => of(i));

/** What an agent of each behaviour does, in order. */
export const BEHAVIOURS: Readonly<Record<Behaviour, readonly Act[]>> = {
  works: [
    { read: "src/sum.mjs" },
    { search: "sum" },
    { edit: "src/sum.mjs", from: "a - b", to: "a + b" },
    { run: "node check.mjs" },
  ],
  chases: [
    { read: "src/sum.mjs" },
    { edit: "src/sum.mjs", from: "a - b", to: "a - b - 1" },
    ...again(3, (i) => [
      { run: "node check.mjs" },
      { edit: "src/sum.mjs", from: `a - b - ${i + 1}`, to: `a - b - ${i + 2}` },
    ]).flat(),
  ],
  invents: [
    { read: "src/totals.mjs" },
    { read: "src/helpers/add.mjs" },
    { read: "src/sum.mjs" },
    { read: "docs/sum.md" },
    { run: "node --version" },
  ],
  circles: [{ read: "src/sum.mjs" }, ...again(4, () => ({ run: "node check.mjs" }))],
  wanders: again(21, (i) => ({ read: `notes/${i}.md` })),
  trespasses: [
    { read: "test/sum.test.mjs" },
    { edit: "test/sum.test.mjs", from: "assert.equal(sum(1, 2), 3)", to: "assert.ok(true)" },
  ],
};

/** Makes the files that the acts are about. */
export function makeWorktree(worktree: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(join(worktree, path, ".."), { recursive: true });
    writeFileSync(join(worktree, path), text);
  };
  write("src/sum.mjs", "export const sum = (a, b) => a - b;\n");
  write(
    "check.mjs",
    'import assert from "node:assert";\nimport { sum } from "./src/sum.mjs";\nassert.equal(sum(1, 2), 3);\nconsole.log("as it should be");\n',
  );
  write(
    "test/sum.test.mjs",
    'import assert from "node:assert";\nimport { sum } from "../src/sum.mjs";\nassert.equal(sum(1, 2), 3);\n',
  );
  for (const i of again(21, (n) => n)) write(`notes/${i}.md`, `Note ${i}.\n`);
}

interface Call {
  readonly name: string;
  readonly input: object;
}

/** The call of a vendor's tool for an act. `at`: the path of the worktree as the program sees it. */
export const CALLS: Readonly<Record<VendorKind, (act: Act, at: string) => Call>> = {
  claude: (act, at) => {
    if ("read" in act) return { name: "Read", input: { file_path: join(at, act.read) } };
    // It offers no tool to search where its own is not installed.
    if ("search" in act) return { name: "Bash", input: { command: `grep -rn ${act.search} src`, description: "a search" } };
    if ("run" in act) return { name: "Bash", input: { command: act.run, description: "a command" } };
    return { name: "Edit", input: { file_path: join(at, act.edit), old_string: act.from, new_string: act.to } };
  },
  gemini: (act, at) => {
    if ("read" in act) return { name: "read_file", input: { file_path: join(at, act.read) } };
    if ("search" in act) return { name: "grep_search", input: { pattern: act.search } };
    if ("run" in act) return { name: "run_shell_command", input: { command: act.run, description: "a command" } };
    return {
      name: "replace",
      input: { file_path: join(at, act.edit), instruction: "change it", old_string: act.from, new_string: act.to },
    };
  },
  opencode: (act, at) => {
    if ("read" in act) return { name: "read", input: { filePath: join(at, act.read) } };
    if ("search" in act) return { name: "grep", input: { pattern: act.search } };
    if ("run" in act) return { name: "bash", input: { command: act.run, description: "a command" } };
    return { name: "edit", input: { filePath: join(at, act.edit), oldString: act.from, newString: act.to } };
  },
  codex: (act) => ({ name: "exec_command", input: { cmd: codexCommand(act) } }),
};

/** Codex reads and searches by shell commands, and edits by patches. */
function codexCommand(act: Act): string {
  if ("read" in act) return `cat ${act.read}`;
  if ("search" in act) return `grep -rn ${act.search} src`;
  if ("run" in act) return act.run;
  const line = (text: string): string => WHOLE_LINES.find((whole) => whole(text) !== undefined)?.(text) ?? text;
  return `apply_patch <<'PATCH'\n*** Begin Patch\n*** Update File: ${act.edit}\n@@\n-${line(act.from)}\n+${line(act.to)}\n*** End Patch\nPATCH`;
}

/** A patch names whole lines. */
const WHOLE_LINES: readonly ((text: string) => string | undefined)[] = [
  (text) => (text.startsWith("a ") ? `export const sum = (a, b) => ${text};` : undefined),
  (text) => (text.startsWith("assert") ? `${text};` : undefined),
];
