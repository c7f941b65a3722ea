import {
  addComment,
  addLabel,
  type Comment,
  type Issue,
  type IssueRef,
  milestoneOf,
  type Reason,
  type Repo,
  repoOf,
  type State,
  userOf,
} from "./state.ts";

/** A person who works on GitHub by hand. Each act changes the issue's time of update, unless it says otherwise. */
export class Person {
  readonly #login: string;
  readonly #state: () => State;
  readonly #now: () => number;

  constructor(login: string, state: () => State, now: () => number) {
    this.#login = login;
    this.#state = state;
    this.#now = now;
  }

  retitle(repo: string, number: number, title: string): void {
    this.#change(repo, number, (issue) => Object.assign(issue, { title }));
  }

  write(repo: string, number: number, body: string): void {
    this.#change(repo, number, (issue) => Object.assign(issue, { body }));
  }

  close(
    repo: string,
    number: number,
    how: { readonly reason?: Reason; readonly commit?: string; readonly pullRequest?: number } = {},
  ): void {
    const { reason = "completed", commit, pullRequest } = how;
    this.#change(repo, number, (issue) => {
      Object.assign(issue, { state: "closed", stateReason: reason, closedAt: this.#now(), closedBy: this.#login });
      issue.closings.push(commit !== undefined ? { commit } : pullRequest !== undefined ? { pullRequest } : null);
    });
  }

  reopen(repo: string, number: number): void {
    this.#change(repo, number, (issue) => Object.assign(issue, { state: "open", stateReason: "reopened", closedAt: null }));
  }

  comment(repo: string, number: number, body: string): Comment {
    return this.#change(repo, number, (issue) => addComment(this.#state(), issue, this.#login, body, this.#now()));
  }

  /** Leaves the issue's time of update alone. */
  editComment(
    repo: string,
    number: number,
    id: number,
    change: { readonly body?: string; readonly isMinimized?: boolean },
  ): void {
    const comment = this.#find(repo, number).issue.comments.find((each) => each.id === id);
    if (comment !== undefined) Object.assign(comment, change, { updatedAt: this.#now() });
  }

  label(repo: string, number: number, label: string): void {
    this.#change(repo, number, (issue, of) => addLabel(of, issue, label));
  }

  unlabel(repo: string, number: number, label: string): void {
    this.#change(repo, number, (issue) => Object.assign(issue, { labels: issue.labels.filter((each) => each !== label) }));
  }

  assign(repo: string, number: number, ...logins: readonly string[]): void {
    for (const login of logins) userOf(this.#state(), login);
    this.#change(repo, number, (issue) => Object.assign(issue, { assignees: [...logins] }));
  }

  plan(repo: string, number: number, milestone: string): void {
    this.#change(repo, number, (issue, of) => Object.assign(issue, { milestone: milestoneOf(of, milestone) }));
  }

  /** The issue waits for others; an empty list takes all away. */
  block(repo: string, number: number, ...by: readonly IssueRef[]): void {
    this.#change(repo, number, (issue) => Object.assign(issue, { blockedBy: [...by] }));
  }

  subIssues(repo: string, number: number, ...subIssues: readonly IssueRef[]): void {
    this.#change(repo, number, (issue) => Object.assign(issue, { subIssues: [...subIssues] }));
  }

  /** Deletes the issue, or makes a discussion of it. */
  remove(repo: string, number: number): Issue {
    const { repo: of, issue } = this.#find(repo, number);
    of.issues = of.issues.filter((each) => each !== issue);
    return issue;
  }

  /** Moves the issue to another repository, where it gets the next number. */
  transfer(repo: string, number: number, to: string): void {
    const issue = this.remove(repo, number);
    const target = repoOf(this.#state(), to);
    if (target === undefined) throw new Error(`there is no repository ${to}`);
    target.issues.push({ ...issue, number: target.next, updatedAt: this.#now() });
    target.next += 1;
  }

  #change<T>(repo: string, number: number, change: (issue: Issue, repo: Repo) => T): T {
    const { repo: of, issue } = this.#find(repo, number);
    issue.updatedAt = this.#now();
    return change(issue, of);
  }

  #find(repo: string, number: number): { readonly repo: Repo; readonly issue: Issue } {
    const of = repoOf(this.#state(), repo);
    const issue = of?.issues.find((each) => each.number === number);
    if (of === undefined || issue === undefined) throw new Error(`there is no issue ${repo}#${number}`);
    return { repo: of, issue };
  }
}
