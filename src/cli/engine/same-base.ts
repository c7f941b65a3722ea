import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Repo } from "../../ports/vcs.ts";

/**
 * Throws a UserError (exit 4) if two repositories of the batch are the same branch of one repository. What is known of a base, above all
 * that it is broken, is known by the repository's name: under another name, changes would land on it.
 */
export function refuseSameBase(repos: Iterable<Pick<Repo, "id" | "place" | "base">>): void {
  const known = new Map<string, string>();
  for (const { id, place, base } of repos) {
    const key = JSON.stringify([place, base]);
    const other = known.get(key);
    known.set(key, id);
    if (other === undefined) continue;
    throw new UserError({
      what: `the repositories "${other}" and "${id}" are the same`,
      why: `both are the branch ${base} of ${place}, and while one of them is broken, changes would land by the other`,
      todo: "Name it once, and give its tickets that name.",
      exitCode: EXIT.refused,
    });
  }
}
