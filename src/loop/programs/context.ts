import type { Argv } from "../../domain/batch/argv.ts";
import type { ReviewerParty } from "../../domain/batch/party.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { SuiteFact } from "../../domain/run/suite-fact.ts";
import type { EngineClock } from "../../ports/clock.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Harness } from "../../ports/harness.ts";
import type { PreparedTrees } from "../../ports/prepared-trees.ts";
import type { RunFiles } from "../../ports/run-files.ts";
import type { StepSecrets } from "../../ports/secrets.ts";
import type { TestResultsReader } from "../../ports/test-results.ts";
import type { Outages } from "../concurrency/outages.ts";

/** The context that programs run in. */
export interface ProgramContext {
  readonly batch: Batch;
  readonly executor: Executor;
  readonly clock: EngineClock;
  readonly files: RunFiles;
  readonly testReports: TestResultsReader;
  /** The prompts of workers and the named transients; a heal may change them. */
  readonly harness: Harness;
  /** Kept preparations; absent if nothing can be kept. */
  readonly preparedTrees?: PreparedTrees;
  /** The environment of prepare, check and verify commands, from the allow-list. */
  readonly commandEnv: Readonly<Record<string, string>>;
  /** The PATH of commands and agents in repositories that want other toolchains than those of `commandEnv`. */
  readonly toolchainPaths: ReadonlyMap<string, string>;
  /**
   * Variables, PATH among them, with which version managers obey no file of a checkout, by repository: for commands that have a
   * secret or run outside the sandbox.
   */
  readonly carefulToolchains?: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The secrets of steps; absent if the batch has none. */
  readonly stepSecrets?: StepSecrets;
  /** True if agents and the commands of steps run in the sandbox. */
  readonly confined: boolean;
  /** True if the sandbox can lay a writable layer over a checkout; see Sandbox. */
  readonly layers: boolean;
  /** The place of the harness's scripts in an agent's sandbox; absent if it shows every folder at its own path. */
  readonly toolsPlace?: string;
  /** Files that the agent's command names: a confined agent may read them, wherever they are. */
  readonly agentFiles: readonly string[];
  /** The files of the batch's folder that a step's or a prepare command names: its sandbox shows them, read-only. */
  readonly commandFiles: (command: Argv) => readonly string[];
  /** Files that each reviewer's program needs to read; see agentFiles. */
  readonly reviewerFiles: Readonly<Record<ReviewerParty, readonly string[]>>;
  readonly outages: Outages;
  /** The state of the run. */
  state(): RunState;
  /** Reports a run of a check's command. */
  report(fact: SuiteFact): unknown;
}
