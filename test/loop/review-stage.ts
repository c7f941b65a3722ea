import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createCommandReviewer } from "../../src/adapters/agent/reviewer.ts";
import { createExecutor } from "../../src/adapters/executor/process-executor.ts";
import { ReviewerSpec } from "../../src/domain/batch/party.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { Reviewer } from "../../src/ports/reviewer.ts";
import { ticketOf } from "../domain/simulate.ts";
import { type Files, put } from "./evidence-stage.ts";
import { Stage, type StageOptions } from "./stage.ts";

export const T1 = TicketId.parse("T-1");
export const REVIEW: StepSpec = { step: "review", name: "review" };

const PROMPTS = resolve(import.meta.dirname, "../../prompts");
export const REVIEWER_PROMPT = readFileSync(join(PROMPTS, "reviewer.md"), "utf8");
export const ADVERSARY_PROMPT = readFileSync(join(PROMPTS, "adversary.md"), "utf8");

/** A finding, as a reviewer writes it. */
export function finding(over: object = {}): Record<string, unknown> {
  return { file: "work.js", line: 2, severity: "high", title: "wrong sum", scenario: "add(1, 2) gives -1", ...over };
}

/** Source of a reviewer that says this of what it was asked about. */
export function says(review: object): string {
  return `answer(${JSON.stringify(review)})`;
}
export const PASSES = says({ findings: [], verdict: "pass" });

/**
 * A program that plays a reviewer: the body of an async function over the prompt, its nonce and its commit, how often it was
 * asked (from 1), and `answer`, which prints a well-formed answer of what it is given.
 */
export function reviewer(folder: string, body: string): readonly [string, ...string[]] {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "reviewer.mjs");
  writeFileSync(
    file,
    `import * as fs from "node:fs";
import { execFileSync } from "node:child_process";
const { LOOPDASH_PROMPT, LOOPDASH_CHECKOUT: checkout, LOOPDASH_QUESTION: question, LOOPDASH_TICKET: ticket } = process.env;
const prompt = fs.readFileSync(LOOPDASH_PROMPT, "utf8");
const nonce = /^LOOPDASH ANSWER BEGIN (\\w+)$/m.exec(prompt)[1], tree = /It is commit (\\w+)/.exec(prompt)[1];
const begin = "LOOPDASH ANSWER BEGIN " + nonce, end = "LOOPDASH ANSWER END " + nonce;
const answer = (value) => console.log(begin + "\\n" + JSON.stringify({ nonce, tree, ...value }) + "\\n" + end);
// In the sandbox this folder is read-only, and every question is counted as the first.
const folder = ${JSON.stringify(folder)};
const isWritable = (() => { try { fs.accessSync(folder, fs.constants.W_OK); return true; } catch { return false; } })();
const log = (isWritable ? folder : fs.mkdtempSync("/tmp/asked-")) + "/asked";
fs.appendFileSync(log, question + "\\n");
const asked = fs.readFileSync(log, "utf8").split("\\n").length - 1;
${body}
`,
  );
  return [process.execPath, file];
}

export interface Reviewed {
  /** Body of the reviewer's program; see reviewer(). */
  readonly reviewer?: string;
  /** What the agent leaves, by attempt from 1; the last goes for all that follow. */
  readonly work?: readonly Files[];
  readonly base?: Files;
  readonly step?: StepSpec;
  readonly spec?: Partial<ReviewerSpec>;
  readonly stage?: Partial<StageOptions>;
  readonly usd?: number;
  readonly model?: Reviewer;
  readonly ctx?: (ctx: LoopContext) => Partial<LoopContext>;
}

const WORK: Files = { "work.js": "export function add(a, b) {\n  return a - b;\n}\n" };

/** A stage with one ticket that is reviewed by a real process, its base committed; not yet started. */
export async function opened(reviewed: Reviewed = {}): Promise<Stage> {
  const files = reviewed.work ?? [WORK];
  const finish: StepSpec[] = [reviewed.step ?? REVIEW, { step: "merge" }];
  const spec = ReviewerSpec.parse({ kind: "command", command: ["reviewer"], ...reviewed.spec });
  const stage = await Stage.open(
    {
      tickets: [ticketOf("T-1", { title: "Add numbers", body: "add(1, 2) is 3", finish })],
      limits: { attempts: 1 },
      work: (task) => void put(task.worktree, files[task.attempt - 1] ?? files.at(-1) ?? {}),
      ...reviewed.stage,
    },
    (ctx) => ({
      batch: { ...ctx.batch, reviewer: spec },
      templates: { ...ctx.templates, reviewer: REVIEWER_PROMPT, adversary: ADVERSARY_PROMPT },
      ...reviewed.ctx?.(ctx),
    }),
  );
  const argv = reviewer(join(stage.root, "second"), reviewed.reviewer ?? PASSES);
  const env = { PATH: process.env["PATH"] ?? "" };
  const made = createCommandReviewer({
    argv,
    name: "scripted",
    usdPerQuestion: reviewed.usd ?? 0,
    executor: createExecutor(),
    env,
  });
  Object.assign(stage.engine.ctx, { reviewer: reviewed.model ?? made });
  put(stage.user, reviewed.base ?? { "base.txt": "" });
  stage.git("add", "-A");
  stage.git("commit", "-q", "-m", "base", "--allow-empty");
  return stage;
}

/** What came of a run. */
export async function ended(stage: Stage) {
  stage.start();
  const state = await stage.ended();
  const steps = stage.of("step-ended").filter((event) => event.step === 0);
  return {
    state,
    landed: stage.ticket(T1).phase === "done",
    summary: steps[0]?.summary ?? "",
    summaries: steps.map(({ summary }) => summary),
    evidence: stage.of("attempt-ended")[0]?.evidence,
    asked: stage.of("reviewer-asked"),
    answers: stage.of("reviewer-answered"),
  };
}

/** Runs one ticket under review and closes its stage. */
export async function reviewed(reviewed: Reviewed = {}) {
  using stage = await opened(reviewed);
  return await ended(stage);
}

/** How often the scripted program was started, and for what. */
export function questions(stage: Stage): readonly string[] {
  return readFileSync(join(stage.root, "second", "asked"), "utf8")
    .trim()
    .split("\n");
}
