/** What the stand-in keeps, as plain data, so that it can be copied. */
import { type ForgeRepo, forgeRepoOf, type SeedForge } from "./forge/model.ts";

export interface User {
  readonly login: string;
  readonly name: string | null;
  readonly id: number;
  readonly isBot?: boolean;
}

export interface Comment {
  readonly id: number;
  readonly author: string;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
  isMinimized?: boolean;
}

export type Reason = "completed" | "not_planned" | "duplicate" | "reopened";

/** Another issue, of any repository. */
export interface IssueRef {
  readonly repo: string;
  readonly number: number;
}

export interface Issue {
  readonly number: number;
  readonly id: number;
  title: string;
  body: string;
  readonly author: string;
  state: "open" | "closed";
  stateReason: Reason | null;
  labels: string[];
  assignees: string[];
  milestone?: number;
  comments: Comment[];
  readonly createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  closedBy: string | null;
  /** How it was closed, each time: by a commit, a pull request, or by hand. */
  closings: ({ readonly commit: string } | { readonly pullRequest: number } | null)[];
  blockedBy: IssueRef[];
  subIssues: IssueRef[];
  readonly isPullRequest?: boolean;
}

export interface Repo {
  fullName: string;
  /** What it was called before: GraphQL still finds it so, and REST answers with a redirect. */
  formerName?: string;
  readonly id: number;
  labels: string[];
  readonly milestones: { readonly number: number; title: string }[];
  issues: Issue[];
  next: number;
  /** People's association with it; the owner's is OWNER, everybody else's NONE. */
  readonly associations: Record<string, string>;
  /** Users who may not see it. */
  readonly hiddenFrom: readonly string[];
  /** What it has beyond issues: git, pull requests, checks. */
  readonly forge?: ForgeRepo;
}

export interface Project {
  readonly owner: string;
  readonly number: number;
  items: ({ readonly issue: IssueRef; readonly isArchived?: boolean } | { readonly draft: string })[];
}

export interface State {
  readonly users: Record<string, User>;
  readonly repos: Repo[];
  readonly projects: Project[];
  nextId: number;
}

/** An issue as a seed describes it. */
export interface SeedIssue {
  readonly number?: number;
  readonly title: string;
  readonly body?: string;
  readonly author?: string;
  readonly labels?: readonly string[];
  readonly milestone?: string;
  readonly state?: "open" | "closed";
  readonly stateReason?: Reason;
  readonly isPullRequest?: boolean;
  readonly blockedBy?: readonly number[];
  readonly comments?: readonly { readonly author: string; readonly body: string }[];
}

/** The first state of a stand-in. */
export interface Seed {
  readonly users?: Readonly<Record<string, { readonly name?: string; readonly isBot?: boolean }>>;
  readonly repos?: Readonly<
    Record<
      string,
      {
        readonly issues?: readonly SeedIssue[];
        readonly associations?: Readonly<Record<string, string>>;
        readonly labels?: readonly string[];
        readonly hiddenFrom?: readonly string[];
        readonly forge?: SeedForge;
      }
    >
  >;
  readonly projects?: readonly Project[];
  /** The users of tokens. Default: one token "token" of the user "loop". */
  readonly tokens?: Readonly<Record<string, string>>;
}

/** The state of a seed; `now` is the time at which everything was made. */
export function stateOf({ users = {}, repos = {}, projects = [] }: Seed, now: number): State {
  const state: State = { users: {}, repos: [], projects: [...projects], nextId: 3_000_000_000 };
  for (const [login, { name = null, isBot }] of Object.entries(users)) userOf(state, login, { name, ...(isBot && { isBot }) });
  for (const [fullName, seed] of Object.entries(repos)) {
    const repo: Repo = {
      fullName,
      id: newId(state),
      labels: [...(seed.labels ?? [])],
      milestones: [],
      issues: [],
      next: 1,
      associations: { ...seed.associations },
      hiddenFrom: seed.hiddenFrom ?? [],
      ...(seed.forge !== undefined && { forge: forgeRepoOf(seed.forge) }),
    };
    state.repos.push(repo);
    for (const issue of seed.issues ?? []) addIssue(state, repo, issue, now);
  }
  return state;
}

export function newId(state: State): number {
  state.nextId += 1;
  return state.nextId;
}

/** A user, who is made if there is none of that login. */
export function userOf(
  state: State,
  login: string,
  more: { readonly name?: string | null; readonly isBot?: boolean } = {},
): User {
  state.users[login] ??= { login, name: more.name ?? null, id: newId(state), ...(more.isBot && { isBot: true }) };
  return state.users[login];
}

export function addIssue(state: State, repo: Repo, seed: SeedIssue, now: number): Issue {
  const { title, body = "", author = "jo", labels = [], milestone, stateReason } = seed;
  const number = seed.number ?? repo.next;
  repo.next = Math.max(repo.next, number + 1);
  userOf(state, author);
  const isClosed = seed.state === "closed";
  const issue: Issue = {
    number,
    id: newId(state),
    title,
    body,
    author,
    state: seed.state ?? "open",
    stateReason: stateReason ?? (isClosed ? "completed" : null),
    labels: [],
    assignees: [],
    comments: [],
    createdAt: now,
    updatedAt: now,
    closedAt: isClosed ? now : null,
    closedBy: isClosed ? author : null,
    closings: isClosed ? [null] : [],
    blockedBy: (seed.blockedBy ?? []).map((each) => ({ repo: repo.fullName, number: each })),
    subIssues: [],
    ...(milestone !== undefined && { milestone: milestoneOf(repo, milestone) }),
    ...(seed.isPullRequest && { isPullRequest: true }),
  };
  for (const label of labels) addLabel(repo, issue, label);
  for (const comment of seed.comments ?? []) addComment(state, issue, comment.author, comment.body, now);
  repo.issues.push(issue);
  repo.issues.sort((a, b) => a.number - b.number);
  return issue;
}

/** The number of a milestone, which is made if there is none. */
export function milestoneOf(repo: Repo, title: string): number {
  const found = repo.milestones.find((each) => each.title === title);
  if (found !== undefined) return found.number;
  repo.milestones.push({ number: repo.milestones.length + 1, title });
  return repo.milestones.length;
}

/** Adds a label to an issue. GitHub makes labels that do not exist, and compares them without case. */
export function addLabel(repo: Repo, issue: Issue, label: string): void {
  const known = repo.labels.find((each) => each.toLowerCase() === label.toLowerCase());
  if (known === undefined) repo.labels.push(label);
  const name = known ?? label;
  if (!issue.labels.includes(name)) issue.labels.push(name);
}

export function addComment(state: State, issue: Issue, author: string, body: string, now: number): Comment {
  userOf(state, author);
  const comment: Comment = { id: newId(state), author, body, createdAt: now, updatedAt: now };
  issue.comments.push(comment);
  issue.updatedAt = now;
  return comment;
}

export function repoOf(state: State, fullName: string): Repo | undefined {
  return state.repos.find((each) => each.fullName.toLowerCase() === fullName.toLowerCase());
}

export function issueOf(state: State, { repo, number }: IssueRef): { readonly repo: Repo; readonly issue: Issue } | undefined {
  const found = repoOf(state, repo);
  const issue = found?.issues.find((each) => each.number === number);
  return found === undefined || issue === undefined ? undefined : { repo: found, issue };
}

/** The association of a user with a repository, in GitHub's words. */
export function associationOf(repo: Repo, login: string): string {
  return repo.associations[login] ?? (repo.fullName.startsWith(`${login}/`) ? "OWNER" : "NONE");
}

/** A time as GitHub writes it: in whole seconds. */
export function timeText(time: number): string {
  return new Date(Math.floor(time / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
