import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach } from "vitest";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { type BubblewrapOptions, createBubblewrap } from "../../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { confinedExecutor } from "../../../src/adapters/sandbox/confined-executor.ts";
import { findProgram } from "../../../src/adapters/sandbox/find-program.ts";
import type { Confined, Confinement, ExecRequest, ExecResult, Sandbox } from "../../../src/ports/executor.ts";

export const PATH = process.env["PATH"] ?? "";
export const isRoot = process.getuid?.() === 0;
export const NOTHING: Confinement = { write: [], read: [], mounts: [], sockets: [] };

/** The command of a confined program for whoever cannot pass open files on: a shell opens them. */
export function commandOf({ argv, files = [] }: Confined): readonly string[] {
  const opened = files.map((_, i) => `${i + 3}${i === 0 ? ">" : "<"}"$${i + 1}"`).join(" ");
  return ["/bin/sh", "-c", `exec ${opened}; shift ${files.length}; exec "$@"`, "sh", ...files, ...argv];
}

/** bwrap of this machine. These tests are about the real one: without it they fail. */
export function bwrap(): string {
  const found = findProgram("bwrap", { cwd: "/", path: PATH });
  if (found === undefined) throw new Error("bwrap is missing. Install it: sudo apt install bubblewrap");
  return found;
}

/** A world for one test: a home, a state folder, a worktree, and a folder outside of everything. */
export interface Stage {
  readonly folder: string;
  at(...names: string[]): string;
  /** Writes a file below the folder. */
  put(path: string, content?: string): string;
  sandbox(more?: Partial<BubblewrapOptions>): Sandbox;
  run(execRequest: Partial<ExecRequest> & Pick<ExecRequest, "argv">, sandbox?: Sandbox): Promise<ExecResult>;
  /** Runs a script of sh in the worktree, with the folder as $F. Confined where a confinement is given. */
  sh(script: string, confinement?: Partial<Confinement>, sandbox?: Sandbox): Promise<ExecResult>;
}

let markers = 0;

/** A fresh stage for each test of the file. The scratch folder lies below /tmp, which is hidden in the sandbox. */
export function useStage(): Stage {
  let folder = "";
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-sandbox-")));
    for (const name of ["home/.ssh", "state/worktrees/T-2", "wt", "outside"]) mkdirSync(join(folder, name), { recursive: true });
  });
  afterEach(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });
  const at = (...names: string[]) => join(folder, ...names);
  const stage: Stage = {
    get folder() {
      return folder;
    },
    at,
    put: (path, content = "seen\n") => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
      return at(path);
    },
    sandbox: (more = {}) =>
      createBubblewrap({ program: bwrap(), home: at("home"), state: at("state"), readOverlays: true, ...more }),
    run: (options, sandbox = stage.sandbox()) => {
      markers += 1;
      return confinedExecutor(createExecutor(), sandbox).run({
        cwd: at("wt"),
        env: { PATH, HOME: at("home"), F: folder },
        logFile: at("log"),
        timeoutMs: 25_000,
        signal: new AbortController().signal,
        marker: `sandbox-${process.pid}-${markers}`,
        ...options,
      });
    },
    sh: (script, confinement, sandbox) =>
      stage.run(
        {
          argv: ["/bin/sh", "-c", script],
          ...(confinement === undefined ? {} : { confinement: { ...NOTHING, write: [at("wt")], ...confinement } }),
        },
        sandbox,
      ),
  };
  return stage;
}

/** Waits until `check` gives a value that is neither undefined nor false; fails after ten seconds. */
export async function until<T>(what: string, check: () => T | undefined | false): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const value = check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`never so: ${what}`);
    await setTimeout(5);
  }
}

/** Processes of this machine, as it sees them, with this word in their command line. */
export function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => existsSync(`/proc/${pid}/cmdline`) && commandLine(pid).includes(word))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
