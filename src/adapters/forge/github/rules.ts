import { z } from "zod";
import { ForgeUnavailable } from "../../../ports/forge.ts";
import { shaped } from "../../github/client.ts";
import { GitHubRefusal } from "../../github/failures.ts";
import { checkName } from "./checks.ts";
import { allPages, type GitHubRepository, PAGE } from "./repository.ts";

/** The rules of a branch are read again after so long. Milliseconds. */
const FRESH_MS = 5 * 60_000;
const MOST_PAGES = 10;

/** The rules that take no push but by a merge of GitHub's (GitHub's REST API, "Get rules for a branch"). */
const AGAINST_PUSHES: ReadonlySet<string> = new Set(["pull_request", "required_status_checks", "merge_queue", "update"]);

/** A way to merge a pull request that GitHub offers. */
export type MergeMethod = "squash" | "merge" | "rebase";

/** The rules of a branch, as far as the token may see them. */
export interface BaseRules {
  /** Names of checks that must pass. */
  readonly checks: ReadonlySet<string>;
  readonly hasLinearHistory: boolean;
  /** The number of people who must approve; at least 1, for those whom it does not tell. */
  readonly approvals: number;
  /** True if a rule allows this method, or if none says anything about methods. */
  allows(method: MergeMethod): boolean;
  /** True if a rule or a protection stands against pushes by whoever may not go past it. */
  readonly refusesPushes: boolean;
  /** True if GitHub told all of it. */
  readonly isWhole: boolean;
}

const Rules = z.array(z.object({ type: z.string(), parameters: z.unknown().optional() }));
const RequiredChecks = z.object({ required_status_checks: z.array(z.object({ context: z.string() })) });
const ReviewRule = z.object({
  allowed_merge_methods: z.array(z.string()).optional(),
  required_approving_review_count: z.number().optional(),
});
/** Protection of the older kind: GitHub shows the checks that it requires to all who may read the branch. */
const Branch = z.object({
  protected: z.boolean().optional(),
  protection: z.object({ required_status_checks: z.object({ contexts: z.array(z.string()) }).optional() }).optional(),
});

/** Reads the rules of one branch, and remembers them for some minutes. */
export class RulesReader {
  readonly #repository: GitHubRepository;
  readonly #branch: string;
  readonly #now: () => number;
  /** Required checks that no rule that we can read names, such as those of required workflows. */
  readonly #unlisted = new Set<string>();
  #known: { readonly rules: Promise<BaseRules>; readonly at: number } | undefined;

  constructor(repository: GitHubRepository, { branch, now }: { readonly branch: string; readonly now: () => number }) {
    this.#repository = repository;
    this.#branch = branch;
    this.#now = now;
  }

  async read(): Promise<BaseRules> {
    if (this.#known !== undefined && this.#now() - this.#known.at < FRESH_MS) return this.#known.rules;
    const known = { rules: this.#ask(), at: this.#now() };
    this.#known = known;
    try {
      return await known.rules;
    } catch (error) {
      if (this.#known === known) this.#known = undefined;
      throw error;
    }
  }

  /** Forgets the rules: GitHub has shown that they are others now. */
  forget(): void {
    this.#known = undefined;
  }

  /** Reads the rules like `read`, and anew, once for each name, if GitHub calls a check required that they do not have. */
  async readFor(required: ReadonlySet<string>): Promise<BaseRules> {
    const rules = await this.read();
    const fresh = [...required].filter((name) => !rules.checks.has(name) && !this.#unlisted.has(name));
    if (!rules.isWhole || fresh.length === 0) return rules;
    for (const name of fresh) this.#unlisted.add(name);
    this.forget();
    return this.read();
  }

  async #ask(): Promise<BaseRules> {
    const [rules, branch] = await Promise.all([visible(this.#rules()), visible(this.#protection())]);
    const ofType = (type: string) => (rules ?? []).filter((rule) => rule.type === type).map(({ parameters }) => parameters);
    const required = ofType("required_status_checks").flatMap((each) =>
      shaped(RequiredChecks, each, ForgeUnavailable).required_status_checks.map(({ context }) => context),
    );
    const contexts = branch?.protection?.required_status_checks?.contexts ?? [];
    const reviews = ofType("pull_request").map((each) => shaped(ReviewRule, each ?? {}, ForgeUnavailable));
    const methods = reviews.flatMap(({ allowed_merge_methods = [] }) => allowed_merge_methods);
    return {
      checks: new Set([...required, ...contexts].map(checkName)),
      hasLinearHistory: ofType("required_linear_history").length > 0,
      approvals: Math.max(1, ...reviews.map(({ required_approving_review_count: count = 1 }) => count)),
      allows: (method) => methods.length === 0 || methods.includes(method),
      refusesPushes: branch?.protected === true || (rules ?? []).some(({ type }) => AGAINST_PUSHES.has(type)),
      isWhole: rules !== undefined && branch !== undefined,
    };
  }

  #rules(): Promise<z.infer<typeof Rules>> {
    const branch = this.#branch;
    return allPages(MOST_PAGES, (page) =>
      this.#repository.read("read the rules of its base", Rules, (rest, name) =>
        rest.repos.getBranchRules({ ...name, branch, per_page: PAGE, page }),
      ),
    ).then((rules) => [...rules]);
  }

  #protection(): Promise<z.infer<typeof Branch>> {
    const branch = this.#branch;
    return this.#repository.read("read its base", Branch, (rest, name) => rest.repos.getBranch({ ...name, branch }));
  }
}

/** Undefined if the token may not see it, or the server has no such thing. */
async function visible<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GitHubRefusal && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}
