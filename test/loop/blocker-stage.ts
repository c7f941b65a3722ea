import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Adjudication } from "../../src/domain/outbox/ruling.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import type { Reviewer, ReviewerTask } from "../../src/ports/reviewer.ts";

const TEMPLATE = readFileSync(resolve(import.meta.dirname, "../../prompts/adjudicator.md"), "utf8");

/** The step that a claim leaves to a person. */
export const STEP = "Raise the quota of account 42 to 8";

/** A command that exits with 3, and what it prints. */
export const WALL = { command: ["sh", "-c", "echo QuotaExceeded; exit 3"], exitCode: 3, output: "QuotaExceeded\n" };

/** Writes a file of the agent's outbox; text as it is, anything else as JSON. */
export function leave(task: AgentTask, name: string, content: unknown): void {
  const file = join(task.outbox, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

/** A claim that is well-formed, but for `over`. */
export function claim(over: object = {}): object {
  return {
    claim: "it cannot be applied",
    wall: "the quota, which the cloud team owns",
    evidence: [WALL],
    tried: "less",
    humanStep: STEP,
    ...over,
  };
}

const yes = { holds: true, reason: "seen" };
/** A ruling that upholds, but for `over`. */
export function ruling(over: Partial<Adjudication> = {}): Omit<Adjudication, "nonce" | "tree"> {
  const tests = { external: yes, notFixableByRetry: yes, evidenced: yes, noOtherPath: yes };
  return { tests, reason: "the quota is the cloud team's", verdict: "upheld", ...over };
}

/** What an adjudicator answers that was given this prompt: the object between the marks that the prompt names. */
export function answerTo(prompt: string, answer: object = ruling()): string {
  const nonce = /"nonce": "(\w+)"/.exec(prompt)?.[1];
  const tree = /"tree": "(\w+)"/.exec(prompt)?.[1];
  return `I looked.\nLOOPDASH ANSWER BEGIN ${nonce}\n${JSON.stringify({ nonce, tree, ...answer })}\nLOOPDASH ANSWER END ${nonce}\n`;
}

/** A reviewer that answers as it is told, and keeps what it was asked. */
export class Adjudicator {
  readonly asked: (ReviewerTask & { readonly prompt: string })[] = [];
  readonly #answer: (prompt: string, task: ReviewerTask) => string | Promise<string>;

  constructor(answer: (prompt: string, task: ReviewerTask) => string | Promise<string> = (prompt) => answerTo(prompt)) {
    this.#answer = answer;
  }

  /** What a stage's context gets of it. */
  get context(): Pick<LoopContext, "reviewer"> {
    const reviewer: Reviewer = {
      name: "adjudicator",
      reserveUsd: 0,
      ask: async (task) => {
        const prompt = readFileSync(task.promptFile, "utf8");
        this.asked.push({ ...task, prompt });
        const text = await this.#answer(prompt, task);
        return { ending: task.signal.aborted ? "aborted" : "exited", exitCode: 0, text, costUsd: 0 };
      },
    };
    return { reviewer };
  }
}

/** The context of a stage with the adjudicator's real prompt. */
export function withTemplate({ templates }: LoopContext): Pick<LoopContext, "templates"> {
  return { templates: { ...templates, adjudicator: TEMPLATE } };
}
