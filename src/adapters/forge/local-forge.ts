import type { Forge } from "../../ports/forge.ts";
import type { Repo } from "../../ports/vcs.ts";

/** Lands changes on the base branch of this machine's repository, and nowhere else. */
export function createLocalForge(repo: Pick<Repo, "land" | "missingFromBase">): Forge {
  return {
    sync: async () => undefined,
    land: (landing) => repo.land(landing),
    missing: (commits) => repo.missingFromBase(commits),
  };
}
