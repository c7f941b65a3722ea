import { TicketSpec } from "../../../domain/batch/schema.ts";
import type { RepoId } from "../../../domain/values/ids.ts";

/** The label of a ticket that is left to a person. Its name is compared exactly. */
export const GATE_LABEL = "human-gated";

/** Begins the label that names a ticket's repository. */
const REPO_LABEL = "repo:";

/** Begins a label that names something that only one ticket may use at a time. */
const EXCLUSIVE_LABEL = "exclusive:";

/** The labels that a discovered ticket gets for its repository, if it needs one, and for what it has to itself. */
export function labelsFor(repo: RepoId | undefined, exclusive: readonly string[] = []): readonly string[] {
  return [...(repo === undefined ? [] : [`${REPO_LABEL}${repo}`]), ...exclusive.map((name) => `${EXCLUSIVE_LABEL}${name}`)];
}

/** The repository that one label names; undefined if none does, or several do. */
export function namedRepo(labels: readonly string[], repos: readonly RepoId[]): RepoId | undefined {
  const [repo, another] = repos.filter((each) => labels.includes(`${REPO_LABEL}${each}`));
  return another === undefined ? repo : undefined;
}

/** What labels say that a ticket has to itself, in order. A name that no batch may have is left out. */
export function exclusiveNames(labels: readonly string[]): readonly string[] {
  const names = labels.flatMap((label) => (label.startsWith(EXCLUSIVE_LABEL) ? [label.slice(EXCLUSIVE_LABEL.length)] : []));
  return names.filter((name) => TicketSpec.shape.exclusive.safeParse([name]).success).sort();
}
