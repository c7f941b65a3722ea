import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { childEnvironment, type Scratch } from "../children.ts";
import { loopdashEnvironment } from "../loopdash.ts";
import type { EngineOf } from "./engine.ts";
import { Screen, type Size } from "./screen.ts";

/** An engine with printing agents only, in its own process, and its state folder. */
export interface StagedEngine extends AsyncDisposable {
  readonly pid: number;
  readonly home: string;
  /** Makes every agent print this many lines a second. */
  talk(perSecond: number): void;
}

/** Starts one in `cwd`, and waits until it answers (or, for an ended run, until its record is written). */
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

/** The state folder of an engine with this name in a scratch folder. */
export function stateOf(scratch: Scratch, name: string): Pick<EngineOf, "home"> & { readonly cwd: string } {
  return { home: join(scratch.path, `state-${name}`), cwd: scratch.path };
}

/** A program on its own terminal that watches the run of this home. */
export function openScreen(scratch: Scratch, home: string, argv: readonly [string, ...string[]], size: Size): Screen {
  return new Screen({ argv, cwd: scratch.path, env: loopdashEnvironment(scratch.path, home), size });
}
