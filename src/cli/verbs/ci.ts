import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CiResult, ciResult } from "../../domain/ci/ci-result.ts";
import { CI_TICKET } from "../../domain/ci/ci-run.ts";
import { jsonText, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { type BatchParts, batchFileFor, type CiBatchFile, lastState, unfinishedLoop } from "../ci/batch-file.ts";
import { composeBatch, ownRun, preparationIn } from "../ci/compose-batch.ts";
import { type CiTarget, findTarget } from "../ci/find-target.ts";
import { mustHaveWorkflow } from "../ci/find-workflow.ts";
import type { CiFlags } from "../ci/flags.ts";
import { planLines, planOf } from "../ci/plan.ts";
import { resultLines } from "../ci/result-lines.ts";
import { agentText, keptLines, startLines } from "../ci/start-lines.ts";
import { printUserError, writeAll, writeNote } from "../print.ts";
import { onSignalsUntil } from "../signals.ts";
import { runFolder, stateHome } from "../state-home.ts";
import { isInteractive } from "../terminal.ts";

/**
 * Works on the checks of a branch until they pass: one ticket of an ordinary run, whose change lands on the branch itself. Returns 0 only
 * if the oracle says done and the ticket is not left to a person.
 */
export async function ci(flags: CiFlags): Promise<number> {
  const begun: Begun = {};
  const release = onSignalsUntil(() => process.exit(leave(flags, begun)));
  try {
    return await loop(flags, { begun, release });
  } catch (error) {
    if (flags.json === true && error instanceof UserError) writeAll(1, refusalText(error));
    throw error;
  } finally {
    release();
  }
}

/** The loop that this process has begun, or goes on with. */
interface Begun {
  result?: () => CiResult | undefined;
}

/** Tells what a signal ended before the engine could take it, and gives the exit code. */
function leave(flags: CiFlags, { result }: Begun): number {
  const told = result?.();
  if (told?.stopReason === "interrupted") return show(told, flags);
  const error = new UserError({
    what: "loopdash ci was interrupted",
    why: "a signal ended it before anything was begun",
    todo: "Nothing was changed. The same command starts it.",
    exitCode: EXIT.interrupted,
  });
  if (flags.json === true) writeAll(1, refusalText(error));
  printUserError(error);
  return error.exitCode;
}

/** A refusal for programs, which have no other document then: `what`, `why` and `todo` are what people read. */
function refusalText({ what, why, todo, exitCode }: UserError): string {
  return jsonText({ error: { what, why, todo }, exitCode }, 2);
}

async function loop(
  flags: CiFlags,
  { begun, release }: { readonly begun: Begun; readonly release: () => void },
): Promise<number> {
  const [cwd, env] = [process.cwd(), process.env];
  const target = await findTarget(flags, { cwd, env });
  if (flags.workflow !== undefined) await mustHaveWorkflow(target, flags.workflow);
  const batch = await composeBatch(target, flags, { cwd, env, tell: (line) => writeNote(line.trim()) });
  const home = stateHome(env, cwd);
  if (flags.dryRun === true)
    return showPlan(target, flags, { asked: batch, file: unfinishedLoop(home, target, batch) ?? { batch } });
  const file = batchFileFor(home, target, batch);
  const { path } = file;
  for (const line of startLines({ target, flags, file, asked: batch })) writeNote(line);
  const result = (): CiResult | undefined => {
    const state = existsSync(home.db) ? lastState(path) : undefined;
    if (state === undefined) return undefined;
    const folder = join(runFolder(home, state.run), "tickets", CI_TICKET);
    return ciResult(state, { branch: plainText(target.branch, 100), folder });
  };
  begun.result = result;
  await runBatch(path, flags, release);
  const ended = result();
  return ended === undefined ? EXIT.notDone : show(ended, flags);
}

/** Runs the loop as any other batch: in this process, or in its own beside a dashboard. Calls `release` once signals are theirs. */
async function runBatch(batch: string, { headless: isHeadless, json, allowApiKey }: CiFlags, release: () => void): Promise<void> {
  const options = {
    fresh: false,
    detach: false,
    dryRun: false,
    // Those of its limits: the person who starts it again has named them.
    acceptChanges: true,
    allowApiKey: allowApiKey === true,
  } as const;
  if (json !== true && isHeadless !== true && isInteractive()) {
    const { run } = await import("./run.ts");
    release();
    await run({ verb: "run", batch, output: "auto", ...options });
    return;
  }
  const { headless } = await import("./headless.ts");
  await headless({
    verb: "run",
    batch,
    output: "headless",
    onStoppable: release,
    ...options,
    fd: json === true ? (2 as const) : undefined,
  });
}

async function showPlan(
  target: CiTarget,
  flags: CiFlags,
  { asked, file }: { readonly asked: BatchParts; readonly file: Omit<CiBatchFile, "path"> },
): Promise<number> {
  for (const line of keptLines({ flags, file, asked })) writeNote(line);
  const known = { agent: agentText(file.batch["agent"]), preparation: preparationIn(file.batch), resumes: file.resumes };
  const plan = await planOf(target, flags, { ...known, ignoredRun: ownRun(process.env) });
  writeAll(1, flags.json === true ? jsonText(plan, 2) : lines(planLines(plan)));
  return EXIT.done;
}

function show(result: CiResult, { json }: CiFlags): number {
  writeAll(1, json === true ? jsonText(result, 2) : lines(resultLines(result)));
  return result.exitCode;
}

function lines(all: readonly string[]): string {
  return `${all.map((line) => plainText(line)).join("\n")}\n`;
}
