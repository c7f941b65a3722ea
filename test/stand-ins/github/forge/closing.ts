import { type IssueRef, issueOf, type State } from "../state.ts";

/** GitHub's keywords, and what may follow them (docs.github.com, "Linking a pull request to an issue"). */
const CLOSES =
  /\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+(?:(?<repo>[\w.-]+\/[\w.-]+)?#|GH-|https?:\/\/[^\s/]+\/(?<of>[\w.-]+\/[\w.-]+)\/issues\/)(?<number>\d+)/gi;

/** The issues that a text closes once it is on the default branch of a repository. */
export function closedBy(repo: string, text: string): readonly IssueRef[] {
  return [...text.matchAll(CLOSES)].map(({ groups = {} }) => ({
    repo: groups["repo"] ?? groups["of"] ?? repo,
    number: Number(groups["number"]),
  }));
}

/** The text that a reader of Markdown sees: without elements and marks, and with its entities resolved. */
export function shownText(markdown: string): string {
  return markdown
    .replaceAll(/<!--.*?-->|<\/?[a-z][^>]*>/gis, "")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&nbsp;", " ")
    .replaceAll(/[*_~[\]()`\\]/g, "")
    .replaceAll("&amp;", "&");
}

/** Closes issues as a merged pull request does. */
export function closeIssues(
  state: State,
  refs: readonly IssueRef[],
  { pullRequest, by, now }: { readonly pullRequest: number; readonly by: string; readonly now: number },
): void {
  for (const ref of refs) {
    const issue = issueOf(state, ref)?.issue;
    if (issue === undefined || issue.isPullRequest || issue.state === "closed") continue;
    Object.assign(issue, { state: "closed", stateReason: "completed", closedAt: now, updatedAt: now, closedBy: by });
    issue.closings.push({ pullRequest });
  }
}
