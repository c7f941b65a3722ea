import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { computeLedger } from "../../src/domain/results/ledger.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Stage, type StageOptions } from "./stage.ts";

/** Files by name; null takes one away. */
export type Files = Readonly<Record<string, string | null>>;

export const T1 = TicketId.parse("T-1");

/** TAP of these tests: `!` failed, `~` skipped, otherwise passed. */
export function tap(words: string): string {
  const names = words.split(" ").filter((word) => word !== "");
  const lines = names.map((word, i) => {
    const name = word.replace(/[!~]$/, "");
    return `${word.endsWith("!") ? "not ok" : "ok"} ${i + 1} - ${name}${word.endsWith("~") ? " # SKIP" : ""}`;
  });
  return `TAP version 13\n${lines.map((line) => `${line}\n`).join("")}1..${names.length}\n`;
}

/** A runner of tests that does what the commit under judgement says: reports the file `tests`, and exits with what is in `code`. */
export const RUNNER = [
  "sh",
  "-c",
  '[ ! -e tests ] || cat tests > "$0"; exit $(cat code 2>/dev/null || echo 0)',
  "{artifacts}/r.tap",
];

export const CHECK = {
  step: "check",
  name: "tests",
  command: RUNNER,
  report: { format: "tap", path: "{artifacts}/r.tap" },
} as const satisfies StepSpec;

/** The first lines of a test file for node:test. */
export const TEST_HEAD = 'import { test } from "node:test";\nimport assert from "node:assert";\n';

/** A function with real tests: twins can be planted in them. */
export const ADDER = {
  "add.mjs": "export const add = (a, b) => a + b;\n",
  "test/add.test.mjs": `${TEST_HEAD}import { add } from "../add.mjs";

test("adds", () => assert.equal(add(1, 2), 3));
test("adds more", () => assert.equal(add(10, 2), 12));
`,
} as const satisfies Files;

/** The command that runs such tests. */
export const NODE_TESTS = {
  step: "check",
  name: "tests",
  command: [process.execPath, "--test", "--test-isolation=none", "--test-reporter=tap", "test/*.mjs"],
  report: { format: "tap", path: "-" },
} as const satisfies StepSpec;

export function put(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    rmSync(file, { force: true, recursive: text === null });
    if (text === null) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

export interface Judging {
  /** What the base holds, beside what every repository of a stage holds. */
  readonly base?: Files;
  /** What the agent does. */
  readonly change?: Files;
  readonly check?: StepSpec;
  readonly ticket?: Partial<Ticket>;
  readonly stage?: Partial<StageOptions>;
  readonly ctx?: (ctx: LoopContext) => Partial<LoopContext>;
}

/** A stage with one ticket, a check and one try, its base committed; not yet started. */
export async function opened(judging: Judging = {}): Promise<Stage> {
  const finish: StepSpec[] = [judging.check ?? CHECK, { step: "merge" }];
  const stage = await Stage.open(
    {
      tickets: [ticketOf("T-1", { finish, ...judging.ticket })],
      limits: { attempts: 1 },
      work: (task) => void put(task.worktree, { "work.txt": task.ticket, ...judging.change }),
      ...judging.stage,
    },
    judging.ctx,
  );
  put(stage.user, judging.base ?? { tests: tap("a b c") });
  stage.git("add", "-A");
  stage.git("commit", "-q", "-m", "base", "--allow-empty");
  return stage;
}

/** What came of one try: `landed`, or the evidence against it; and what the check says of itself. */
export async function judged(stage: Stage) {
  stage.start();
  const state = await stage.ended();
  const step = stage.of("step-ended").find((event) => event.step === 0);
  const evidence = stage.of("attempt-ended")[0]?.evidence;
  return {
    landed: stage.ticket(T1).phase === "done",
    summary: step?.summary ?? evidence?.summary ?? "",
    detail: evidence?.detail ?? "",
    strength: step?.strength,
    checks: computeLedger(state).checks,
  };
}

/** Runs one try and closes its stage. */
export async function judge(judging: Judging = {}) {
  using stage = await opened(judging);
  return await judged(stage);
}

/** A command that notes each of its runs in a file, before it does what the runner does; and how often it ran, by commit. */
export function counted(folder: string, then = RUNNER[2]): { command: readonly [string, ...string[]]; runs: () => string[] } {
  const file = join(folder, "runs");
  writeFileSync(file, "");
  const command = ["sh", "-c", `git rev-parse HEAD >> '${file}'; ${then}`, "{artifacts}/r.tap"] as const;
  return {
    command,
    runs: () =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== ""),
  };
}
