import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { bundle, PROGRAM, ROOT } from "../../scripts/build/bundle.ts";
import { type Hole, programLocator, type Sources } from "./holes/locate.ts";

/** The proof of the oracle passes without a look: it takes longer than all the rest of a run, and stands in no attack's way but an oracle's. */
export const WITHOUT_PROOF: Hole = {
  in: "firstProblem",
  from: "if (!options.canaries) return undefined;",
  to: "return undefined;",
};

/** An oracle that says done is believed although a ticket is open in the run: a second defence against oracles that are wrong. */
export const WITHOUT_OPEN_TICKETS: Hole = {
  in: "endAsDone",
  from: "if (open !== undefined) return unjudged(",
  to: "if (false) return unjudged(",
};

/**
 * Replaces pieces of the source during bundling, so the shipped program contains no switch for its defences. A piece that does
 * not occur exactly once, or is in a file outside the bundle, breaks the build: a hole without effect would let a case pass by
 * accident.
 */
function digging(sources: Sources, dug: Set<string>): Plugin {
  return {
    name: "holes",
    setup({ onLoad }) {
      for (const [name, contents] of sources) {
        const path = join(ROOT, name);
        // Only this file: esbuild asks for each one that matches, over a pipe.
        onLoad({ filter: new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`) }, () => {
          dug.add(name);
          return { contents, loader: name.endsWith("x") ? "tsx" : "ts" };
        });
      }
    },
  };
}

/** A part of the program that is copied as it is. */
const GUARD_CLIENT = "packages/guard/src/server/client.pl";

const built = new Map<string, Promise<string>>();
const folders: string[] = [];

/**
 * Builds the program with these holes; returns its path. Built once per process and holes; `removeHoledBuilds` removes the
 * builds.
 */
export function holedBuild(holes: readonly Hole[]): Promise<string> {
  const key = JSON.stringify(holes);
  const program = built.get(key) ?? make(holes);
  built.set(key, program);
  return program;
}

async function make(holes: readonly Hole[]): Promise<string> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-holed-")));
  folders.push(root);
  return buildInto(root, holes);
}

/** Builds the program with these holes into a folder; returns its path. */
export async function buildInto(root: string, holes: readonly Hole[]): Promise<string> {
  const sources = programLocator().dig(holes);
  const dug = new Set([GUARD_CLIENT]);
  const { files } = await bundle([digging(sources, dug)]);
  const client = sources.get(GUARD_CLIENT) ?? readFileSync(join(ROOT, GUARD_CLIENT), "utf8");
  const missed = [...sources.keys()].find((path) => !dug.has(path));
  if (missed !== undefined) throw new Error(`${missed} is not in the build`);
  mkdirSync(join(root, "dist"), { recursive: true });
  for (const { name, text } of files) writeFileSync(join(root, "dist", name), text);
  writeFileSync(join(root, "dist", "guard-client.pl"), client);
  cpSync(join(ROOT, "src/adapters/test-results/reporters"), join(root, "dist", "reporters"), { recursive: true });
  for (const part of ["prompts", "package.json"]) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  return join(root, "dist", PROGRAM);
}

/** Removes all builds of this process. */
export function removeHoledBuilds(): void {
  for (const folder of folders.splice(0)) if (existsSync(folder)) rmSync(folder, { recursive: true });
  built.clear();
}
