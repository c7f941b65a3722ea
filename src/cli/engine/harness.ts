import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openRunHarness } from "../../adapters/harness/run-harness.ts";
import type { HarnessFile } from "../../domain/run/heal-fact.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { ticketRepo } from "../../loop/attempt/context.ts";
import { readTransientClasses, unfitForHarness } from "../../loop/heal/harness-check.ts";
import type { Harness, HarnessTexts } from "../../ports/harness.ts";
import type { Repo } from "../../ports/vcs.ts";
import { packageFiles } from "../package-files.ts";
import type { StateHome } from "../state-home.ts";

/** The run's own copy of the harness. Throws a UserError (exit 4) if the shipped one cannot be used. */
export async function harnessOf({
  run,
  folder,
  home,
  repos,
  state,
}: {
  readonly run: RunId;
  /** The run's folder. */
  readonly folder: string;
  readonly home: Pick<StateHome, "harness">;
  readonly repos: ReadonlyMap<string, Repo>;
  readonly state: () => Pick<RunState, "heals">;
}): Promise<Harness> {
  return openRunHarness({
    run,
    folder: join(folder, "harness"),
    home: home.harness,
    shipped: await shippedHarness(),
    repos: [...repos.values()].map(({ id }) => id),
    version: (repo) => state().heals.versions[repo] ?? 0,
    identity: (repo) => ticketRepo({ repos }, { repo }).identity(),
    unfit: unfitForHarness,
    classesOf: readTransientClasses,
    warn: (problem) => process.emitWarning(problem),
  });
}

/** A run whose own harness is broken would fail for the wrong reason. */
async function shippedHarness(): Promise<HarnessTexts> {
  return {
    "worker.md": await shipped("worker.md"),
    "hints.md": await shipped("hints.md"),
    "transients.json": await shipped("transients.json"),
  };
}

async function shipped(name: HarnessFile): Promise<string> {
  const file = join(packageFiles().prompts, name);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unusable(file, errorMessage(error));
  });
  const unfit = unfitForHarness(name, text);
  if (unfit !== undefined) throw unusable(file, `it ${unfit}`);
  return text;
}

function unusable(file: string, why: string): UserError {
  return new UserError({
    what: `the harness's file ${file} cannot be used`,
    why,
    todo: "Install loopdash again, or put the file right.",
    exitCode: EXIT.refused,
  });
}
