import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import { removeFolder } from "../../adapters/remove-folder.ts";
import { casePath } from "../../domain/improve/goal.ts";
import { renderLog } from "../../domain/improve/loop-log.ts";
import {
  emptyTail,
  type Iteration,
  type LoopState,
  loopCounts,
  openIteration,
  withIteration,
} from "../../domain/improve/loop-state.ts";
import { jsonText, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { formatUsd } from "../../store/format.ts";
import { startOfDay } from "../engine/day-budget.ts";
import type { ImproveFlags } from "../improve/flags.ts";
import { type GoalFile, isUnchanged, readGoalFile } from "../improve/goal-file.ts";
import { iterate, StageStopped } from "../improve/iterate.ts";
import { LoopFolder } from "../improve/loop-folder.ts";
import { makeScratch, readCommitted, SCRATCH, tipOf } from "../improve/scratch.ts";
import { writeAll } from "../print.ts";
import { prepareStateHome, type StateHome, stateHome } from "../state-home.ts";
import { writeWhole } from "../write-whole.ts";

/** Finds and mends one defect after another, by a goal file. Returns 0 only if nothing material is left. */
export async function improve(flags: ImproveFlags): Promise<number> {
  const file = await readGoalFile(flags.goal, process.cwd());
  const home = stateHome(process.env, process.cwd());
  const folder = LoopFolder.of(home, file.path);
  if (flags.status === true) return printStatus(file, folder, flags);
  prepareStateHome(home);
  if (flags.tell !== undefined) {
    folder.tell(flags.tell);
    return print("the next iteration takes it, and counts it as an intervention", EXIT.done);
  }
  const holder = { pid: process.pid, run: file.goal.name, since: Date.now() };
  const lock = createLocks(home.locks).take([`improve ${file.path}`], holder);
  if (!lock.ok)
    throw refused(
      "this goal is being worked already",
      `pid ${lock.holder?.pid ?? "unknown"} works by it`,
      "Wait, or end it by Ctrl-C.",
    );
  const interrupted = interruptions();
  try {
    return await new Loop({ file, flags, home, folder, leaving: interrupted.signal }).run();
  } catch (error) {
    if (!(error instanceof StageStopped)) throw error;
    return print(`stopped: ${plainText(error.message, 300)}. The same command goes on.`, error.exitCode);
  } finally {
    interrupted.release();
    for (const each of lock.locks) each[Symbol.dispose]();
  }
}

interface LoopOptions {
  readonly file: GoalFile;
  readonly flags: ImproveFlags;
  readonly home: StateHome;
  readonly folder: LoopFolder;
  /** Aborts once a person wants the loop to end. */
  readonly leaving: AbortSignal;
}

class Loop {
  readonly #options: LoopOptions;
  readonly #folder: LoopFolder;
  #state: LoopState;

  constructor(options: LoopOptions) {
    const { file, flags, folder } = options;
    const { sha: goalSha } = file;
    this.#options = options;
    this.#folder = flags.dryRun === true ? folder.rehearsal(Date.now()) : folder;
    const before = folder.read() ?? { goalSha, from: 1, hasEnded: false, iterations: [] };
    const open = openIteration(before);
    if (open !== undefined && before.goalSha !== goalSha && flags.acceptChanges !== true)
      throw refused(
        "the goal file was changed",
        `iteration ${open.n} began by another text of it, and has not ended`,
        "Take the change back, or continue with --accept-changes.",
      );
    const iterations = flags.dryRun === true ? before.iterations.filter(({ result }) => result !== undefined) : before.iterations;
    const from = before.hasEnded ? (iterations.at(-1)?.n ?? 0) + 1 : before.from;
    this.#state = { goalSha, from, hasEnded: false, iterations };
  }

  async run(): Promise<number> {
    const open = openIteration(this.#state);
    if (open !== undefined) this.#forgetTold(open);
    for (;;) {
      const iteration = openIteration(this.#state) ?? (await this.#begin());
      if (typeof iteration === "number") return iteration;
      const code = await this.#pause(await this.#work(iteration));
      if (code !== undefined) return code;
    }
  }

  /** Tells an iteration, and waits for the time of the next one. Gives the exit code if there is none. */
  async #pause(ended: Iteration): Promise<number | undefined> {
    const { flags, leaving, file } = this.#options;
    const ms = file.goal.minutesBetween * 60_000;
    const isOnly = flags.once === true || flags.dryRun === true;
    this.#tell(ended, isOnly || leaving.aborted ? undefined : Date.now() + ms);
    if (isOnly && !leaving.aborted) return ended.result === "held" || ended.result === "nothing" ? EXIT.done : EXIT.notDone;
    await wait(ms, undefined, { signal: leaving }).catch(() => undefined);
    return leaving.aborted ? print("ended: a person asked for it. The same command goes on.", EXIT.interrupted) : undefined;
  }

  /** Begins an iteration, if the loop goes on; else gives the exit code. The money is looked at first, within the loop's lock. */
  async #begin(): Promise<Iteration | number> {
    const { file, flags } = this.#options;
    const { goal } = file;
    if (!isUnchanged(file))
      return this.#end("the goal file was changed while the loop ran: start it again to work by it", EXIT.refused);
    const told = this.#options.folder.told();
    const tail = emptyTail(this.#state);
    if (tail.length >= goal.emptyInARow && told.length === 0 && flags.once !== true && flags.dryRun !== true) {
      const isOpen = this.#state.iterations.some(({ n, result }) => n >= this.#state.from && result === "dropped");
      const isClean = !isOpen && tail.slice(-goal.emptyInARow).every((result) => result === "nothing" || result === "repeated");
      return this.#end(`nothing material in ${goal.emptyInARow} proposals in a row`, isClean ? EXIT.done : EXIT.notDone);
    }
    const { usdPerDay, usdPerIteration } = goal.budget;
    const today = this.#spentToday();
    if (today + usdPerIteration > usdPerDay)
      return this.#end(`${formatUsd(today)} of ${formatUsd(usdPerDay)} are spent today: no room for an iteration`, EXIT.notDone);
    const n = (this.#state.iterations.at(-1)?.n ?? 0) + 1;
    const at = Date.now();
    const folder = this.#folder.iteration({ n, at });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const scratch = join(folder, SCRATCH);
    await makeScratch(scratch, goal);
    const base = await tipOf(scratch, goal.repo.base);
    const attack = casePath(goal, "attack");
    if ((await readCommitted(scratch, base, attack)) !== undefined)
      throw refused("the place of a verifier's attack is taken", `${attack} is in the repository`, "Change regression.path.");
    let number = n;
    while ((await readCommitted(scratch, base, casePath(goal, number))) !== undefined) number += 1;
    const iteration: Iteration = { n, at, base, path: casePath(goal, number), told, usd: 0 };
    this.#record(iteration);
    this.#forgetTold(iteration);
    return iteration;
  }

  /** Takes each told text once, also after a kill between the two writes. A rehearsal takes nothing. */
  #forgetTold({ told }: Iteration): void {
    if (this.#options.flags.dryRun !== true) this.#options.folder.forget(told);
  }

  async #work(iteration: Iteration): Promise<Iteration> {
    const { file, flags } = this.#options;
    const { headless } = await import("./headless.ts");
    const common = { verb: "run", output: "headless", fresh: false, detach: false, dryRun: false, acceptChanges: false } as const;
    const ended = await iterate(
      {
        goal: file.goal,
        folder: this.#folder,
        state: this.#state,
        isRehearsal: flags.dryRun === true,
        run: (batch) => headless({ ...common, batch, allowApiKey: flags.allowApiKey === true, isOneOfMany: true }),
        record: (each) => this.#record(each),
      },
      iteration,
    );
    this.#record(ended);
    writeWhole(this.#folder.log, renderLog(file.goal.name, this.#state.iterations));
    if (flags.dryRun !== true) await removeFolder(join(this.#folder.iteration(ended), SCRATCH));
    return ended;
  }

  #record(iteration: Iteration): void {
    this.#state = withIteration(this.#state, iteration);
    this.#folder.write(this.#state);
  }

  #end(why: string, exitCode: number): number {
    this.#state = { ...this.#state, hasEnded: true };
    this.#folder.write(this.#state);
    return print(`ended: ${why}. ${countsLine(this.#state)}`, exitCode);
  }

  #spentToday(): number {
    const store = openRunStore(this.#options.home.db);
    try {
      return store.spentSince(startOfDay(Date.now()));
    } finally {
      store.close();
    }
  }

  /** The line between two iterations. */
  #tell({ n, finding, result, why, commit, usd }: Iteration, next: number | undefined): void {
    const what =
      finding === undefined ? "" : ` ${finding.severity} ${plainText(finding.title, 80)} (${plainText(finding.file, 80)}):`;
    const end = [result, commit?.slice(0, 7), why].filter((part) => part !== undefined).join(" ");
    const money = `${formatUsd(usd)}; today ${formatUsd(this.#spentToday())} of ${formatUsd(this.#options.file.goal.budget.usdPerDay)}`;
    const then = next === undefined ? "" : `; next at ${new Date(next).toTimeString().slice(0, 5)}`;
    print(`iteration ${n}:${what} ${end}; ${money}${then}`, 0);
    if (this.#options.flags.dryRun === true) print(`nothing has landed; its copy is ${this.#folder.path}`, 0);
  }
}

function printStatus({ goal }: GoalFile, folder: LoopFolder, { json }: ImproveFlags): number {
  const state = folder.read() ?? { goalSha: "", from: 1, hasEnded: false, iterations: [] };
  const { iterations } = state;
  const text = `${renderLog(goal.name, iterations)}\n${countsLine(state)}\n`;
  writeAll(1, json === true ? jsonText({ ...loopCounts(state), log: iterations }, 2) : text);
  return EXIT.done;
}

function countsLine(state: LoopState): string {
  const { iterations, findings, held, usd, usdPerHeld, interventions } = loopCounts(state);
  const found = Object.entries(findings).map(([severity, count]) => `${count} ${severity}`);
  const each = usdPerHeld === undefined ? "" : `, ${formatUsd(usdPerHeld)} for each that held`;
  return `${iterations} iterations; findings: ${found.join(", ")}; ${held} held; ${formatUsd(usd)}${each}; ${interventions} interventions`;
}

/** The first SIGINT lets the iteration end, and a second one stops its run in order, as SIGTERM does. */
function interruptions(): { readonly signal: AbortSignal; release(): void } {
  const leaving = new AbortController();
  const listener = (): void => {
    if (leaving.signal.aborted) return void process.kill(process.pid, "SIGTERM");
    leaving.abort();
    print("ends after this iteration; Ctrl-C again stops it now", 0);
  };
  process.on("SIGINT", listener);
  return { signal: leaving.signal, release: () => process.off("SIGINT", listener) };
}

function print(text: string, exitCode: number): number {
  writeAll(1, `improve: ${text}\n`);
  return exitCode;
}

function refused(what: string, why: string, todo: string): UserError {
  return new UserError({ what, why, todo, exitCode: EXIT.refused });
}
