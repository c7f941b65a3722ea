import { readFileSync } from "node:fs";
import { basename, sep } from "node:path";
import type { RepoView } from "../../src/ports/vcs.ts";

/** Where a worker can write, as it sees it and as it lies outside. */
export class WorkerView {
  readonly worktree: string;
  /** The git folder that the worktree's `.git` file names in the sandbox, which holds HEAD and index as well as refs and objects. */
  readonly record: string;
  readonly commonDir: string;
  readonly #view: RepoView;

  /** Throws if the view shows the worker no git folder that it may write. */
  constructor({ view, worktree }: { readonly view: RepoView; readonly worktree: string }) {
    this.#view = view;
    this.worktree = worktree;
    const gitFile = view.mounts.find(({ at }) => basename(at) === ".git");
    const named = gitFile === undefined ? undefined : /^gitdir: (.*)\n$/.exec(readFileSync(gitFile.from, "utf8"))?.[1];
    if (named === undefined || this.outside(named) === undefined) throw new Error("the worker has no git folder to write");
    this.record = named;
    this.commonDir = named;
  }

  /** The place outside of a path that the worker may write; undefined if it may not. The innermost rule counts. */
  outside(path: string): string | undefined {
    const { write, read, mounts } = this.#view;
    const rules = [
      ...write.map((at) => ({ at, from: at, write: true })),
      ...read.map((at) => ({ at, from: at, write: false })),
      ...mounts,
    ];
    const over = rules.filter(({ at }) => path === at || path.startsWith(at + sep));
    const longest = Math.max(0, ...over.map(({ at }) => at.length));
    // For the very same place a mount beats `read`, and `read` beats `write` (ports/sandbox.ts).
    const rule =
      over.findLast(({ at }) => at.length === longest && mounts.some((mount) => mount.at === at)) ??
      over.find(({ at, write: may }) => at.length === longest && !may) ??
      over.find(({ at }) => at.length === longest);
    return rule?.write === true ? rule.from + path.slice(rule.at.length) : undefined;
  }
}
