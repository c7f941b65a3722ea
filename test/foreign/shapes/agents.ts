import { expect } from "vitest";
import { HONEST, type Stage } from "../../e2e/stage.ts";
import type { Area } from "../shape.ts";

const FILES = { "a/x.txt": "x\n", "b/y.txt": "y\n", "b/z.txt": "z\n" };

/** The whole base is still there, with the ticket's file. */
const keepsAll = (stage: Stage): void => {
  const files = stage.git("app", "ls-tree", "-r", "--name-only", "main").split("\n");
  expect(files).toEqual(["T-1.txt", ...Object.keys(FILES)]);
};

const commit = 'sh("git", "add", "-A");\nsh("git", "commit", "-q", "-m", "work");';

/** A row about what an agent's git does, by the lines of the agent. */
const row = (shape: string, agent: string) =>
  ({ shape, holds: "works", arrange: (stage: Stage) => (stage.repo("app", FILES), { agent }), verify: keepsAll }) as const;

export const area: Area = {
  title: "What an agent does with git",
  shapes: [
    row("it narrows its checkout (`git sparse-checkout`)", `sh("git", "sparse-checkout", "set", "a");\n${HONEST}\n${commit}`),
    row(
      "it hides a change from git (`git update-index --skip-worktree`)",
      `sh("git", "update-index", "--skip-worktree", "b/y.txt");\nfs.rmSync("b/y.txt");\n${HONEST}\n${commit}`,
    ),
    row("it leaves its work in a stash", `${HONEST}\nsh("git", "stash", "push", "-q", "-u");`),
    row(
      "it leaves its work on a branch of its own",
      `const at = sh("git", "rev-parse", "HEAD").trim();\nsh("git", "switch", "-q", "-c", "mine");\n${HONEST}\n${commit}\nsh("git", "switch", "-q", "--detach", at);`,
    ),
  ],
};
