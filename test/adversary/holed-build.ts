import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { bundle, PROGRAM, ROOT } from "../../scripts/build/bundle.ts";

/** A piece of the source, and its replacement in a build without the defence. */
export interface Hole {
  /** The file, from the root of the repository. */
  readonly file: string;
  /** Text that occurs in it exactly once. */
  readonly from: string;
  readonly to: string;
}

/** The proof of the oracle passes without a look: it takes longer than all the rest of a run, and stands in no attack's way but an oracle's. */
export const WITHOUT_PROOF: Hole = {
  file: "src/adapters/tripwire/canary-tripwire.ts",
  from: "if (!options.canaries) return undefined;",
  to: "return undefined;",
};

/** An oracle that says done is believed although a ticket is open in the run: a second defence against oracles that are wrong. */
export const WITHOUT_OPEN_TICKETS: Hole = {
  file: "src/domain/schedule/endings.ts",
  from: "if (open !== undefined) return unjudged(",
  to: "if (false) return unjudged(",
};

/**
 * Replaces pieces of the source during bundling, so the shipped program contains no switch for its defences. A piece that does
 * not occur exactly once, or is in a file outside the bundle, breaks the build: a hole without effect would let a case pass by
 * accident.
 */
function digging(holes: readonly Hole[], dug: Set<Hole>): Plugin {
  return {
    name: "holes",
    setup({ onLoad }) {
      for (const file of new Set(holes.map((hole) => hole.file))) {
        const path = join(ROOT, file);
        // Only this file: esbuild asks for each one that matches, over a pipe.
        onLoad({ filter: new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`) }, () => {
          return { contents: withHoles(file, holes, dug), loader: file.endsWith("x") ? "tsx" : "ts" };
        });
      }
    },
  };
}

/** The text of a file with its holes. */
function withHoles(file: string, holes: readonly Hole[], dug: Set<Hole>): string {
  let source = readFileSync(join(ROOT, file), "utf8");
  for (const hole of holes.filter((each) => each.file === file)) {
    const pieces = source.split(hole.from);
    if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} of ${JSON.stringify(hole.from)}`);
    source = pieces.join(hole.to);
    dug.add(hole);
  }
  return source;
}

/** A part of the program that is copied as it is. */
const GUARD_CLIENT = "src/cli/guard-server/client.pl";

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
  const dug = new Set<Hole>();
  const { files } = await bundle([digging(holes, dug)]);
  const client = withHoles(GUARD_CLIENT, holes, dug);
  const missed = holes.find((hole) => !dug.has(hole));
  if (missed !== undefined) throw new Error(`${missed.file} is not in the build`);
  mkdirSync(join(root, "dist"), { recursive: true });
  for (const { name, text } of files) writeFileSync(join(root, "dist", name), text);
  writeFileSync(join(root, "dist", "guard-client.pl"), client);
  for (const part of ["prompts", "package.json"]) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  return join(root, "dist", PROGRAM);
}

/** Removes all builds of this process. */
export function removeHoledBuilds(): void {
  for (const folder of folders.splice(0)) if (existsSync(folder)) rmSync(folder, { recursive: true });
  built.clear();
}
