import { constants, openSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mustRun, type Scratch } from "../children.ts";
import { loopdashArgv, loopdashEnvironment, writeBatch } from "../loopdash.ts";
import { cpuPercent } from "../processes.ts";
import { createRepository } from "../repository.ts";
import { median } from "../stats.ts";
import { endRun, enginePid, openTerminal } from "../terminal.ts";
import { agentLine } from "./scene.ts";
import { openScreen } from "./staged.ts";

const WORKERS = 64;
const LINE_MS = 50;
const SIZE = { cols: 120, rows: 30 } as const;

/** Share of a core that the real engine uses with 64 agents that print 20 lines a second: alone, and with one more dashboard. */
export interface Slowdown {
  readonly alone: number;
  readonly watched: number;
}

/**
 * Each agent is a `cat` of a pipe that this process writes to: 64 independent programs would use both cores of a small machine.
 * The run is started with a dashboard, which then leaves.
 */
export async function engineSlowdown(
  scratch: Scratch,
  options: { readonly seconds: number; readonly rounds: number },
): Promise<Slowdown> {
  const repo = await createRepository(scratch.path, "slowdown");
  const pipes = join(scratch.path, "pipes");
  await mkdir(pipes);
  const ids = Array.from({ length: WORKERS }, (_, i) => `S-${i + 1}`);
  await mustRun({
    argv: ["mkfifo", ...ids.map((id) => join(pipes, id))],
    cwd: scratch.path,
    env: loopdashEnvironment(scratch.path, ""),
  });
  const batchPath = await writeBatch(scratch.path, {
    name: "slowdown",
    repo,
    agent: ["sh", "-c", `exec cat "${pipes}/$LOOPDASH_TICKET"`],
    workers: WORKERS,
    tickets: ids.map((id) => ({ id })),
  });
  // Opened for reading too: otherwise the open waits for the reader.
  const ends = ids.map((id) => openSync(join(pipes, id), constants.O_RDWR | constants.O_NONBLOCK));
  let said = 0;
  const talking = setInterval(() => {
    said += 1;
    for (const [i, end] of ends.entries()) tryWrite(end, `${agentLine(i, said)}\n`);
  }, LINE_MS);
  const home = join(scratch.path, "slowdown-state");
  const terminal = openTerminal({ scratch: scratch.path, home, args: [batchPath] });
  try {
    await terminal.seen("AT WORK 64 of 64");
    return await compare(scratch, home, options);
  } finally {
    clearInterval(talking);
    await endRun(terminal, scratch.path, home);
  }
}

/** In turn, so that a busy moment affects both alike: with one dashboard, and with two. */
async function compare(
  scratch: Scratch,
  home: string,
  { rounds, seconds }: { readonly seconds: number; readonly rounds: number },
): Promise<Slowdown> {
  const pid = await enginePid(scratch.path, home);
  const [alone, watched]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await cpuPercent([pid], seconds)));
    const screen = openScreen(scratch, home, loopdashArgv("attach"), SIZE);
    await screen.until(() => screen.text().includes("AT WORK"));
    await sleep(1_000);
    watched.push(...(await cpuPercent([pid], seconds)));
    await screen.end();
    await sleep(500);
  }
  return { alone: median(alone), watched: median(watched) };
}

/** A full pipe means that the agent is still starting: it misses a line. */
function tryWrite(end: number, line: string): void {
  try {
    writeSync(end, line);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
  }
}
