import type { RemoteCheck } from "../../src/domain/forge/pull-request.ts";
import type { BranchChecks } from "../../src/ports/branch-checks.ts";
import { ForgeUnavailable, type PastCheck } from "../../src/ports/forge.ts";
import { git } from "../adapters/vcs/real-repo.ts";

/** A check of the fake: undefined if it passes, else its log. */
type FakeCheck = (read: (path: string) => string | undefined, sha: string) => string | undefined;

/** The checks of the branch `main` of a real repository, judged by functions over the files of its tip. */
export class FakeBranch {
  readonly checks: Record<string, FakeCheck>;
  readonly reruns: string[] = [];
  /** The commits that were read, each once. */
  readonly read: string[] = [];
  /** Earlier runs of checks, by commit. */
  readonly past: Record<string, readonly PastCheck[]> = {};
  /** Called before each reading. */
  onRead: () => void = () => undefined;
  /** Called before failures are told. */
  onFailures: () => void = () => undefined;
  /** Checks that a commit has not: as if a filter of paths left them out. */
  leftOut: (name: string, read: (path: string) => string | undefined) => boolean = () => false;
  /** Told of readings in which no check is a workflow's. */
  isWithoutWorkflow: (checks: readonly RemoteCheck[]) => boolean = () => false;
  /** Checks that run now. */
  isRunning: (name: string) => boolean = () => false;
  /** True if a reading gets no answer: it ends with its signal alone. */
  hangs: () => boolean = () => false;
  /** Throws if no job is started again now. */
  onRerun: () => void = () => undefined;
  /** Told instead of the tip. */
  tip: string | undefined;
  readonly #user: string;

  constructor(user: string, checks: Record<string, FakeCheck>) {
    this.#user = user;
    this.checks = checks;
  }

  #read(path: string, sha: string): string | undefined {
    const listed = git(this.#user, "ls-tree", "--name-only", sha, path);
    return listed === "" ? undefined : git(this.#user, "show", `${sha}:${path}`);
  }

  #log(name: string, sha: string): string | undefined {
    return this.checks[name]?.((path) => this.#read(path, sha), sha);
  }

  port(): BranchChecks {
    return {
      name: "acme/app",
      pauseMs: () => 5,
      read: (signal) =>
        Promise.resolve().then(() => {
          this.onRead();
          if (this.hangs()) return endOf(signal);
          const tip = this.tip ?? git(this.#user, "rev-parse", "main");
          if (this.read.at(-1) !== tip) this.read.push(tip);
          const there = Object.keys(this.checks).filter((name) => !this.leftOut(name, (path) => this.#read(path, tip)));
          const checks = there.map((name): RemoteCheck => {
            const state = this.isRunning(name) ? "running" : this.#log(name, tip) === undefined ? "passed" : "failed";
            return { name, state, isRequired: false };
          });
          return { tip, checks, ...(this.isWithoutWorkflow(checks) && { withoutWorkflowSince: Date.now() }) };
        }),
      failures: (head, names) =>
        Promise.resolve().then(() => {
          this.onFailures();
          return names.map((name) => ({ name, log: this.#log(name, head) ?? "", annotations: [], reports: [] }));
        }),
      history: (commit) => Promise.resolve(this.past[commit] ?? []),
      rerun: (_head, names) =>
        Promise.resolve().then(() => {
          this.onRerun();
          this.reruns.push(...names);
          return names;
        }),
    };
  }
}

/** Rejects once the signal is aborted. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new ForgeUnavailable("the request was given up"));
    if (signal.aborted) end();
    signal.addEventListener("abort", end);
  });
}
