import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { childEnvironment, type Scratch } from "../children.ts";
import { loopdashEnvironment } from "../loopdash.ts";
import type { EngineOf } from "./engine.ts";
import { Screen, type Size } from "./screen.ts";

/** An engine that only talks, in a process of its own, and its state folder. */
export interface StagedEngine extends AsyncDisposable {
  readonly pid: number;
  readonly home: string;
  /** Lets every agent print so many lines a second. */
  talk(perSecond: number): void;
}

/** Starts one in `cwd`, and waits until it answers (until its record is written, where the run has ended). */
export async function stageEngine(engineOf: EngineOf & { readonly cwd: string }): Promise<StagedEngine> {
  const { cwd, ...rest } = engineOf;
  const program = join(import.meta.dirname, "engine.ts");
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(rest)], {
    cwd,
    env: childEnvironment(cwd),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  const ready = child.stdout === null ? undefined : once(child.stdout, "data");
  const first = await Promise.race([ready, gone.then(() => undefined)]);
  if (first === undefined || child.pid === undefined) throw new Error("the staged engine did not start");
  return {
    pid: child.pid,
    home: engineOf.home,
    talk: (perSecond) => void child.stdin?.write(`${perSecond}\n`),
    async [Symbol.asyncDispose]() {
      child.stdin?.end();
      await gone;
    },
  };
}

/** Where an engine of this name works within a scratch folder. */
export function stateOf(scratch: Scratch, name: string): Pick<EngineOf, "home"> & { readonly cwd: string } {
  return { home: join(scratch.path, `state-${name}`), cwd: scratch.path };
}

/** A program on a terminal of its own that looks at the run of this home. */
export function openScreen(scratch: Scratch, home: string, argv: readonly [string, ...string[]], size: Size): Screen {
  return new Screen({ argv, cwd: scratch.path, env: loopdashEnvironment(scratch.path, home), size });
}
