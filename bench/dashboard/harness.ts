import { join } from "node:path";
import { build } from "esbuild";
import { AS_SHIPPED } from "../../scripts/build/bundle.ts";
import { childEnvironment, mustRun, type Scratch } from "../children.ts";
import type { Size } from "./screen.ts";

/** A measurement of the dashboard in its own process. */
export interface HarnessOf extends Size {
  readonly measure: "frames" | "memory";
  /** Number of updates of the store: two per second. */
  readonly updates: number;
}

/** The results. `frames`: milliseconds from update to last byte. `memory`: after a tenth and at the end. */
export interface Harnessed {
  readonly ms: readonly number[];
  /** The same in CPU time, which a busy machine does not affect. */
  readonly cpuMs: readonly number[];
  /** For `frames`: the terminal output in the first quarter of the updates, and from then on. */
  readonly before: string;
  readonly written: string;
  readonly startMb: number;
  readonly endMb: number;
  readonly startHeapMb: number;
  readonly endHeapMb: number;
}

/** Bundles a program of this folder the way the product is bundled, into the scratch folder. Returns its path. */
export async function bundleProgram(scratch: Scratch, name: string): Promise<string> {
  const outfile = join(scratch.path, `${name.replace(/\.tsx?$/, "")}.mjs`);
  await build({ ...AS_SHIPPED, entryPoints: [join(import.meta.dirname, name)], outfile, metafile: false, write: true });
  return outfile;
}

/** Runs the dashboard in its own process and returns its measurements. */
export async function runHarness(scratch: Scratch, program: string, harnessOf: HarnessOf): Promise<Harnessed> {
  const argv = ["node", "--expose-gc", program, JSON.stringify(harnessOf)] as const;
  const out = await mustRun({ argv: [...argv], cwd: scratch.path, env: childEnvironment(scratch.path) });
  return JSON.parse(out.split("\n").at(-1) ?? "") as Harnessed;
}
