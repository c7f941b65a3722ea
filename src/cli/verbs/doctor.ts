import { findSandbox } from "../../adapters/sandbox/find-sandbox.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { errorMessage, jsonText, plainText, plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import {
  checkAgentProgram,
  checkApiKeys,
  checkBatchCommands,
  checkHooks,
  checkInvariants,
  checkRepositories,
  checkTestCommands,
} from "../doctor/batch.ts";
import { bad, type CheckResult, checkLines, ok, plainCheck, type Status } from "../doctor/check-result.ts";
import { checkGuard } from "../doctor/guard.ts";
import { checkOpenHosts } from "../doctor/hosts.ts";
import { checkLogins } from "../doctor/logins.ts";
import { checkModelApis } from "../doctor/model-api.ts";
import { checkNode } from "../doctor/node.ts";
import { checkPrepare } from "../doctor/prepare.ts";
import { checkGit, checkPrograms } from "../doctor/programs.ts";
import { checkSandbox } from "../doctor/sandbox.ts";
import { checkBatchSecrets } from "../doctor/secrets.ts";
import { checkStateFolder } from "../doctor/state-folder.ts";
import { checkTerminal } from "../doctor/terminal.ts";
import { checkTracker, checkWebhook } from "../doctor/tracker.ts";
import { findReports, findRules, findTestCommands } from "../engine/find-in-bases.ts";
import { type LoadedBatch, loadBatch } from "../engine/load-batch.ts";
import { guardProgram } from "../guard/worker-program.ts";
import { writeAll } from "../print.ts";
import { stateHome } from "../state-home.ts";
import { VERSION } from "../version.ts";

interface DoctorOptions {
  readonly batch?: string;
  readonly json: boolean;
  /** True to run the prepare commands of the batch's repositories too. */
  readonly prepare: boolean;
}

const NO_BATCH = {
  what: "--prepare needs a batch file",
  why: "the prepare commands are the batch's",
  todo: "Write: loopdash doctor batch.json --prepare",
  exitCode: EXIT.usage,
};

/**
 * Checks everything that a run needs, and with a batch everything that this one needs. Changes nothing and leaves nothing behind, but
 * for the results that `--prepare` keeps for the next run.
 * Exit 0 if nothing is bad, 4 if a run would be refused or could not be trusted.
 */
export async function doctor({ batch: file, json, prepare }: DoctorOptions): Promise<number> {
  if (prepare && file === undefined) throw new UserError(NO_BATCH);
  const batch = file === undefined ? undefined : await readBatch(file);
  const findings = await findingsOf(batch, prepare);
  writeAll(1, json ? asJson(findings, batch?.loaded?.path) : asLines(findings, batch === undefined));
  return exitOf(findings);
}

/** The same for a batch file that was just written and read: prints only what is not in order, and the numbers. */
export async function doctorBriefly(loaded: LoadedBatch): Promise<number> {
  const findings = await findingsOf(lookAt(loaded), false);
  const { ok: fine, warn, bad: wrong } = countsOf(findings);
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.filter(({ status }) => status !== "ok").flatMap((finding) => checkLines(finding, width));
  writeAll(1, `${[...lines, `doctor: ${fine} ok, ${warn} warn, ${wrong} bad`].join("\n")}\n`);
  return exitOf(findings);
}

async function findingsOf(batch: BatchLook | undefined, prepare: boolean): Promise<readonly CheckResult[]> {
  const checks = (await Promise.all(checksOf(batch?.loaded, prepare))).flat();
  return [...(batch?.findings ?? []), ...checks].map(plainCheck);
}

function exitOf(findings: readonly CheckResult[]): number {
  return findings.some(({ status }) => status === "bad") ? EXIT.refused : 0;
}

/** The checks, in the order of display. */
function checksOf(loaded: LoadedBatch | undefined, prepare: boolean): readonly Promise<readonly CheckResult[]>[] {
  const { env, stdin, stdout, execPath, versions } = process;
  const home = stateHome(env, process.cwd());
  const mode = loaded?.batch.sandbox ?? "required";
  const path = env["PATH"] ?? "";
  // A batch that requires a sandbox does not start without one.
  const isConfined = async () => mode === "required" || (mode === "auto" && (await findSandbox({ path })).ok);
  return [
    guarded("node", () => checkNode({ node: execPath, version: versions.node })),
    guarded("git", () => checkGit(env)),
    guarded("sandbox", () => checkSandbox({ find: findSandbox, path, place: home.root, mode })),
    guarded("state-folder", () => checkStateFolder(home)),
    guarded("terminal", () => checkTerminal({ env, stdin, stdout })),
    guarded("stray-keys", () => checkApiKeys(env, loaded, isConfined)),
    guarded("program", () => checkPrograms({ env, loaded })),
    ...(loaded === undefined
      ? []
      : [
          guarded("repository", () => checkRepositories(loaded, env)),
          guarded("agent", () => checkAgentProgram(loaded, env)),
          guarded("guard", () => checkGuard({ batch: loaded.batch, find: findSandbox, program: guardProgram(), path })),
          guarded("tests", () => checkTestCommands(loaded)),
          guarded("hooks", () => checkHooks(loaded)),
          guarded("invariants", () => checkInvariants(loaded)),
          guarded("commands", () => checkBatchCommands(loaded, { env, state: home.root })),
          guarded("secret", () => checkBatchSecrets(loaded, env)),
          guarded("login", () => checkLogins(loaded, env)),
          guarded("tracker", () => checkTracker(loaded, home, path)),
          guarded("webhook", () => checkWebhook(loaded, home)),
          guarded("model-api", () => checkModelApis(loaded, env)),
          guarded("host", () => checkOpenHosts(loaded, { env, state: home.root })),
          ...(prepare ? [guarded("prepare", () => checkPrepare(loaded, { env, cwd: process.cwd() }))] : []),
        ]),
  ];
}

/** A check that fails to run is bad as well, and does not stop the others. */
async function guarded(
  check: string,
  look: () => readonly CheckResult[] | Promise<readonly CheckResult[]>,
): Promise<readonly CheckResult[]> {
  try {
    return await look();
  } catch (error) {
    const why = errorMessage(error);
    return [bad(check, `the check failed: ${why}`, "Fix what it names and ask again.")];
  }
}

/** A batch and what was found about it; a repository that cannot be read does not keep it from being looked at. */
interface BatchLook {
  readonly loaded?: LoadedBatch;
  readonly findings: readonly CheckResult[];
}

/** Reads the batch file and its tickets once. If the repositories cannot be looked into, it is read without their test commands. */
async function readBatch(file: string): Promise<BatchLook> {
  try {
    const problems: CheckResult[] = [];
    const find =
      <T>(check: string, look: (repos: Batch["repos"]) => Promise<Readonly<Record<string, T>>>) =>
      async (repos: Batch["repos"]) => {
        try {
          return await look(repos);
        } catch (error) {
          if (error instanceof UserError) throw error;
          problems.push(bad(check, `cannot be looked for: ${errorMessage(error)}`, "Fix what it names and ask again."));
          return {};
        }
      };
    const finders = { findTests: find("tests", findTestCommands), findReports, findRules: find("boundaries", findRules) };
    return lookAt(await loadBatch(file, { cwd: process.cwd(), ...finders }), problems);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { findings: [bad("batch", `${error.what}: ${error.why}`, error.todo)] };
  }
}

function lookAt(loaded: LoadedBatch, problems: readonly CheckResult[] = []): Required<BatchLook> {
  const { name, tickets } = loaded.batch;
  return { loaded, findings: [ok("batch", `"${name}", ${plural(tickets.length, "ticket")}`), ...problems] };
}

function asJson(checks: readonly CheckResult[], batch: string | undefined): string {
  const counts = countsOf(checks);
  const answer = {
    loopdash: VERSION,
    batch: batch === undefined ? null : plainText(batch),
    ok: counts.bad === 0,
    counts,
    checks,
  };
  return jsonText(answer, 2);
}

function asLines(findings: readonly CheckResult[], withoutBatch: boolean): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap((finding) => checkLines(finding, width));
  const { ok: fine, warn, bad: wrong } = countsOf(findings);
  const hint = withoutBatch ? ["add a batch file to check its repositories, agent and tracker too"] : [];
  return `${[...lines, "", `${fine} ok, ${warn} warn, ${wrong} bad${whichAre(findings)}`, ...hint].join("\n")}\n`;
}

/** Names of the bad checks: their lines may have scrolled away. */
function whichAre(findings: readonly CheckResult[]): string {
  const names = new Set(findings.flatMap(({ status, check }) => (status === "bad" ? [check] : [])));
  return names.size === 0 ? "" : `: ${[...names].join(", ")}`;
}

function countsOf(findings: readonly CheckResult[]): Readonly<Record<Status, number>> {
  const of = (status: Status): number => findings.filter((finding) => finding.status === status).length;
  return { ok: of("ok"), warn: of("warn"), bad: of("bad") };
}
