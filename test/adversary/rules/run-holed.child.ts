import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startVitest } from "vitest/node";
import { ROOT } from "../../../scripts/build/bundle.ts";
import type { Hole } from "../holed-build.ts";

/** The result of one test, as JSON on the last line of standard output. */
export interface HoledResult {
  readonly name: string;
  readonly state: string;
  /** The message of its first error; empty if it has none. */
  readonly why: string;
}

/**
 * `run-holed.child.ts <file> <name> <holes as JSON>`: runs the tests of a file whose name contains a text, on sources with these
 * holes. A hole that does not occur exactly once is an error.
 */
const [file = "", name = "", json = "[]"] = process.argv.slice(2);
const holes = JSON.parse(json) as readonly Hole[];
const dug = new Set<Hole>();

function dig(code: string, path: string): string {
  return holes
    .filter((hole) => join(ROOT, hole.file) === path)
    .reduce((source, hole) => {
      const pieces = source.split(hole.from);
      if (pieces.length !== 2) throw new Error(`${hole.file} has ${pieces.length - 1} of ${JSON.stringify(hole.from)}`);
      dug.add(hole);
      return pieces.join(hole.to);
    }, code);
}

const vitest = await startVitest(
  "test",
  [file],
  {
    root: ROOT,
    config: false,
    watch: false,
    pool: "forks",
    // A module with a hole must reach no other run, and no module without one this run.
    fsModuleCache: false,
    maxWorkers: 1,
    reporters: [{}],
    testTimeout: 10_000,
    testNamePattern: name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  },
  {
    plugins: [
      {
        name: "holes",
        enforce: "pre",
        load: (id: string) => {
          const [path = ""] = id.split("?");
          return holes.some((hole) => join(ROOT, hole.file) === path) ? dig(readFileSync(path, "utf8"), path) : undefined;
        },
      },
    ],
  },
);
const results = vitest.state.getTestModules().flatMap((module) => {
  for (const error of module.errors()) throw new Error(error.message);
  return [...module.children.allTests()].map((test): HoledResult => {
    const { errors = [], state } = test.result();
    return { name: test.fullName, state, why: errors[0]?.message ?? "" };
  });
});
await vitest.close();
const missed = holes.find((hole) => !dug.has(hole));
if (missed !== undefined) throw new Error(`${missed.file} is not loaded by ${file}`);
process.stdout.write(`\n${JSON.stringify(results.filter(({ state }) => state !== "skipped"))}\n`);
process.exit(0);
