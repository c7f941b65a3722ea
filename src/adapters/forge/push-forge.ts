import type { Forge, Unsynced } from "../../ports/forge.ts";
import type { GitRemote, Landing, Repo } from "../../ports/vcs.ts";

/** After a look at the remote, the base of this machine counts as up to date for so long. Milliseconds. */
const FRESH_MS = 10_000;

/** The part of the repository on this machine that the forge needs. */
type LocalRepo = Pick<Repo, "base" | "baseTip" | "land" | "has" | "commitsSince" | "missingFromBase">;

/**
 * Lands changes on the base branch of a remote, by pushes that move it forward. The remote decides: its branch is moved first, by
 * compare-and-swap, and the base of this machine follows. So a landing that loses has changed nothing here, and one that was cut off
 * in between is seen at the remote.
 */
export function createPushForge({ repo, remote }: { readonly repo: LocalRepo; readonly remote: GitRemote }): Forge {
  return new PushForge(repo, remote);
}

class PushForge implements Forge {
  readonly #repo: LocalRepo;
  readonly #remote: GitRemote;

  constructor(repo: LocalRepo, remote: GitRemote) {
    this.#repo = repo;
    this.#remote = remote;
  }

  async sync(how: "move" | "look" = "move"): Promise<Unsynced | undefined> {
    const { base } = this.#repo;
    const there = await this.#remote.fetch(base);
    if (there === undefined) return { why: `${this.#remote.name} has no branch ${base}`, isMissing: true };
    const here = await this.#repo.baseTip();
    if (here === there) return undefined;
    if (await this.#isWithin(there, here)) return this.#ahead(there, here);
    if (!(await this.#isWithin(here, there))) {
      const why = `${base} of this repository and of ${this.#remote.name} have gone apart: each has commits that the other lacks`;
      return { why };
    }
    if (how === "look") return undefined;
    const followed = await this.#repo.land({ from: here, to: there });
    if (followed.as === "landed") return undefined;
    return { why: followed.as === "moved" ? `${base} of this repository moves while it is brought up to date` : followed.reason };
  }

  async land({ from, to, isMerged = false, signal }: Parameters<Forge["land"]>[0]): Promise<Landing> {
    const { base } = this.#repo;
    const there = await this.#remote.fetch(base, signal);
    if (there !== undefined && (await this.#isWithin(to, there))) return this.#follow({ from, to });
    if (isMerged) return { as: "waiting", reason: `${base} of ${this.#remote.name} lacks ${to.slice(0, 7)}`, isAbsent: true };
    if (there !== from) return this.#moved(from);
    const pushed = await this.#remote.push({ branch: base, from, to }, signal);
    switch (pushed.as) {
      case "pushed":
        return this.#follow({ from, to });
      case "moved":
        return this.#moved(from);
      case "refused":
        return { ...pushed, reason: `${this.#remote.name} refuses the push: ${pushed.reason}` };
    }
  }

  async missing(commits: readonly string[]): Promise<readonly string[]> {
    const there = commits.length === 0 ? undefined : await this.#remote.fetch(this.#repo.base);
    if (there === undefined) return commits;
    if (there === (await this.#repo.baseTip())) return this.#repo.missingFromBase(commits);
    const missing: string[] = [];
    for (const commit of commits) if (!(await this.#isWithin(commit, there))) missing.push(commit);
    return missing;
  }

  /** Brings the base of this machine to what the remote has, and never aside: people may have moved either. The change is there already. */
  async #follow({ from, to }: { readonly from: string; readonly to: string }): Promise<Landing> {
    const isForward = (await this.#repo.baseTip()) === from && (await this.#isWithin(from, to));
    const unsynced = isForward ? await this.#landHere({ from, to }) : await this.sync();
    return unsynced === undefined ? { as: "landed" } : { as: "waiting", reason: waitReason(unsynced), isRemote: true };
  }

  async #landHere(landing: { readonly from: string; readonly to: string }): Promise<Unsynced | undefined> {
    const here = await this.#repo.land(landing);
    if (here.as === "landed") return undefined;
    return here.as === "moved" ? this.sync() : { why: here.reason };
  }

  /** The remote is not at `from`: the base here is brought up to it. */
  async #moved(from: string): Promise<Landing> {
    const unsynced = await this.sync();
    const tip = await this.#repo.baseTip();
    if (unsynced !== undefined) return { as: "waiting", reason: waitReason(unsynced) };
    // It was at `from` again when it was looked at the second time: the next try begins anew.
    return tip === from
      ? { as: "waiting", reason: `${this.#remote.name} moves ${this.#repo.base} back and forth` }
      : { as: "moved", tip };
  }

  async #ahead(there: string, here: string): Promise<Unsynced> {
    const more = (await this.#repo.commitsSince({ from: there, to: here, most: 100 }))?.length ?? 0;
    const commits = more === 1 ? "a commit" : `${more} commits`;
    return {
      why: `${this.#repo.base} of this repository has ${commits} that ${this.#remote.name} lacks: push them, or take them back`,
    };
  }

  /** True if `commit` is `tip` or in its history. */
  async #isWithin(commit: string, tip: string): Promise<boolean> {
    if (commit === tip) return true;
    if (!(await this.#repo.has(commit)) || !(await this.#repo.has(tip))) return false;
    return (await this.#repo.commitsSince({ from: commit, to: tip, most: 1 })) !== undefined;
  }
}

/** The reason for which a landing waits, with what a person has to do. */
function waitReason({ why, isMissing }: Unsynced): string {
  return isMissing === true ? `${why}: push it there` : why;
}

/**
 * The repository as the loop sees it: its base is that of the forge, looked at again after some seconds, and changes land there. If the
 * base of this machine cannot follow, it stays as it is, and the landing says why.
 */
export function withForge(repo: Repo, forge: Forge, now: () => number = Date.now): Repo {
  let looking: Promise<unknown> | undefined;
  let freshUntil = 0;
  const look = async (): Promise<void> => {
    if (now() < freshUntil) return;
    looking ??= forge
      .sync()
      .then(() => {
        freshUntil = now() + FRESH_MS;
      })
      .finally(() => {
        looking = undefined;
      });
    await looking;
  };
  return {
    ...repo,
    baseTip: async () => {
      await look();
      return repo.baseTip();
    },
    land: (landing) => forge.land(landing),
    missingAtForge: (commits) => forge.missing(commits),
    candidate: async (options) => {
      if (options.onto === undefined) await look();
      return repo.candidate(options);
    },
  };
}
