import type { Issue, Repo, State } from "./state.ts";

/** The issues that a search finds, of the qualifiers that tests use: repo, is, label, milestone, project, and words of the title. */
export function searchIssues(
  state: State,
  viewer: string,
  query: string,
): readonly { readonly repo: Repo; readonly issue: Issue }[] {
  const terms = [...query.matchAll(/(?:(\w+):)?(?:"((?:[^"\\]|\\.)*)"|(\S+))/g)].map(([, key, quoted, bare = ""]) => ({
    key,
    value: quoted?.replace(/\\(.)/g, "$1") ?? bare,
  }));
  const all = state.repos
    .filter(({ hiddenFrom }) => !hiddenFrom.includes(viewer))
    .flatMap((repo) => repo.issues.map((issue) => ({ repo, issue })));
  return all.filter(({ repo, issue }) => terms.every((term) => isMet(state, term, repo, issue)));
}

function isMet(state: State, { key, value }: { key: string | undefined; value: string }, repo: Repo, issue: Issue): boolean {
  switch (key) {
    case "repo":
      return repo.fullName.toLowerCase() === value.toLowerCase();
    case "is":
      if (value === "issue" || value === "pr") return (value === "pr") === (issue.isPullRequest ?? false);
      return issue.state === value;
    case "label":
      return issue.labels.some((label) => label.toLowerCase() === value.toLowerCase());
    case "milestone":
      return repo.milestones.some(({ number, title }) => number === issue.milestone && title === value);
    case "project": {
      const found = state.projects.find(({ owner, number }) => `${owner}/${number}` === value);
      return (
        found?.items.some((item) => "issue" in item && item.issue.repo === repo.fullName && item.issue.number === issue.number) ??
        false
      );
    }
    case undefined:
      return issue.title.toLowerCase().includes(value.toLowerCase());
    default:
      throw new Error(`the stand-in knows no search by ${key}`);
  }
}
