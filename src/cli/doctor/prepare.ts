import { realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import { describeMeasured, type MeasuredCheck } from "../../domain/run/base-measure.ts";
import type { RunFact } from "../../domain/run/event.ts";
import { checksToMeasure } from "../../domain/run/reduce-base-measure.ts";
import { initialState } from "../../domain/run/reduce-start.ts";
import type { RunState } from "../../domain/run/state.ts";
import { RepoId } from "../../domain/values/ids.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { confineCommand, opened, sandboxCheckoutPath } from "../../loop/programs/confine.ts";
import { prepareBase } from "../../loop/programs/prepare.ts";
import type { ResultsContext } from "../../loop/steps/base-results.ts";
import { measureCheck, measuringScope } from "../../loop/steps/measure-base.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { measuringContext } from "../engine/loop-context.ts";
import { newRunId } from "../engine/open-run.ts";
import { preflight, type RunEnvironment } from "../engine/preflight.ts";
import { secretsOf } from "../engine/run-secrets.ts";
import { writeNote } from "../print.ts";
import { prepareStateHome, stateHome } from "../state-home.ts";
import { VERSION } from "../version.ts";
import { bad, type CheckResult, ok, warn } from "./check-result.ts";
import { withProbeFolder } from "./probe-folder.ts";

/** Lines of a failed command's output that are shown. */
const SHOWN_LINES = 15;

/**
 * Prepares each repository and runs its checks on the base as a run does: in the sandbox, in pristine checkouts, within the batch's
 * limits. What can be kept is kept for the next run, which then does not pay for it again; everything else is removed.
 */
export async function checkPrepare(
  loaded: LoadedBatch,
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<readonly CheckResult[]> {
  const secrets = secretsOf(loaded.batch, { folder: loaded.folder, env: options.env });
  let world: RunEnvironment;
  try {
    world = await preflight(loaded, { ...options, secrets, isLookOnly: true });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [bad("prepare", `${error.what}: ${error.why}`, error.todo)];
  }
  const home = stateHome(options.env, options.cwd);
  prepareStateHome(home);
  const store = openRunStore(home.db);
  try {
    await secrets?.secrets.preload();
    return await withProbeFolder(realpathSync(tmpdir()), async (folder) => {
      const state = plannedState(loaded, world);
      const ctx = await measuringContext({ state, folder, world, home, store, secrets, loaded });
      const results: CheckResult[] = [];
      for (const [name, repo] of world.repos) results.push(...(await measureRepo(ctx, { name, repo, folder, state })));
      return results.length > 0 ? results : [ok("prepare", "no repository of the batch has prepare commands or checks")];
    });
  } finally {
    store.close();
  }
}

/** A run of this batch as it would begin. Nobody records it. */
function plannedState({ batch, path }: LoadedBatch, { sandbox }: Pick<RunEnvironment, "sandbox">): RunState {
  const at = Date.now();
  const started: Extract<RunFact, { type: "run-started" }> = {
    type: "run-started",
    run: newRunId(batch.name, new Date(at)),
    batch,
    batchPath: path,
    ...{ oracleSha: "", batchSha: "", sandboxed: sandbox !== undefined, version: VERSION },
    ...{ settled: [], durations: {}, spentTodayUsd: 0 },
  };
  return initialState({ ...started, seq: 1, at });
}

interface Measuring {
  readonly name: string;
  readonly repo: Repo;
  readonly folder: string;
  readonly state: RunState;
}

/** Prepares one repository, and runs its checks if that has worked. */
async function measureRepo(ctx: ResultsContext, measuring: Measuring): Promise<readonly CheckResult[]> {
  const { name, repo, state } = measuring;
  if (!state.plan.tickets.some((ticket) => ticket.repo === name)) return [];
  const commit = await repo.baseTip();
  const prepared: { ms: number; reused: boolean; why?: string; canNameInputs?: true }[] = [];
  const scope = await measuringScope(ctx, name, {
    marker: `doctor-${measuring.folder}`,
    signal: new AbortController().signal,
    onPrepared: (fact) => prepared.push(fact),
  });
  writeNote(`${name}: preparing ${commit.slice(0, 7)}`);
  const path = join(measuring.folder, "prepared", name);
  await mkdir(join(measuring.folder, "prepared"), { recursive: true });
  await repo.checkout({ commit, path, attributesOf: commit });
  const shown = { from: path, at: sandboxCheckoutPath(ctx, repo, path), write: true };
  const confinement = opened(ctx, confineCommand(ctx, repo, { mounts: [shown] }), "prepare", { isTold: true, hasHeaders: true });
  const { failed, remedy } = await prepareBase(ctx, scope, repo, { cwd: path, commit, confinement });
  if (failed !== undefined) {
    const lines = failed.detail.trimEnd().split("\n").slice(-SHOWN_LINES);
    return [bad("prepare", [`${name}: ${failed.summary}`, ...lines].join("\n"), remedy ?? "Run it in a fresh clone to see why.")];
  }
  const results: CheckResult[] = prepared.slice(0, 1).map(({ ms, reused, why, canNameInputs }) => {
    const hint = canNameInputs === true ? '; "inputs" would name the files that it reads' : "";
    const how = reused ? "prepared from a kept copy" : `prepared in ${(ms / 1_000).toFixed(1)} s`;
    return ok("prepare", `${name}: ${how}${why === undefined || why === "" ? "" : `; not kept: ${why}`}${hint}`);
  });
  for (const step of checksToMeasure(state, RepoId.parse(name))) {
    writeNote(`${name}: running the check ${step.name} on ${commit.slice(0, 7)}`);
    results.push(measuredResult(name, await measureCheck(ctx, scope, repo, { step, commit })));
  }
  return results;
}

function measuredResult(repo: string, measured: MeasuredCheck): CheckResult {
  const took = measured.ms === undefined ? ", as measured before" : ` (${(measured.ms / 1_000).toFixed(1)} s)`;
  const found = `${repo}: ${describeMeasured(measured)}${took}`;
  switch (measured.as) {
    case "cannot-run":
      return bad("base", found, "Mend what it needs: no agent starts on this repository before.");
    case "red":
      return measured.tests === undefined
        ? warn("base", found, "Mend the base first, or let a ticket do it.")
        : ok("base", found);
    case "passed":
      return ok("base", found);
  }
}
