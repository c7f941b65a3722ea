import type { CommentNode, IssueNode } from "../read/answers.ts";
import type { Place } from "../repositories.ts";

/** An issue with all its comments, oldest first, and all that it waits for. */
export interface Issue extends Place {
  readonly node: IssueNode;
  readonly comments: readonly CommentNode[];
  /** Issues that must be done first. One that the token may not see is undefined. */
  readonly blockers: readonly (Blocker | undefined)[];
}

/** An issue that another one waits for. */
export interface Blocker {
  readonly number: number;
  readonly state: string;
  readonly stateReason: string | null;
  /** GitHub's id of its repository, and its name as `owner/name`. */
  readonly repository: { readonly id: string; readonly nameWithOwner: string };
}
