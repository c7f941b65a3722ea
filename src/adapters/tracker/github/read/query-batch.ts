import { z } from "zod";
import { shaped } from "../../../github/client.ts";
import type { Repository } from "../repositories.ts";
import type { Missing } from "./queries.ts";

/** What sends batches to the server. */
export interface QuerySender {
  /** What the server does not know. */
  readonly missing: Missing;
  readonly repositories: readonly Repository[];
  /** Owner and name of a repository as it is called now, by its index. */
  nameOf(repo: number): { readonly owner: string; readonly repo: string };
  /** Sends a batch, and hands out its answer. */
  send(batch: QueryBatch): Promise<void>;
}

/** A repository by GitHub's id of it, or by its name if that is not known. */
export interface RepositoryReference {
  readonly owner: string;
  readonly repo: string;
  readonly id: string | undefined;
}

/** A variable of a query. */
export interface Variable {
  readonly type: string;
  readonly value: unknown;
}

/** A part of a query with its own alias. `take` gets its value, which is null if there is no such thing. */
export interface QueryField {
  /** The index of the repository that it is in; undefined at the root. */
  readonly repo: number | undefined;
  readonly alias: string;
  readonly text: string;
  readonly variables?: Readonly<Record<string, Variable>>;
  readonly take: (value: unknown) => void;
}

/** A repository as its answer names it. */
const Answered = z.looseObject({ id: z.string(), nameWithOwner: z.string() });
const Answer = z.looseObject({ rateLimit: z.object({ cost: z.int() }).nullable() });

/** Many parts as one query, so that they cost one request. */
export class QueryBatch {
  readonly #fields: QueryField[] = [];

  add(field: QueryField): void {
    this.#fields.push(field);
  }

  get isEmpty(): boolean {
    return this.#fields.length === 0;
  }

  /** The query with those of the fragments that it uses. `referenceTo` says how a repository is found. */
  text(referenceTo: (repo: number) => RepositoryReference, fragments: readonly string[]): string {
    const parts = this.#repositories().map((repo) => {
      const inner = this.#of(repo).map(({ alias, text }) => `${alias}: ${text}`);
      if (repo === undefined) return inner.join("\n");
      const { owner, repo: name, id } = referenceTo(repo);
      const fields = ["id nameWithOwner", ...inner].join("\n");
      if (id !== undefined) return `r${repo}: node(id: ${JSON.stringify(id)}) { ... on Repository {\n${fields}\n} }`;
      return `r${repo}: repository(owner: ${JSON.stringify(owner)}, name: ${JSON.stringify(name)}) {\n${fields}\n}`;
    });
    const declared = Object.entries(this.#variables()).map(([name, { type }]) => `$${name}: ${type}`);
    const used = fragments.filter((fragment) => {
      const name = /^fragment (\w+)/.exec(fragment)?.[1];
      return this.#fields.some(({ text }) => text.includes(`...${name}`));
    });
    const head = declared.length === 0 ? "query" : `query(${declared.join(", ")})`;
    return [`${head} {`, "rateLimit { cost }", ...parts, "}", ...used].join("\n");
  }

  values(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(this.#variables()).map(([name, { value }]) => [name, value]));
  }

  /** Hands the answer's values to the fields that asked for them. Returns what the query cost. `named` gets each repository first. */
  take(data: unknown, named: (repo: number, answered: z.infer<typeof Answered>) => void): number {
    const answer = shaped(Answer, data);
    const insides = this.#repositories().map((repo) => {
      if (repo === undefined) return [repo, answer] as const;
      const answered = shaped(Answered, answer[`r${repo}`]);
      named(repo, answered);
      return [repo, answered] as const;
    });
    for (const [repo, inside] of insides)
      for (const { alias, take } of this.#of(repo)) take((inside as Readonly<Record<string, unknown>>)[alias]);
    return answer.rateLimit?.cost ?? 1;
  }

  #repositories(): readonly (number | undefined)[] {
    return [...new Set(this.#fields.map(({ repo }) => repo))];
  }

  #of(repo: number | undefined): readonly QueryField[] {
    return this.#fields.filter((field) => field.repo === repo);
  }

  #variables(): Readonly<Record<string, Variable>> {
    return Object.assign({}, ...this.#fields.map(({ variables }) => variables));
  }
}
