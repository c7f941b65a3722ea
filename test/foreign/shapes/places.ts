import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import type { Stage } from "../../e2e/stage.ts";
import type { Area } from "../shape.ts";

/** The repository, moved to a folder of this name. */
function moved(stage: Stage, name: string): string {
  stage.repo("app");
  mkdirSync(stage.path(name));
  execFileSync("mv", [stage.path("app"), stage.path(name, "app")]);
  symlinkSync(stage.path(name, "app"), stage.path("app"));
  return `${name}/app`;
}

export const area: Area = {
  title: "Folders and disks",
  shapes: [
    {
      shape: "a repository, a state folder, a home folder and a temporary folder that are links",
      holds: "works",
      arrange: (stage) => {
        moved(stage, "elsewhere");
        const env = { LOOPDASH_HOME: "state", HOME: "person", TMPDIR: "temp" };
        for (const name of Object.values(env)) {
          mkdirSync(stage.path("elsewhere", name));
          symlinkSync(stage.path("elsewhere", name), stage.path(name));
        }
        return { env: Object.fromEntries(Object.entries(env).map(([name, folder]) => [name, stage.path(folder)])) };
      },
    },
    {
      shape: "a repository and a state folder with blanks, quotes and line breaks in their paths",
      holds: "works",
      arrange: (stage) => {
        moved(stage, 'a "b" \n\'c');
        return { env: { LOOPDASH_HOME: stage.path('d "e" \n\'f') } };
      },
    },
    {
      shape: "files with line breaks and quotes in their names",
      holds: "works",
      arrange: (stage) => {
        stage.repo("app", { 'a\n"b': "x\n", "c\nd/e f": "y\n" });
        return undefined;
      },
    },
    {
      shape: "a state folder in a path whose bytes are no UTF-8",
      holds: { refused: "its path has bytes that are no UTF-8, which Node cannot name" },
      arrange: (stage) => {
        stage.repo("app");
        // Node, which starts the test, cannot pass such a byte on: this is what it reads in its place.
        return { env: { LOOPDASH_HOME: stage.path("a\uFFFD") } };
      },
    },
    {
      shape: "a checkout of the base with a merge under way",
      holds: { refused: "finish it there with --continue of git merge, or give it up with --abort" },
      arrange: (stage) => {
        stage.repo("app");
        stage.write("app/.git/MERGE_HEAD", stage.git("app", "rev-parse", "HEAD"));
        return undefined;
      },
    },
    {
      shape: "a partial clone without the files of the base",
      holds: { refused: "It is a partial clone that lacks files of the base" },
      arrange: (stage) => {
        stage.repo("origin");
        stage.git("origin", "config", "uploadpack.allowFilter", "true");
        const origin = `file://${stage.path("origin")}`;
        execFileSync("git", ["clone", "-q", "--no-checkout", "--filter=blob:none", origin, stage.path("app")]);
        stage.git("app", "symbolic-ref", "HEAD", "refs/heads/other");
        return undefined;
      },
    },
  ],
};
