import type { Argv } from "../../domain/batch/prepare-command.ts";
import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedHead, boundedList, plainText } from "../../domain/values/text.ts";
import { visibleText } from "../../domain/values/visible-text.ts";
import type { Candidate, Repo } from "../../ports/vcs.ts";
import type { PlantedFile } from "../programs/plant-file.ts";
import { commandEvidence } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import { overIfAborted, type StepScope } from "../programs/scope.ts";
import type { StepContext } from "./step.ts";

type Adversary = Extract<StepSpec, { step: "adversary" }>;
type Built = Pick<Extract<Candidate, { ok: true }>, "commit" | "base">;

/** Characters of a shown attack that the next attempt reads. */
const SHOWN_CHARS = 8_000;

/** The part of an attacker's prompt that asks for an attack to run; empty if the step runs none. */
export function showAttackText({ replay }: Pick<Adversary, "replay">): string {
  if (replay === undefined) return "";
  return [
    '\n\nThe object needs one more key, whether something broke or not: "shown", the whole text of a file that shows your strongest',
    `attack. It is written to ${replay.path} in a checkout of the change, and ${replay.command.join(" ")} runs it there. The command must exit`,
    "with 0 if the change repels the attack, and with 1 if the attack gets through, as it must on the base without the change. Run what",
    "you attack in a process of its own: code under attack may end its process. These runs decide, not what you say about them.\n",
  ].join("\n");
}

/** Runs the smoke command on the candidate, in the same way as a check. Gives the evidence if it fails. */
export async function runSmoke(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  spec: Adversary,
  candidate: Built,
): Promise<Evidence | undefined> {
  if (spec.smoke === undefined) return undefined;
  const evidence = await runOnCandidate(ctx, scope, repo, { spec, candidate, command: spec.smoke, log: "smoke" });
  return evidence && { ...evidence, summary: `normal work no longer works: ${evidence.summary}` };
}

/**
 * Runs the attack that the reviewer has shown on the candidate. Gives the evidence if it gets through, and if a reviewer that has to show
 * one has shown none.
 */
export async function replayAttack(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { spec, candidate, shown }: { readonly spec: Adversary; readonly candidate: Built; readonly shown: string | undefined },
): Promise<Evidence | undefined> {
  const { name, replay } = spec;
  if (replay === undefined) return undefined;
  if (shown === undefined)
    return { step: "adversary", name, summary: "no verdict: the reviewer has shown no attack to run", detail: "" };
  const { command, path } = replay;
  const evidence = await runOnCandidate(ctx, scope, repo, {
    spec,
    candidate,
    command,
    log: "replay",
    plant: { path, text: shown },
  });
  if (evidence === undefined) return passedOnBase(ctx, scope, repo, { spec, candidate, shown });
  const detail = `${path}:\n${boundedHead(visibleText(shown), SHOWN_CHARS)}\n\n${evidence.detail}`;
  return { ...evidence, summary: `the shown attack gets through: ${evidence.summary}`, detail };
}

/** Runs the case and the shown attack on the candidate's base, where both must fail: else they say nothing about the change. */
async function passedOnBase(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  { spec, candidate, shown }: { readonly spec: Adversary; readonly candidate: Built; readonly shown: string },
): Promise<Evidence | undefined> {
  const { name, replay } = spec;
  if (replay?.before === undefined) return undefined;
  const { before, command, path } = replay;
  const base = { commit: candidate.base, base: candidate.base };
  const attack = { path, text: shown, command };
  for (const [what, { command: argv, ...plant }] of [
    ["case", before],
    ["shown attack", attack],
  ] as const) {
    const red = await runOnCandidate(ctx, scope, repo, { spec, candidate: base, command: argv, log: "before", plant });
    if (red === undefined)
      return { step: "adversary", name, summary: `no verdict: the ${what} passes on the base too`, detail: "" };
  }
  return undefined;
}

/** Runs a command on a candidate. It waits for a permit: a command may need a whole machine. */
async function runOnCandidate(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  options: {
    readonly spec: Adversary;
    readonly candidate: Built;
    readonly command: Argv;
    readonly log: string;
    readonly plant?: PlantedFile;
  },
): Promise<Evidence | undefined> {
  const { command, plant, candidate } = options;
  const { name, minutes } = options.spec;
  const label = { step: "adversary", name } as const;
  const step = { step: "check", name, command, ...(minutes === undefined ? {} : { minutes }) } as const;
  const { commit, base } = candidate;
  const toRun = { step, commit, attributesOf: base, log: `adversary-${name}-${options.log}`, purpose: undefined, plant };
  const run = () => runOnCommit(ctx, scope, repo, toRun);
  const outcome = await ctx.commandPermits.run(run, scope.signal).catch(overIfAborted(scope));
  if (!outcome.ok) return { ...outcome.evidence, ...label };
  const { result, overwritten } = outcome;
  const [first] = overwritten;
  if (first !== undefined) {
    const summary = `the command wrote over ${plainText(first, 200)}, which its result depends on`;
    return { ...label, summary, detail: boundedList(overwritten.map((path) => plainText(path, 200))) };
  }
  if (result.ending === "exited" && result.exitCode === 0) return undefined;
  return commandEvidence(label, command, result);
}
