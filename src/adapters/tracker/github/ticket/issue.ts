import type { CommentNode, IssueNode } from "../read/answers.ts";
import type { IssuePlace } from "../repositories.ts";

/** An issue with all its comments, oldest first, and all that it waits for. */
export interface GitHubIssue extends IssuePlace {
  readonly node: IssueNode;
  readonly comments: readonly CommentNode[];
  /** Issues that must be done first. One that the token may not see is undefined. */
  readonly blockers: readonly (GitHubBlocker | undefined)[];
}

/** What counts of an issue that another one waits for. */
export type GitHubBlocker = Pick<IssueNode, "number" | "state" | "stateReason" | "repository">;
