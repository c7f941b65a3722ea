/** What an honest agent works with in its worktree. A path is below the worktree. */
export interface Hands {
  readonly fs: typeof import("node:fs");
  readonly path: typeof import("node:path");
  write(path: string, content: string | Uint8Array): void;
  read(path: string): string;
  /** Puts `to` in the place of `from`, which must be there. */
  edit(path: string, from: string, to: string): void;
  remove(path: string): void;
  /** Moves a file, and makes the folder that it comes to. */
  move(from: string, to: string): void;
  /** Runs git in the worktree and gives what it prints. */
  git(...args: readonly string[]): string;
  /** Runs a program in the worktree and gives what it prints. */
  run(program: string, ...args: readonly string[]): string;
}

/** What an honest change left, for a look at whether it is there as it was meant. */
export interface Left {
  /** git in the repository, on its base branch. */
  git(...args: readonly string[]): string;
  /** The file as it landed. */
  file(path: string): string;
  /** Mode of the file as git lists it: 100644, 100755 or 120000. */
  mode(path: string): string;
}

/** An ordinary change that must land at the first try. */
export interface Honest {
  /** Fit for a ticket id and a branch. */
  readonly id: string;
  readonly what: string;
  /** What the agent does. It runs elsewhere: it sees its parameter, and nothing of this file. */
  readonly agent: (hands: Hands) => void | Promise<void>;
  /** Files of the base beside those that every base has. */
  readonly base?: Readonly<Record<string, string>>;
  /** More keys of the ticket. */
  readonly ticket?: Readonly<Record<string, unknown>>;
  /** Commands that make a checkout of this repository ready. */
  readonly prepare?: readonly (readonly string[])[];
  /** The repository, where it is not one of its own. */
  readonly repo?: string;
  /** What the check says of it, so that it is known to have looked. */
  readonly told?: RegExp;
  /** Whether it is on the base as it was meant. */
  readonly left?: (left: Left) => boolean;
}

/**
 * A check by a report of Node's own runner, in the folder of the judgement. All files of tests run in one process, which costs a
 * third, unless `each` asks for one of their own as it is the runner's habit.
 */
export function nodeCheck(format: "junit" | "tap", isolation: "together" | "each" = "together", ...files: string[]): object {
  const path = `{artifacts}/report.${format}`;
  const how = isolation === "together" ? ["--test-isolation=none"] : [];
  const reporter = [`--test-reporter=${format}`, `--test-reporter-destination=${path}`];
  const command = [process.execPath, "--test", ...how, ...reporter, ...files];
  return { step: "check", name: "tests", command, report: { format, path } };
}

/** A check by whatever this script of the repository writes to the path that it is given. */
export function scriptCheck(format: "junit" | "vitest" | "jest" | "tap", script: string): object {
  const path = `{artifacts}/results`;
  return { step: "check", name: "tests", command: [process.execPath, script, path], report: { format, path } };
}

/** A finish line with these steps between the gates and the landing. */
export function finish(...steps: readonly object[]): { readonly finish: readonly object[] } {
  return { finish: [{ step: "gates" }, ...steps, { step: "merge" }] };
}

/** Changes that have little to do with tests: theirs are a few that cost next to nothing, by a shell. */
export function bySmokeTest(changes: readonly Honest[]): readonly Honest[] {
  const check = { step: "check", name: "smoke", command: ["sh", "test/smoke.sh"], report: { format: "tap", path: "-" } };
  return changes.map((change) => ({
    ...change,
    ticket: { ...change.ticket, ...finish(check) },
    told: /3 tests, 3 on the base; test canary not run: no known test runner in the command$/,
  }));
}
