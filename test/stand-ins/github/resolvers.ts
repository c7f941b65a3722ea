import { forgeFields, pullNode } from "./forge/graphql.ts";
import { mutationsOf } from "./forge/mutations.ts";
import { type Asking, actor, commentNode, connection, type PageArgs, QueryError } from "./nodes.ts";
import { searchIssues } from "./search.ts";
import { associationOf, type Issue, type IssueRef, issueOf, type Project, type Repo, repoOf, timeText } from "./state.ts";

/** GitHub's root of queries. */
export function rootOf(asking: Asking): object {
  const { state, viewer } = asking;
  return {
    rateLimit: asking.rateLimit,
    ...mutationsOf(asking),
    viewer: () => actor(asking, viewer),
    node({ id }: { id: string }) {
      const repo = state.repos.find((each) => id === `R_${each.id}` && !each.hiddenFrom.includes(viewer));
      const found = repo === undefined ? nodeBy(asking, id) : repository(asking, repo);
      if (found === null) throw new QueryError("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
      return found;
    },
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => nodeBy(asking, id)),
    repository({ owner, name }: { owner: string; name: string }) {
      const repo = repoOf(state, `${owner}/${name}`) ?? state.repos.find(({ formerName }) => formerName === `${owner}/${name}`);
      if (repo === undefined || repo.hiddenFrom.includes(viewer))
        throw new QueryError("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`);
      return repository(asking, repo);
    },
    repositoryOwner({ login }: { login: string }) {
      const own = state.projects.filter(({ owner }) => owner.toLowerCase() === login.toLowerCase());
      const isKnown = own.length > 0 || state.repos.some(({ fullName }) => fullName.startsWith(`${login}/`));
      return isKnown
        ? { __typename: "Organization", projectV2: ({ number }: { number: number }) => project(asking, own, number) }
        : null;
    },
    search({ query, ...args }: PageArgs & { query: string }) {
      const found = searchIssues(state, viewer, query);
      return connection(
        [...found.entries()],
        ([at]) => at + 1,
        args,
        ([, { repo, issue }]) => issueNode(asking, repo, issue),
      );
    },
  };
}

/** What has a node id; null if it is gone, or if the viewer may not see it. */
function nodeBy(asking: Asking, id: string): object | null {
  for (const repo of asking.state.repos.filter(({ hiddenFrom }) => !hiddenFrom.includes(asking.viewer))) {
    const issue = repo.issues.find((each) => id === `I_${each.id}` || id === `PR_${each.id}`);
    if (issue !== undefined) return issueNode(asking, repo, issue);
  }
  return null;
}

function repository(asking: Asking, repo: Repo): object {
  return {
    __typename: "Repository",
    id: `R_${repo.id}`,
    nameWithOwner: repo.fullName,
    ...forgeFields(asking, repo),
    issue({ number }: { number: number }) {
      const issue = repo.issues.find((each) => each.number === number && !each.isPullRequest);
      if (issue === undefined) throw new QueryError("NOT_FOUND", `Could not resolve to an Issue with the number of ${number}.`);
      return issueNode(asking, repo, issue);
    },
    label({ name }: { name: string }) {
      const all = [...repo.labels, ...repo.issues.flatMap(({ labels }) => labels)];
      const found = all.find((label) => label.toLowerCase() === name.toLowerCase());
      return found === undefined ? null : { name: found };
    },
    issues(args: PageArgs & { labels?: readonly string[]; filterBy?: { milestoneNumber?: string } }) {
      const { labels, filterBy } = args;
      const wanted = labels?.map((label) => label.toLowerCase());
      // GitHub's issues with ANY of the labels.
      const issues = repo.issues.filter(
        (issue) =>
          !issue.isPullRequest &&
          (wanted === undefined || issue.labels.some((label) => wanted.includes(label.toLowerCase()))) &&
          (filterBy?.milestoneNumber === undefined || String(issue.milestone) === filterBy.milestoneNumber),
      );
      return connection(
        issues,
        ({ number }) => number,
        args,
        (issue) => issueNode(asking, repo, issue),
      );
    },
    milestones(args: PageArgs & { query?: string }) {
      const found = repo.milestones.filter(({ title }) => title.toLowerCase().includes((args.query ?? "").toLowerCase()));
      return connection(
        found,
        ({ number }) => number,
        args,
        (each) => each,
      );
    },
  };
}

function project(asking: Asking, own: readonly Project[], number: number): object {
  const found = own.find((each) => each.number === number);
  if (found === undefined) throw new QueryError("NOT_FOUND", `Could not resolve to a ProjectV2 with the number ${number}.`);
  return {
    items: (args: PageArgs) =>
      connection(
        [...found.items.entries()],
        ([at]) => at + 1,
        args,
        ([, item]) => {
          if ("draft" in item) return { isArchived: false, content: { __typename: "DraftIssue", title: item.draft } };
          const at = issueOf(asking.state, item.issue);
          return {
            isArchived: item.isArchived ?? false,
            content: at === undefined ? null : issueNode(asking, at.repo, at.issue),
          };
        },
      ),
  };
}

function issueNode(asking: Asking, repo: Repo, issue: Issue): object {
  const { viewer, web } = asking;
  const found = issue.isPullRequest ? asking.forge.find(asking.state, repo.fullName) : undefined;
  const pull = found?.forge.pulls.find(({ number }) => number === issue.number);
  if (found !== undefined && pull !== undefined) return pullNode(asking, found, pull);
  if (issue.isPullRequest) return { __typename: "PullRequest", id: `PR_${issue.id}`, number: issue.number };
  return {
    __typename: "Issue",
    id: `I_${issue.id}`,
    number: issue.number,
    title: issue.title,
    body: issue.body,
    url: `${web}/${repo.fullName}/issues/${issue.number}`,
    state: issue.state.toUpperCase(),
    stateReason({ enableDuplicate = false }: { enableDuplicate?: boolean }) {
      const reason = issue.stateReason === "duplicate" && !enableDuplicate ? "not_planned" : issue.stateReason;
      return reason?.toUpperCase() ?? null;
    },
    createdAt: timeText(issue.createdAt),
    updatedAt: timeText(issue.updatedAt),
    viewerDidAuthor: issue.author === viewer,
    authorAssociation: associationOf(repo, issue.author),
    author: () => actor(asking, issue.author),
    repository: () => repository(asking, repo),
    milestone: () => repo.milestones.find(({ number }) => number === issue.milestone) ?? null,
    assignees: (args: PageArgs) =>
      connection(
        [...issue.assignees.entries()],
        ([at]) => at + 1,
        args,
        ([, login]) => actor(asking, login),
      ),
    labels: (args: PageArgs) =>
      connection(
        [...issue.labels.entries()],
        ([at]) => at + 1,
        args,
        ([, name]) => ({ name }),
      ),
    comments: (args: PageArgs) =>
      connection(
        issue.comments,
        ({ id }) => id,
        args,
        (each) => commentNode(asking, { repo, issue }, each),
      ),
    blockedBy: (args: PageArgs) => issues(asking, issue.blockedBy, args),
    subIssues: (args: PageArgs) => issues(asking, issue.subIssues, args),
    timelineItems: (args: PageArgs) =>
      connection(
        [...issue.closings.entries()],
        ([at]) => at + 1,
        args,
        ([at, closing]) => ({
          __typename: "ClosedEvent",
          id: `CE_${issue.id}_${at}`,
          closer:
            closing === null
              ? null
              : "commit" in closing
                ? { __typename: "Commit", oid: closing.commit }
                : { __typename: "PullRequest", number: closing.pullRequest },
        }),
      ),
  };
}

/** Issues that one waits for. One that the viewer may not see is null. */
function issues(asking: Asking, refs: readonly IssueRef[], args: PageArgs): object {
  const there = refs.filter((ref) => issueOf(asking.state, ref) !== undefined);
  return connection(
    [...there.entries()],
    ([at]) => at + 1,
    args,
    ([, ref]) => {
      const found = issueOf(asking.state, ref);
      return found === undefined || found.repo.hiddenFrom.includes(asking.viewer)
        ? null
        : issueNode(asking, found.repo, found.issue);
    },
  );
}
