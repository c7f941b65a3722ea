import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { createBubblewrap } from "../../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { confinedExecutor } from "../../../src/adapters/sandbox/confined-executor.ts";
import { findProgram } from "../../../src/adapters/sandbox/find-program.ts";
import type { ExecResult, Sandbox } from "../../../src/ports/executor.ts";
import { type Setting, setUp as setUpOpen, type worktree } from "./real-repo.ts";

export const PATH = process.env["PATH"] ?? "";
export const IDENTITY = "-c user.name=w -c user.email=w@w.invalid";

/** bwrap of this machine. These tests are about the real one: without it they fail. */
export function bwrap(): string {
  const found = findProgram("bwrap", { cwd: "/", path: PATH });
  if (found === undefined) throw new Error("bwrap is missing. Install it: sudo apt install bubblewrap");
  return found;
}

export function sandboxOf(root: string): Sandbox {
  mkdirSync(join(root, "home"), { recursive: true });
  return createBubblewrap({ program: bwrap(), home: join(root, "home") });
}

/** A repository whose engine has a sandbox too. */
export function setUp(prepare?: (user: string) => void): Promise<Setting> {
  return setUpOpen(prepare, (root) => ({ sandbox: sandboxOf(root) }));
}

export type Made = Awaited<ReturnType<typeof worktree>>;

/** Runs a script of sh as a confined worker runs. */
export async function work(setting: Setting, made: Made, script: string): Promise<ExecResult> {
  const sandbox = sandboxOf(setting.root);
  const { write, read, mounts } = await setting.repo.agentView(made);
  return confinedExecutor(createExecutor(), sandbox).run({
    argv: ["/bin/sh", "-c", `export GIT_CONFIG_GLOBAL=/dev/null; ${script}`],
    cwd: made.path,
    env: { PATH, CD: join(setting.user, ".git"), USER_DIR: setting.user },
    logFile: join(setting.root, "log"),
    timeoutMs: 25_000,
    signal: new AbortController().signal,
    marker: `confined-${process.pid}-${made.branch}`,
    confinement: { write, read, mounts, sockets: [] },
  });
}

/** Where the worker's own git folder lies. */
export function ownDir(setting: Setting): string {
  const store = execFileSync("find", [setting.root, "-maxdepth", "2", "-type", "d", "-name", "a-*"], { encoding: "utf8" }).trim();
  if (store === "" || store.includes("\n")) throw new Error(`not one folder: ${store}`);
  return join(store, "git");
}
