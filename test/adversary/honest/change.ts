/** An honest agent's tools in its worktree. A path is relative to the worktree. */
export interface Hands {
  readonly fs: typeof import("node:fs");
  readonly path: typeof import("node:path");
  write(path: string, content: string | Uint8Array): void;
  read(path: string): string;
  /** Replaces `from` by `to`; `from` must occur. */
  edit(path: string, from: string, to: string): void;
  remove(path: string): void;
  /** Moves a file, and creates its new folder. */
  move(from: string, to: string): void;
  /** Runs git in the worktree and returns its output. */
  git(...args: readonly string[]): string;
  /** Runs a program in the worktree and returns its output. */
  run(program: string, ...args: readonly string[]): string;
}

/** The landed result of an honest change, to check that it is as intended. */
export interface Left {
  /** git in the repository, on its base branch. */
  git(...args: readonly string[]): string;
  /** The file as it landed. */
  file(path: string): string;
  /** Mode of the file as git lists it: 100644, 100755 or 120000. */
  mode(path: string): string;
}

/** An ordinary change that must land at the first attempt. */
export interface Honest {
  /** Valid as a ticket id and in a branch name. */
  readonly id: string;
  readonly what: string;
  /** The agent's actions. They run elsewhere: the function sees its parameter, and nothing else of this file. */
  readonly agent: (hands: Hands) => void | Promise<void>;
  /** Files of the base besides those that every base has. */
  readonly base?: Readonly<Record<string, string>>;
  /** More keys of the ticket. */
  readonly ticket?: Readonly<Record<string, unknown>>;
  /** Commands that prepare a checkout of this repository. */
  readonly prepare?: readonly (readonly string[])[];
  /** The repository, if it is not its own. */
  readonly repo?: string;
  /** The check's message, which proves that it ran. */
  readonly told?: RegExp;
  /** True if the change is on the base as intended. */
  readonly left?: (left: Left) => boolean;
}

/**
 * A check by a report of Node's own runner, in the folder of the judgement. All test files run in one process, which costs a
 * third, unless `each` requests one process per file, as is the runner's default.
 */
export function nodeCheck(format: "junit" | "tap", isolation: "together" | "each" = "together", ...files: string[]): object {
  const path = `{artifacts}/report.${format}`;
  const how = isolation === "together" ? ["--test-isolation=none"] : [];
  const reporter = [`--test-reporter=${format}`, `--test-reporter-destination=${path}`];
  const command = [process.execPath, "--test", ...how, ...reporter, ...files];
  return { step: "check", name: "tests", command, report: { format, path } };
}

/** A check by the report that this script of the repository writes to the given path. */
export function scriptCheck(format: "junit" | "vitest" | "jest" | "tap", script: string): object {
  const path = `{artifacts}/results`;
  return { step: "check", name: "tests", command: [process.execPath, script, path], report: { format, path } };
}

/** A finish line with these steps between the gates and the landing. */
export function finish(...steps: readonly object[]): { readonly finish: readonly object[] } {
  return { finish: [{ step: "gates" }, ...steps, { step: "merge" }] };
}

/** Changes that have little to do with tests: they get a few cheap tests, by a shell. */
export function bySmokeTest(changes: readonly Honest[]): readonly Honest[] {
  const check = { step: "check", name: "smoke", command: ["sh", "test/smoke.sh"], report: { format: "tap", path: "-" } };
  return changes.map((change) => ({
    ...change,
    ticket: { ...change.ticket, ...finish(check) },
    told: /3 tests, 3 on the base$/,
  }));
}
