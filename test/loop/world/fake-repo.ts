import { RepoId } from "../../../src/domain/values/ids.ts";
import type { Candidate, Change, Commit, Repo } from "../../../src/ports/vcs.ts";

interface FakeCommit extends Commit {
  readonly parent: string | undefined;
  /** Content by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** A repository in memory: commits with one parent, branches, and what the engine asks of them. */
export class FakeRepo {
  readonly refs = new Map<string, string>();
  readonly #commits = new Map<string, FakeCommit>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.refs.set("main", this.commit(undefined, { author: "Jo", subject: "first", files: { "first.txt": "1" } }));
  }

  /** A commit on another one that adds or changes these files. */
  commit(
    parent: string | undefined,
    { author, subject, files }: { readonly author: string; readonly subject: string; readonly files: Record<string, string> },
  ): string {
    const sha = (this.#commits.size + 1).toString(16).padStart(8, "0").padEnd(40, "0");
    const all = new Map([...(this.#commits.get(parent ?? "")?.files ?? []), ...Object.entries(files)]);
    this.#commits.set(sha, { sha, parent, author, subject, at: this.#now(), files: all });
    return sha;
  }

  /** The content of worktrees, by path: what an agent left there. */
  readonly worktrees = new Map<string, Readonly<Record<string, string>>>();
  /** The commits of checkouts, by path. */
  readonly checkouts = new Map<string, string>();

  /** A commit on another one with exactly these files. */
  #whole(parent: string, subject: string, files: ReadonlyMap<string, string>): string {
    const sha = this.commit(parent, { author: "loopdash", subject, files: {} });
    this.#commits.set(sha, { ...(this.#commits.get(sha) as FakeCommit), files });
    return sha;
  }

  /** What a person commits on the base beside the engine: these files, on top of the others. */
  commitFiles(files: Record<string, string>): string {
    const sha = this.commit(this.refs.get("main"), { author: "Jo", subject: "by Jo", files });
    this.refs.set("main", sha);
    return sha;
  }

  /** The files of a commit, or of the base. */
  filesOf(sha: string = this.refs.get("main") as string): ReadonlyMap<string, string> {
    return this.#files(sha);
  }

  /** `tip` merged into `onto`, file by file: a change on one side wins. The paths that both changed differently, if there are any. */
  #merged(tip: string, onto: string): { readonly files: ReadonlyMap<string, string>; readonly conflicts: readonly string[] } {
    const known = new Set(this.#history(onto));
    const fork = this.#files(this.#history(tip).find((sha) => known.has(sha)) ?? "");
    const [theirs, ours] = [this.#files(tip), this.#files(onto)];
    const files = new Map(ours);
    const conflicts: string[] = [];
    for (const path of new Set([...fork.keys(), ...theirs.keys()])) {
      const [was, next, now] = [fork.get(path), theirs.get(path), ours.get(path)];
      if (next === was || next === now) continue;
      if (now !== was) conflicts.push(path);
      else if (next === undefined) files.delete(path);
      else files.set(path, next);
    }
    return { files, conflicts };
  }

  /** What a person commits on a branch, beside the engine. */
  commitByPerson(branch: string, n: number): string {
    const sha = this.commit(this.refs.get(branch), { author: "Jo", subject: `by Jo ${n}`, files: { [`jo-${n}.txt`]: "x" } });
    this.refs.set(branch, sha);
    return sha;
  }

  /** True if any branch holds the commit. */
  isReachable(sha: string): boolean {
    return [...this.refs.values()].some((tip) => this.#history(tip).includes(sha));
  }

  #history(tip: string): readonly string[] {
    const found: string[] = [];
    for (let sha: string | undefined = tip; sha !== undefined; sha = this.#commits.get(sha)?.parent) found.push(sha);
    return found;
  }

  #files(sha: string): ReadonlyMap<string, string> {
    return this.#commits.get(sha)?.files ?? new Map();
  }

  #change(from: string, tip: string): Change {
    const [before, after] = [this.#files(from), this.#files(tip)];
    const added = [...after].flatMap(([path, text]) =>
      before.get(path) === text ? [] : [{ path, how: "added" as const, mode: "file" as const }],
    );
    const deleted = [...before.keys()].flatMap((path) =>
      after.has(path) ? [] : [{ path, how: "deleted" as const, mode: "file" as const }],
    );
    const paths = [...added, ...deleted];
    return { tip, paths, additions: paths.length, deletions: 0 };
  }

  #inBase(sha: string): boolean {
    return this.#history(this.refs.get("main") as string).includes(sha);
  }

  /** The engine's port to it. */
  port(): Repo {
    const { refs } = this;
    const tip = () => refs.get("main") as string;
    const done = () => Promise.resolve();
    const nothing = { write: [], read: [], mounts: [] };
    const none = () => Promise.reject(new Error("nobody asks this repository for that"));
    return {
      id: RepoId.parse("app"),
      base: "main",
      place: "/repo",
      checkoutView: nothing,
      submodules: () => Promise.resolve([]),
      identity: () => Promise.resolve({ key: "app", name: "app" }),
      baseTip: () => Promise.resolve(tip()),
      addWorktree: ({ branch, from }) => Promise.resolve(void refs.set(branch, from)),
      agentView: () => Promise.resolve(nothing),
      removeWorktree: ({ branch, deleteBranch }) => Promise.resolve(deleteBranch ? void refs.delete(branch) : undefined),
      capture: ({ branch, from, message, path }) => {
        const files = this.worktrees.get(path) ?? { [`${branch}.txt`]: String(this.#commits.size) };
        const sha = this.commit(from, { author: "loopdash", subject: message, files });
        refs.set(branch, sha);
        return Promise.resolve(this.#change(from, sha));
      },
      continueFrom: none,
      parent: none,
      keepBranch: ({ branch, tip: to }) => Promise.resolve(void refs.set(branch, to)),
      branchTip: (branch) => Promise.resolve(refs.get(branch)),
      branches: (folder) => Promise.resolve([...refs.keys()].filter((name) => name.startsWith(`${folder}/`))),
      change: ({ from, tip: to }) => Promise.resolve(this.#change(from, to)),
      changedLines: () => Promise.resolve({ diff: new Uint8Array(), whole: true }),
      readFile: ({ commit, path }) => Promise.resolve(this.#files(commit).get(path)),
      readFiles: ({ commit, paths }) =>
        Promise.resolve(new Map([...this.#files(commit)].filter(([path]) => paths.includes(path)))),
      files: () => Promise.resolve([]),
      treeId: (commit) => Promise.resolve(commit),
      tree: none,
      deriveCommit: none,
      reverse: ({ from, tip: to, message }) => Promise.resolve(this.#whole(to, message, this.#files(from))),
      writePatch: done,
      candidate: ({ tip: from, message, onto }) => {
        const base = onto ?? tip();
        const { files, conflicts } = this.#merged(from, base);
        if (conflicts.length > 0) return Promise.resolve<Candidate>({ ok: false, base, conflicts, detail: "" });
        return Promise.resolve<Candidate>({ ok: true, commit: this.#whole(base, message, files), base });
      },
      checkout: ({ commit, path }) => Promise.resolve(void this.checkouts.set(path, commit)),
      land: ({ from, to }) => {
        if (tip() === to) return Promise.resolve({ as: "landed" });
        if (tip() !== from) return Promise.resolve({ as: "moved", tip: tip() });
        refs.set("main", to);
        return Promise.resolve({ as: "landed" });
      },
      finishCutOffLanding: done,
      missingFromBase: (commits) => Promise.resolve(commits.filter((sha) => !this.#inBase(sha))),
      commitsSince: ({ from, to, most }) => {
        const all = this.#history(to);
        const at = all.indexOf(from);
        const found = all.slice(0, at).flatMap((sha) => this.#commits.get(sha) ?? []);
        return Promise.resolve(at === -1 ? undefined : found.slice(0, most));
      },
      contains: (sha) => Promise.resolve(this.#inBase(sha)),
      has: (sha) => Promise.resolve(this.#commits.has(sha)),
    };
  }
}
