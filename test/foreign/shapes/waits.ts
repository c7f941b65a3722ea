import { execFileSync } from "node:child_process";
import type { Area } from "../shape.ts";

const NOT_A_FILE = "it is a pipe, a socket or a device";

export const area: Area = {
  title: "What would hang",
  shapes: [
    {
      shape: "a pipe as a branch of the clone",
      holds: { refused: NOT_A_FILE },
      arrange: (stage) => {
        stage.repo("app");
        execFileSync("mkfifo", [stage.path("app/.git/refs/heads/x")]);
        return undefined;
      },
    },
    {
      shape: "a pipe below the folder that a linked worktree shares",
      holds: { refused: NOT_A_FILE },
      arrange: (stage) => {
        stage.repo("origin");
        stage.git("origin", "worktree", "add", "-q", "-b", "work", stage.path("app"));
        execFileSync("mkfifo", [stage.path("origin/.git/objects/pack/pack-1.idx")]);
        return { over: { repos: { app: { path: "app", base: "work" } } } };
      },
    },
  ],
};
