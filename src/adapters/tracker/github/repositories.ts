import { listTicketPrefixes } from "../../../domain/batch/ticket-id-hint.ts";
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
export function listRepositories(spec: GitHubSpec): readonly Repository[] {
  return listTicketPrefixes(spec).map(([prefix, fullName]) => {
    const [owner = "", name = ""] = fullName.split("/");
    return { owner, name, prefix };
  });
}

/** An issue's place: the index of its repository, and its number. */
export interface IssuePlace {
  readonly repo: number;
  readonly number: number;
}

/** A place as a key of maps. */
export function issuePlaceKey({ repo, number }: IssuePlace): string {
  return `${repo}#${number}`;
}

/** The issue that an id names; undefined if it can name none. */
export function parseIssuePlace(id: TicketId, repositories: readonly Repository[]): IssuePlace | undefined {
  const [, prefix, digits = ""] = /^(.+)-(0|[1-9]\d{0,8})$/.exec(id) ?? [];
  const repo = repositories.findIndex((each) => each.prefix === prefix);
  return repo === -1 ? undefined : { repo, number: Number(digits) };
}
