import type { PullRequestState, RemoteCheck } from "../../src/domain/forge/pull-request.ts";
import {
  ForgeUnavailable,
  JobsStillRun,
  type PastCheck,
  type PullRequestMerge,
  type PullRequests,
  RerunRefused,
} from "../../src/ports/forge.ts";
import { git } from "../adapters/vcs/real-repo.ts";

/** A test needs some tens of readings. With more, the engine goes round in circles, and its attempt is to fail with the reason. */
const MOST_READS = 400;

/** A forge in memory beside a real repository, whose base is the forge's. It counts what a real one must not be asked twice. */
export class FakePullRequests {
  readonly calls: string[] = [];
  /** The commit at the tip of each branch. */
  readonly branches = new Map<string, string>();
  readonly texts: string[] = [];
  /** What a reading shows beside the branch: tests change it. */
  shown: Partial<PullRequestState> = {};
  /** Called before each reading. */
  onRead: () => void = () => undefined;
  /** Called after each merge, before it is answered. */
  onMerged: (commit: string) => Promise<void> = () => Promise.resolve();
  /** The waits so far that it was told when it was asked how long to pause. Milliseconds. */
  readonly waited: number[] = [];
  isAway = false;
  /** The answer to a request to merge in place of a merge; undefined: it merges. */
  onMerge: () => PullRequestMerge | undefined = () => undefined;
  /** Jobs after which alone it starts others again. */
  stillRun: readonly string[] = [];
  /** True: it refuses to start any again. */
  refusesReruns = false;
  /** False: none of the failed checks has a job that can be started again. */
  canRerun = true;
  /** False: it is away for whoever requests a review. */
  answersReviews = true;
  /** Refuses as many proposals, by a rule about who may push. */
  refusals = 0;
  /** Refuses a commit with these words for what it, or a commit before it, holds. */
  refuses: (commit: string) => string | undefined = () => undefined;
  /** Set if it accepts a proposal and says nothing, until the signal is aborted. */
  isSilent = false;
  logs: Readonly<Record<string, string>> = {};
  #reads = 0;
  /** The runs of checks on the base's commit. */
  baseHistory: readonly PastCheck[] = [];
  readonly #user: string;
  #number: number | undefined;
  #merged: { head: string; commit: string } | undefined;

  constructor(user: string) {
    this.#user = user;
  }

  get merges(): number {
    return this.calls.filter((call) => call.startsWith("merge")).length;
  }

  get opened(): number {
    return this.calls.filter((call) => call === "open").length;
  }

  /** Merges the commit as the forge or a person does. */
  merge(head: string, title = "merged", by: "squash" | "merge" = "squash"): string {
    const tree = git(this.#user, "rev-parse", `${head}^{tree}`);
    const commit = git(
      this.#user,
      "commit-tree",
      tree,
      "-p",
      git(this.#user, "rev-parse", "main"),
      ...(by === "merge" ? ["-p", head] : []),
      "-m",
      title,
    );
    this.#merged = { head, commit };
    return commit;
  }

  port(): PullRequests {
    const reached = <T>(answer: () => T): Promise<T> =>
      this.isAway ? Promise.reject(new ForgeUnavailable("the forge cannot be reached")) : Promise.resolve().then(answer);
    return {
      name: "acme/app",
      pauseMs: (waited) => {
        this.waited.push(waited);
        return 5;
      },
      propose: ({ branch, head, previous, title, body }, signal) => {
        if (this.isSilent) return untilAborted(signal);
        return reached(() => {
          if (this.refusals > 0) {
            this.refusals -= 1;
            this.calls.push("refuse");
            return { as: "refused", reason: "hook declined; GH013: no new branches", isForbidden: true } as const;
          }
          const tip = this.branches.get(branch);
          if (tip !== previous && tip !== head) return { as: "moved", tip } as const;
          const reason = this.refuses(head);
          if (reason !== undefined) this.calls.push("refuse");
          if (reason !== undefined) return { as: "refused", reason } as const;
          if (tip !== head) this.calls.push(`push ${head}`);
          this.branches.set(branch, head);
          if (this.#number === undefined) this.calls.push("open");
          this.#number ??= 7;
          this.texts.push(`${title}\n${body}`);
          return { as: "open", number: 7, url: "https://forge.example/7" } as const;
        });
      },
      read: () =>
        reached(() => {
          this.#reads += 1;
          if (this.#reads > MOST_READS) throw new Error(`the pull request was read ${MOST_READS} times and nothing came of it`);
          this.onRead();
          return this.#state();
        }),
      merge: async ({ head, title, body }) => {
        const commit = await reached(() => {
          if (this.#merged !== undefined) return this.#merged.commit;
          this.calls.push(`merge ${head}`);
          return this.onMerge() ?? this.merge(head, `${title}\n\n${body}`);
        });
        if (typeof commit !== "string") return commit;
        await this.onMerged(commit);
        return { as: "merged", commit };
      },
      failures: (_head, names) =>
        reached(() => {
          this.calls.push(`words of ${names.join()}`);
          return names.map((name) => ({ name, log: this.logs[name] ?? "", annotations: [], reports: [] }));
        }),
      history: (commit) =>
        reached(() => {
          this.calls.push(`history ${[...this.branches.values()].includes(commit) ? "of the head" : "of the base"}`);
          return [...this.branches.values()].includes(commit) ? [] : this.baseHistory;
        }),
      rerun: (_head, names) =>
        reached(() => {
          if (this.stillRun.length > 0) this.calls.push(`put off ${names.join()}`);
          if (this.stillRun.length > 0) throw new JobsStillRun(`jobs still run: ${this.stillRun.join()}`, this.stillRun);
          this.calls.push(`rerun ${names.join()}`);
          if (this.refusesReruns) throw new RerunRefused("refused (403)");
          return this.canRerun ? names : [];
        }),
      requestReview: (number, login) => {
        if (!this.answersReviews) return Promise.reject(new ForgeUnavailable("the forge cannot be reached"));
        return reached(() => {
          this.calls.push(`review ${number} ${login}`);
          return login === "nobody" ? { as: "refused", reason: "nobody is no collaborator" } : { as: "requested" };
        });
      },
      answer: (_number, threads, text) =>
        reached(() => void this.calls.push(`answer ${threads.map(({ id }) => id).join()}: ${text}`)),
      removeBranch: (branch) => reached(() => void this.branches.delete(branch)),
    };
  }

  #state(): PullRequestState {
    const [head = ""] = this.branches.values();
    const passed: RemoteCheck = { name: "ci", state: "passed", isRequired: true };
    const merged = this.#merged && ({ state: "merged", mergeCommit: this.#merged.commit } as const);
    return {
      ...{ number: 7, url: "https://forge.example/7", state: "open", head, base: "main", merge: "ready", checks: [passed] },
      ...{ requiredChecks: ["ci"], review: "none", threads: [], comments: [], usesQueue: false },
      ...this.shown,
      ...merged,
    };
  }
}

/** git that is killed with the signal. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new ForgeUnavailable("it was not waited for any longer"));
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
