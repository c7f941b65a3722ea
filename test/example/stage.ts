import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { setUpExample } from "../../example/setup.ts";
import { readTicketFolder } from "../../src/adapters/tracker/folder-read.ts";
import { readBatch } from "../../src/domain/batch/read.ts";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { Evidence } from "../../src/domain/run/attempt-fact.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { renderWorkerPrompt } from "../../src/loop/attempt/prompt.ts";

const execute = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const AGENT = join(ROOT, "example/agent.mjs");

const environment = {
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.invalid",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.invalid",
};

const folderTickets = await readTicketFolder(join(ROOT, "example/tickets"));

/** The example's batch as loopdash reads it, with the tickets that the example sets up. */
export const reading = readBatch(readFileSync(join(ROOT, "batch.example.json"), "utf8"), { folder: ROOT, folderTickets });
if (!reading.ok) throw new Error(reading.problems.map(({ message }) => message).join("\n"));
export const { batch } = reading;

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** The example's repositories in a folder of their own, and a way to play tickets in worktrees of them. */
export interface Stage extends AsyncDisposable {
  readonly repo: (name: string) => string;
  /** A worktree from the tip of main on a new branch. */
  worktree(repo: string, name: string): Promise<string>;
  /** Starts the agent as loopdash would, with `prompt` as its prompt; without the pauses that are for the eye. */
  startAgent(ticket: string, worktree: string, prompt: string): Promise<ChildProcess>;
  agent(ticket: string, worktree: string, prompt: string): Promise<Ended>;
}

const template = readFileSync(join(ROOT, "prompts/worker.md"), "utf8");

/** Tickets that agents find on the way, by their ids, and who finds them. */
export const FOUND: Readonly<Record<string, { readonly title: string; readonly by: string }>> = {
  "SHOP-5-d1": { title: "Print a receipt of 32 characters", by: "SHOP-5" },
  "INFRA-2-d1": { title: "Defaults in templates", by: "INFRA-2" },
  "INFRA-2-d2": { title: "Check the configuration before it is used", by: "INFRA-2" },
};

/** A ticket of the example, also one that is found on the way. */
export function ticketOf(id: string): Ticket {
  const found = FOUND[id];
  const ticket = batch.tickets.find((each) => each.id === (found?.by ?? id));
  if (ticket === undefined) throw new Error(`there is no ticket ${id}`);
  return found === undefined ? ticket : { ...ticket, id: TicketId.parse(id), title: found.title, dependsOn: [] };
}

/** The prompt that loopdash writes for a try at a ticket of the example; on a first try there is no evidence. */
export function promptFor(id: string, evidence: readonly Evidence[]): string {
  const ticket = ticketOf(id);
  const patch = evidence.length === 0 ? {} : { patch: "/nowhere/change.patch" };
  const { protect, limits } = batch;
  return renderWorkerPrompt(template, {
    ticket,
    attempt: evidence.length + 1,
    attempts: limits.attempts,
    protect,
    evidence,
    ...patch,
  });
}

/** Runs git with an environment of its own and returns what it printed. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  return (await execute("git", args, { cwd, env: environment })).stdout.trim();
}

/** Runs a program to its end; a failure is a result, not an error. */
export async function run(cwd: string, program: string, ...args: string[]): Promise<Ended> {
  return ended(spawn(program, args, { cwd, env: environment }));
}

/** Waits for the end of a process and collects what it prints. */
export function ended(child: ChildProcess): Promise<Ended> {
  return new Promise((done, failed) => {
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += String(chunk);
    });
    child.stderr?.on("data", (chunk) => {
      output += String(chunk);
    });
    child.once("error", failed);
    child.once("close", (code, signal) => done({ code: code ?? (signal === null ? -1 : 128), output }));
  });
}

/** Paths that differ from main in a worktree, committed or not. */
export async function changedPaths(worktree: string): Promise<readonly string[]> {
  await git(worktree, "add", "--all");
  const names = await git(worktree, "diff", "--cached", "--name-only", "main");
  return names === "" ? [] : names.split("\n");
}

/** Where the agent of a worktree leaves its claims. */
export function outboxOf(worktree: string): string {
  return `${worktree}.outbox`;
}

/** Sets the stage in a temporary folder. */
export async function setStage(): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), "loopdash-example-"));
  await setUpExample(join(root, "workspace"));
  const repo = (name: string) => join(root, "workspace", name);

  const startAgent = async (ticket: string, worktree: string, prompt: string) => {
    const file = `${worktree}.prompt.md`;
    await writeFile(file, prompt);
    const own = { LOOPDASH_TICKET: ticket, LOOPDASH_ATTEMPT: "1", LOOPDASH_PROMPT: file, LOOPDASH_OUTBOX: outboxOf(worktree) };
    await mkdir(own.LOOPDASH_OUTBOX, { recursive: true });
    const env = { ...environment, EXAMPLE_PACE: "0.01", ...own };
    return spawn(process.execPath, [AGENT], { cwd: worktree, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  };

  return {
    repo,
    startAgent,
    agent: async (...args) => ended(await startAgent(...args)),
    worktree: async (name, branch) => {
      const path = join(root, branch);
      await git(repo(name), "worktree", "add", "--quiet", "-b", branch, path, "main");
      return path;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
