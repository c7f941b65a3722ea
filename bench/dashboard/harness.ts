import { join } from "node:path";
import { build } from "esbuild";
import { AS_SHIPPED } from "../../scripts/build/bundle.ts";
import { childEnvironment, mustRun, type Scratch } from "../children.ts";
import type { Size } from "./screen.ts";

/** What is measured of the dashboard within a process of its own. */
export interface HarnessOf extends Size {
  readonly measure: "frames" | "memory";
  /** So many updates of the store: two are a second's. */
  readonly updates: number;
}

/** What came of it. Of `frames`, milliseconds from update to last byte; of `memory`, after a tenth and at the end. */
export interface Harnessed {
  readonly ms: readonly number[];
  /** The same in CPU time: what a busy machine does not touch. */
  readonly cpuMs: readonly number[];
  /** Of `frames`: what was written to the terminal in the first quarter of the updates, and from then on. */
  readonly before: string;
  readonly written: string;
  readonly startMb: number;
  readonly endMb: number;
  readonly startHeapMb: number;
  readonly endHeapMb: number;
}

/** Bundles a program of this folder as the product is bundled, into the scratch folder. Gives its path. */
export async function bundleProgram(scratch: Scratch, name: string): Promise<string> {
  const outfile = join(scratch.path, `${name.replace(/\.tsx?$/, "")}.mjs`);
  await build({ ...AS_SHIPPED, entryPoints: [join(import.meta.dirname, name)], outfile, metafile: false, write: true });
  return outfile;
}

/** Runs the dashboard in a process of its own and gives what it measured. */
export async function runHarness(scratch: Scratch, program: string, harnessOf: HarnessOf): Promise<Harnessed> {
  const argv = ["node", "--expose-gc", program, JSON.stringify(harnessOf)] as const;
  const out = await mustRun({ argv: [...argv], cwd: scratch.path, env: childEnvironment(scratch.path) });
  return JSON.parse(out.split("\n").at(-1) ?? "") as Harnessed;
}
