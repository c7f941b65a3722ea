import { z } from "zod";
import type { GitHubSpec } from "../../../../domain/batch/tracker-spec.ts";
import { plainText } from "../../../../domain/values/text.ts";
import { shaped } from "../../../github/client.ts";
import { type IssueList, projectList, QueryBatch, type QuerySender, repositoryList, searchList } from "./issue-lists.ts";

/** What decides whether an issue is in a batch's query, as far as the issue tells. */
interface Traits {
  readonly labels: readonly string[];
  readonly milestone: string | undefined;
}

const Milestones = z.object({ nodes: z.array(z.object({ number: z.int(), title: z.string() }).nullable()) });

/**
 * The batch's query. Its parts must all hold. A search includes the rest as qualifiers, one search for each repository, because
 * GitHub reads two `repo:` as "or" in one kind of search and as "and" in the other. Else a project is listed, or the issues of a
 * milestone, or of the first label. What comes is compared with the labels and the milestone here, since GitHub has lists of issues
 * with any of some labels. Its label names differ in more than case.
 */
export class BatchQuery {
  readonly #spec: GitHubSpec;
  readonly #sender: QuerySender;
  /** Numbers of the milestone, by the index of a repository. */
  #milestones: ReadonlyMap<number, number> | undefined;

  constructor(spec: GitHubSpec, sender: QuerySender) {
    this.#spec = spec;
    this.#sender = sender;
  }

  /** True if an issue alone tells whether it is in the query. It does not for searches and projects, which are read anew. */
  get judgesIssues(): boolean {
    return this.#spec.search === undefined && this.#spec.project === undefined;
  }

  /** True if the issue has the query's labels and is in its milestone. */
  matches({ labels, milestone }: Traits): boolean {
    const has = new Set(labels.map((label) => label.toLowerCase()));
    const isIn = this.#spec.milestone === undefined || milestone === this.#spec.milestone;
    return isIn && (this.#spec.labels ?? []).every((label) => has.has(label.toLowerCase()));
  }

  /** The lists to be read. Throws if there is no such milestone. */
  async lists(): Promise<readonly IssueList[]> {
    const { search, project, milestone, labels } = this.#spec;
    const { repositories } = this.#sender;
    if (search !== undefined) return repositories.map((_, repo) => searchList(this.#searchText(repo, search)));
    if (project !== undefined) return [projectList(project)];
    const [label] = labels ?? [];
    if (milestone === undefined) return repositories.map((_, repo) => repositoryList(repo, { label }));
    this.#milestones ??= await this.#readMilestones(milestone);
    return [...this.#milestones].map(([repo, number]) => repositoryList(repo, { label, milestone: number }));
  }

  /**
   * Throws if a query that found nothing names a label or a milestone that none of the repositories has: an empty batch would hide a
   * slip. It takes one request.
   */
  async refuseUnknownNames(): Promise<void> {
    const { labels = [], milestone } = this.#spec;
    if (milestone !== undefined) this.#milestones ??= await this.#readMilestones(milestone);
    if (labels.length === 0) return;
    const found = new Set<string>();
    const batch = new QueryBatch();
    for (const repo of this.#sender.repositories.keys())
      for (const [at, label] of labels.entries()) {
        batch.add({
          repo,
          alias: `label${at}`,
          text: `label(name: $label${at}) { name }`,
          variables: { [`label${at}`]: { type: "String!", value: label } },
          take: (value) => {
            if (value !== null) found.add(label);
          },
        });
      }
    await this.#sender.send(batch);
    const unknown = labels.find((label) => !found.has(label));
    if (unknown !== undefined)
      throw new Error(
        `there is no label ${JSON.stringify(plainText(unknown, 100))} in ${this.#repositoryNames()}: correct tracker.labels`,
      );
  }

  /** The names of the repositories, for a message. */
  #repositoryNames(): string {
    const { repositories } = this.#sender;
    return plainText(repositories.map((_, repo) => Object.values(this.#sender.currentName(repo)).join("/")).join(", "), 300);
  }

  #searchText(repo: number, search: string): string {
    const { labels = [], milestone, project } = this.#spec;
    const { owner, repo: name } = this.#sender.currentName(repo);
    const quoted = (value: string): string => `"${value.replace(/["\\]/g, "\\$&")}"`;
    return [
      search,
      `repo:${owner}/${name}`,
      "is:issue",
      ...labels.map((label) => `label:${quoted(label)}`),
      ...(milestone === undefined ? [] : [`milestone:${quoted(milestone)}`]),
      ...(project === undefined ? [] : [`project:${project}`]),
    ].join(" ");
  }

  async #readMilestones(title: string): Promise<ReadonlyMap<number, number>> {
    const found = new Map<number, number>();
    const batch = new QueryBatch();
    for (const repo of this.#sender.repositories.keys()) {
      batch.add({
        repo,
        alias: "milestones",
        text: `milestones(first: 100, query: $title${repo}) { nodes { number title } }`,
        variables: { [`title${repo}`]: { type: "String", value: title } },
        take(value) {
          const same = shaped(Milestones, value).nodes.find((each) => each?.title === title);
          if (same) found.set(repo, same.number);
        },
      });
    }
    await this.#sender.send(batch);
    if (found.size === 0)
      throw new Error(
        `there is no milestone "${plainText(title, 100)}" in ${this.#repositoryNames()}: correct tracker.milestone`,
      );
    return found;
  }
}
