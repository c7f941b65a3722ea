import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRunHarness } from "../../src/adapters/harness/run-harness.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { readTransientClasses, unfitForHarness } from "../../src/loop/heal/harness-check.ts";
import type { HealTask } from "../../src/ports/agent.ts";
import type { HarnessTexts } from "../../src/ports/harness.ts";
import { APP, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage, type StageOptions } from "./stage.ts";

export const PROMPTS = join(import.meta.dirname, "../../prompts");
const text = (name: string) => readFileSync(join(PROMPTS, name), "utf8");
export const SHIPPED: HarnessTexts = {
  "worker.md": text("worker.md"),
  "hints.md": text("hints.md"),
  "transients.json": text("transients.json"),
};
export const HINT = "Write the file that is named after your ticket.\n";

/** Does the work only where its prompt has the hint. */
export const hinted: NonNullable<StageOptions["work"]> = (task) => {
  if (readFileSync(task.promptFile, "utf8").includes(HINT.trim())) return oneFile(task);
  return { exitCode: 1, tail: "I do not know which file" };
};

/** Leaves the answer of a gap, or what is given. */
export function answer(task: HealTask, over: Record<string, unknown> = {}): undefined {
  const gap = { kind: "gap", rootCause: "nobody names the file", change: "a hint names it", prediction: ["T-1"], ...over };
  writeFileSync(join(task.worktree, "answer.json"), JSON.stringify(gap));
}

export const addHint = (task: HealTask) => {
  writeFileSync(join(task.worktree, "hints.md"), HINT);
  return answer(task);
};

/** The changes that the machine's harness holds, by id. */
export function recorded(home: string): Record<string, { state: string; files: { path: string }[] }> {
  const folder = join(home, "changes");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return Object.fromEntries(names.map((name) => [name.slice(0, -5), JSON.parse(readFileSync(join(folder, name), "utf8"))]));
}

/** A run over a real harness in real folders; `home` is that of the machine. */
export async function openHealing(
  options: Partial<StageOptions>,
  home = join(tempDir(), "harness"),
  change: (ctx: LoopContext) => Partial<LoopContext> = () => ({}),
  key = "repository-1",
) {
  const warnings: string[] = [];
  const folder = join(tempDir(), "run-harness");
  let state: LoopContext["state"] | undefined;
  const harness = await openRunHarness({
    run: "r-1",
    folder,
    home,
    shipped: SHIPPED,
    repos: [APP],
    version: (repo) => state?.().heals.versions[repo] ?? 0,
    identity: () => Promise.resolve({ key, name: "app" }),
    unfit: unfitForHarness,
    classesOf: readTransientClasses,
    warn: (problem) => void warnings.push(problem),
  });
  const wired = (ctx: LoopContext): Partial<LoopContext> => {
    state = ctx.state;
    return { harness, templates: { ...ctx.templates, healer: text("healer.md") }, ...change(ctx) };
  };
  const tickets = [ticketOf("T-1")];
  const stage = await Stage.open(
    { tickets, work: hinted, heal: addHint, ...options, limits: { attempts: 1, heals: 1, ...options.limits } },
    wired,
  );
  return { stage, warnings, home, folder, wired };
}

export const ended = (stage: Stage) => stage.of("heal-ended").map(({ outcome, why, changed }) => ({ outcome, why, changed }));
