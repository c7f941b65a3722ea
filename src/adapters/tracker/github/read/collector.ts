import { z } from "zod";
import { shaped } from "../../../github/client.ts";
import { InconsistentRead } from "../../../github/failures.ts";
import { type IssuePlace, issuePlaceKey } from "../repositories.ts";
import { IssueNode, MarkedNode } from "./answers.ts";
import type { IssueList, QueryField } from "./issue-lists.ts";

/** Where an issue is, by GitHub's own names. */
const Located = z.object({ number: z.int(), repository: z.object({ id: z.string() }) });

/** How far a list was read. */
export interface ListProgress {
  readonly list: IssueList;
  after: string | null;
  isOver: boolean;
  total: number | undefined;
  read: number;
  readonly keys: Set<string>;
}

/** Gathers the issues of one reading. Throws an InconsistentRead if its pages do not fit together. */
export class Collector {
  readonly nodes = new Map<string, IssuePlace & { readonly node: IssueNode }>();
  /** Issues with loopdash's label, by key. */
  readonly marked = new Map<string, IssuePlace & MarkedNode>();
  /** Keys of the issues in lists. */
  readonly inLists = new Set<string>();
  readonly #indexOf: (repositoryId: string) => number | undefined;
  readonly #check: (place: IssuePlace, node: IssueNode) => void;

  /** `check` throws if an issue is older than what is known of it. */
  constructor(indexOf: (repositoryId: string) => number | undefined, check: (place: IssuePlace, node: IssueNode) => void) {
    this.#indexOf = indexOf;
    this.#check = check;
  }

  /** A single issue. Should GitHub follow a transfer, what comes is at another place, and none is at this one. */
  issueField(place: IssuePlace): QueryField {
    return {
      repo: place.repo,
      alias: `n${place.number}`,
      text: `issue(number: ${place.number}) { ...Ticket }`,
      take: (value) => {
        if (value !== null) this.#keep(value);
      },
    };
  }

  /** The next page of a list. */
  pageField(progress: ListProgress, alias: string): QueryField {
    const { list, after } = progress;
    const own = Object.entries(list.variables).map(([name, variable]) => [`${alias}_${name}`, variable] as const);
    return {
      repo: list.repo,
      alias,
      text: list.text(alias),
      variables: { ...Object.fromEntries(own), [`${alias}_after`]: { type: "String", value: after } },
      take: (value) => this.#takePage(progress, value),
    };
  }

  #takePage(progress: ListProgress, value: unknown): void {
    const { list } = progress;
    const { total, nodes, pageInfo } = list.page(value);
    for (const node of nodes) {
      const key = isIssue(node) ? this.#takeNode(list, node) : undefined;
      if (key === undefined) continue;
      if (progress.keys.has(key)) throw changedMeanwhile();
      progress.keys.add(key);
    }
    if (progress.total !== undefined && progress.total !== total) throw changedMeanwhile();
    progress.total = total;
    progress.read += nodes.length;
    if (pageInfo.hasNextPage) mustLeadOn(progress.after, pageInfo.endCursor);
    progress.after = pageInfo.endCursor;
    progress.isOver = !pageInfo.hasNextPage;
    if (progress.isOver && progress.read !== total) throw changedMeanwhile();
  }

  #takeNode(list: IssueList, node: unknown): string | undefined {
    if (!list.isWhole) {
      const marked = { ...shaped(MarkedNode, node), repo: list.repo ?? 0 };
      this.marked.set(issuePlaceKey(marked), marked);
      return issuePlaceKey(marked);
    }
    const key = this.#keep(node);
    if (key !== undefined) this.inLists.add(key);
    return key;
  }

  /** Keeps an issue at its own place, if that is in a repository of the batch. Returns its key. */
  #keep(value: unknown): string | undefined {
    const { number, repository } = shaped(Located, value);
    const repo = this.#indexOf(repository.id);
    if (repo === undefined) return undefined;
    const node = shaped(IssueNode, value);
    const key = issuePlaceKey({ repo, number });
    const known = this.nodes.get(key);
    if (known !== undefined && known.node.updatedAt !== node.updatedAt) throw changedMeanwhile();
    this.#check({ repo, number }, node);
    this.nodes.set(key, { repo, number, node });
    return key;
  }
}

function isIssue(node: unknown): boolean {
  return typeof node === "object" && node !== null && Object.keys(node).length > 0;
}

/** Throws if the next page of a list would be the last one again: reading would never end. */
export function mustLeadOn(last: string | null | undefined, next: string | null): void {
  if (next === null || next === last) throw new Error("GitHub gave an answer that is not understood: its pages lead in a circle");
}

export function changedMeanwhile(): InconsistentRead {
  return new InconsistentRead("GitHub's issues keep changing while they are read");
}
