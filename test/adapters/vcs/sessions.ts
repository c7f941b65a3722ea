import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import type { GitResult } from "../../../src/adapters/vcs/git/git-call.ts";
import { runInSession } from "../../../src/adapters/vcs/git/git-session-pool.ts";
import { locate } from "../../../src/adapters/vcs/repository/locate.ts";
import { openStore, type Store } from "../../../src/adapters/vcs/repository/store.ts";
import { git, newRepo, tempDir } from "./real-repo.ts";

/** A user's repository with one commit, and a store on it. */
export async function openedStore(...initArgs: string[]): Promise<{ root: string; user: string; store: Store; first: string }> {
  const root = tempDir();
  const user = newRepo(root, ...initArgs);
  return {
    root,
    user,
    store: await openStore(await locate(user), "main", { scratch: root }),
    first: git(user, "rev-parse", "main"),
  };
}

/** Processes that a process has started and that run `command` in a folder below `within`, as Linux tells it. */
export function sessionsOf(within: string, command: string, parent: number | "self" = "self"): number[] {
  const children = readdirSync(`/proc/${parent}/task`).flatMap((task) =>
    readFileSync(`/proc/${parent}/task/${task}/children`, "utf8").trim().split(" "),
  );
  return children.filter((pid) => pid !== "" && isOne(pid, within, command)).map(Number);
}

const ENDED: ReadonlySet<unknown> = new Set(["ENOENT", "ESRCH", "EACCES"]);

function isOne(pid: string, within: string, command: string): boolean {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`, "utf8");
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(command) && environ.includes(within);
  } catch (error) {
    // It has ended since it was listed, or is ending: for other users than root, its environment is then closed.
    if (error instanceof Error && "code" in error && ENDED.has(error.code)) return false;
    throw error;
  }
}

/** The one session of this process that runs `command` below `within`. */
export function session(within: string, command: string): number {
  const [pid, ...more] = sessionsOf(within, command);
  expect([pid, more]).toEqual([expect.any(Number), []]);
  return pid as number;
}

/** Whether the process has ended, be it that nobody has asked about it yet (state "Z", proc(5)). */
export function hasEnded(pid: number): boolean {
  return !existsSync(`/proc/${pid}`) || /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

/** Once the process has ended. */
export function gone(pid: number): Promise<void> {
  return vi.waitFor(() => expect(hasEnded(pid)).toBe(true), { timeout: 10_000, interval: 5 });
}

/** Holds back the timers of sessions until the test moves them on. Milliseconds. */
export function holdTimers(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.advanceTimersByTime(ms);
}

/** What the stand-in for git does with a line, by its first word. `said` writes at once, to this file descriptor. */
const DEEDS = `{
  say: (text) => said(1, text + "\\n"),
  mutter: (text) => { said(2, "about " + text + "\\n"); said(1, text + "\\n"); },
  die: (text) => { said(2, "fatal: " + text + "\\n"); process.exit(128); },
  leave: () => process.exit(0),
  twice: (text) => said(1, text + "\\n" + text + "\\n"),
  again: (text) => { said(1, text + "\\n"); setTimeout(() => said(1, text + "\\n"), 20); },
  half: (text) => { said(1, text); process.kill(process.pid, "SIGKILL"); },
  stay: (file) => { setInterval(() => {}, 1_000); process.on("SIGTERM", () => said(file, "TERM\\n")); said(file, "up\\n"); },
}`;

/** Asks a session of a program that stands in for git and does as it is told, for what git cannot be brought to do. */
export function standIn(): { root: string; ask: (line: string) => Promise<GitResult> } {
  const root = tempDir();
  mkdirSync(join(root, "bin"));
  const program = `#!${process.execPath}
const fs = require("node:fs");
const said = (to, text) => (typeof to === "number" ? fs.writeSync(to, text) : fs.appendFileSync(to, text));
const deeds = ${DEEDS};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [deed, ...rest] = line.split(" ");
  fs.appendFileSync(${JSON.stringify(join(root, "asked"))}, process.pid + " " + line + "\\n");
  deeds[deed](rest.join(" "));
});
`;
  writeFileSync(join(root, "bin", "git"), program);
  chmodSync(join(root, "bin", "git"), 0o755);
  vi.stubEnv("PATH", `${join(root, "bin")}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const call = { args: ["stand-in"], gitDir: root, session: "line" } as const;
  return { root, ask: (line) => runInSession(root, { ...call, input: `${line}\n` }, "line") };
}

/** What a stand-in was asked, in order, and by how many processes. */
export function asked(root: string): { lines: string[]; processes: number } {
  const seen = readFileSync(join(root, "asked"), "utf8").trimEnd().split("\n");
  return {
    lines: seen.map((line) => line.slice(line.indexOf(" ") + 1)),
    processes: new Set(seen.map((line) => line.split(" ")[0])).size,
  };
}
