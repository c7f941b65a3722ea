import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { expect } from "vitest";
import type { Stage } from "../../e2e/stage.ts";
import type { Area, Arranged, Shape } from "../shape.ts";

const clone = (...args: readonly string[]) => execFileSync("git", ["clone", "-q", ...args], { stdio: "ignore" });

/** A clone that fetches files, or folders, when git needs them. */
function partial(stage: Stage, ...args: readonly string[]): undefined {
  stage.repo("origin", { "a.txt": "a\n", "d/b.txt": "b\n" });
  stage.git("origin", "config", "uploadpack.allowFilter", "true");
  stage.write("origin/a.txt", "newer\n");
  stage.git("origin", "commit", "-qam", "second");
  clone(...args, `file://${stage.path("origin")}`, stage.path("app"));
}

/** The repository `app`, and what is done to it. */
const app = (shape: string, holds: Shape["holds"], change: (stage: Stage) => Arranged | string | undefined): Shape => ({
  shape,
  holds,
  arrange: (stage) => {
    stage.repo("app");
    const arranged = change(stage);
    return typeof arranged === "object" ? arranged : undefined;
  },
});

/** The user's checkout has followed. */
const followed =
  (folder: string): NonNullable<Shape["verify"]> =>
  (stage) => {
    expect(existsSync(stage.path(folder, "T-1.txt"))).toBe(true);
    expect(stage.git(folder, "status", "--porcelain")).toBe("");
  };

const NO_FILES = "fetch --refetch --no-filter";
const NO_BRANCH = "rename it: git -C …/app branch -m loopdash <new name>";

export const area: Area = {
  title: "Repositories",
  shapes: [
    app("a bare repository", "works", (stage) => {
      renameSync(stage.path("app", ".git"), stage.path("bare"));
      rmSync(stage.path("app"), { recursive: true });
      renameSync(stage.path("bare"), stage.path("app"));
      stage.git("app", "config", "core.bare", "true");
    }),
    {
      ...app("a git folder that lies apart (`git init --separate-git-dir`)", "works", (stage) => {
        stage.git("app", "init", "-q", `--separate-git-dir=${stage.path("apart")}`);
      }),
      verify: followed("app"),
    },
    {
      ...app("a linked worktree on another branch, with the base in the main checkout", "works", (stage) => {
        stage.git("app", "worktree", "add", "-q", "-b", "side", stage.path("linked"));
        return { over: { repos: { app: { path: "linked" } } } };
      }),
      verify: followed("app"),
    },
    {
      shape: "object ids of SHA-256",
      holds: "works",
      arrange: (stage) => {
        execFileSync("git", ["init", "-q", "-b", "main", "--object-format=sha256", stage.path("app")]);
        stage.write("app/a.txt", "a\n");
        stage.git("app", "add", "-A");
        stage.git("app", "commit", "-q", "-m", "first");
        return undefined;
      },
      verify: followed("app"),
    },
    app("refs that are packed, with odd names", "works", (stage) => {
      for (const name of ["HEAD", "ünï#1", "a/b/c.d", "@x"]) stage.git("app", "update-ref", `refs/heads/${name}`, "HEAD");
      stage.git("app", "pack-refs", "--all");
    }),
    app("a tag with the name of the base", "works", (stage) => stage.git("app", "tag", "main")),
    app("a branch called `loopdash`", { refused: NO_BRANCH }, (stage) => stage.git("app", "branch", "loopdash")),
    app("a branch called `loopdash`, packed", { refused: NO_BRANCH }, (stage) => {
      stage.git("app", "branch", "loopdash");
      stage.git("app", "pack-refs", "--all");
    }),
    app("refs in reftables", { refused: "git refs migrate --ref-format=files" }, (stage) => {
      stage.git("app", "config", "core.repositoryFormatVersion", "1");
      stage.git("app", "config", "extensions.refStorage", "reftable");
    }),
    { shape: "a blobless clone with its checkout", holds: "works", arrange: (stage) => partial(stage, "--filter=blob:none") },
    { shape: "a treeless clone with its checkout", holds: "works", arrange: (stage) => partial(stage, "--filter=tree:0") },
    {
      shape: "a blobless clone whose base was never checked out",
      holds: { refused: NO_FILES },
      arrange: (stage) => partial(stage, "--filter=blob:none", "--bare"),
    },
    {
      shape: "a treeless clone whose base was never checked out",
      holds: { refused: NO_FILES },
      arrange: (stage) => partial(stage, "--filter=tree:0", "--bare"),
    },
    {
      ...app("paths that differ only in case or Unicode form, on a file system that tells them apart", "works", (stage) => {
        for (const name of ["README", "readme", "caf\u00e9", "cafe\u0301"]) stage.write(`app/${name}`, `${name}\n`);
        stage.git("app", "add", "-A");
        stage.git("app", "commit", "-q", "-m", "names");
      }),
      verify: followed("app"),
    },
    {
      ...app("settings of a file system that ignores case (`core.ignoreCase`, `core.precomposeUnicode`)", "works", (stage) => {
        stage.write("app/ReadMe", "x\n");
        stage.git("app", "add", "-A");
        stage.git("app", "commit", "-q", "-m", "names");
        stage.git("app", "config", "core.ignoreCase", "true");
        stage.git("app", "config", "core.precomposeUnicode", "true");
      }),
      verify: followed("app"),
    },
  ],
};
