import { prefixesOf } from "../../../domain/batch/ticket-id-hint.ts";
import type { GitHubSpec } from "../../../domain/batch/tracker-spec.ts";
import type { TicketId } from "../../../domain/values/ids.ts";

/** A repository with issues of the batch. */
export interface Repository {
  readonly owner: string;
  readonly name: string;
  /** What comes before the number in the ids of its tickets. */
  readonly prefix: string;
}

/** The repositories of a batch, in its order. With `repo`, characters that no id may have become `-`. */
export function repositoriesOf(spec: GitHubSpec): readonly Repository[] {
  return prefixesOf(spec).map(([prefix, fullName]) => {
    const [owner = "", name = ""] = fullName.split("/");
    return { owner, name, prefix };
  });
}

/** An issue's place: the index of its repository, and its number. */
export interface Place {
  readonly repo: number;
  readonly number: number;
}

/** A place as a key of maps. */
export function keyOf({ repo, number }: Place): string {
  return `${repo}#${number}`;
}

/** The issue that an id names; undefined if it can name none. */
export function placeOf(id: TicketId, repositories: readonly Repository[]): Place | undefined {
  const [, prefix, digits = ""] = /^(.+)-(0|[1-9]\d{0,8})$/.exec(id) ?? [];
  const repo = repositories.findIndex((each) => each.prefix === prefix);
  return repo === -1 ? undefined : { repo, number: Number(digits) };
}
