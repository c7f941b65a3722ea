import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { isAlive, parseStat, processId } from "../../../src/adapters/executor/process-id.ts";
import type { ProcessId } from "../../../src/ports/executor.ts";
import { until } from "./support.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process that sleeps, in a group of its own. */
async function sleeper(env: Record<string, string> = {}): Promise<ProcessId> {
  const child = spawn("/bin/sleep", ["1000"], { detached: true, stdio: "ignore", env });
  children.push(child);
  await once(child, "spawn");
  const id = processId(child.pid ?? -1);
  if (id === undefined) throw new Error("there is no sleeper");
  return id;
}

describe("who a process is", () => {
  it("reads the start time past any name", () => {
    const numbers = Array.from({ length: 49 }, (_, i) => String(i + 4));
    for (const name of ["sleep", "a b", ") S 1 (x", "((", "x)\n) R"]) {
      expect(parseStat(7, `7 (${name}) S ${numbers.join(" ")}\n`)).toMatchObject({
        ppid: 4,
        group: 5,
        session: 6,
        startTime: "22",
        dead: false,
      });
    }
    expect(parseStat(7, "")).toBeUndefined();
  });

  it("counts a zombie as dead, but not one whose other threads run", () => {
    const line = (state: string, threads: number) => `7 (x) ${state} 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 ${threads} 0 99 0 0`;
    expect(parseStat(7, line("Z", 1))?.dead).toBe(true);
    expect(parseStat(7, line("Z", 3))?.dead).toBe(false);
    expect(parseStat(7, line("S", 1))?.dead).toBe(false);
  });

  it("is alive until it ends, and nobody else with its pid is it", async () => {
    const id = await sleeper();
    expect(isAlive(id)).toBe(true);
    expect(isAlive({ ...id, startTime: String(Number(id.startTime) - 1) })).toBe(false);
    process.kill(id.pid, "SIGKILL");
    await until("it is dead", () => !isAlive(id));
    expect(processId(2 ** 30)).toBeUndefined();
  });
});

describe("killing strays of an earlier engine", () => {
  it("kills by pid where it is still that process", async () => {
    const id = await sleeper();
    const other = await sleeper();
    expect(await createExecutor().killStrays({ processes: [id], markers: [] })).toBe(1);
    expect(isAlive(id)).toBe(false);
    expect(isAlive(other)).toBe(true);
  });

  it("leaves whoever has the pid now alone", async () => {
    const id = await sleeper();
    const forged = { pid: id.pid, startTime: String(Number(id.startTime) - 100) };
    expect(await createExecutor().killStrays({ processes: [forged], markers: [] })).toBe(0);
    expect(isAlive(id)).toBe(true);
  });

  it("kills by marker, whole and not by its beginning", async () => {
    const mine = await Promise.all([sleeper({ LOOPDASH_FENCE: "run-1" }), sleeper({ A: "b", LOOPDASH_FENCE: "run-1" })]);
    const others = await Promise.all([
      sleeper({ LOOPDASH_FENCE: "run-11" }),
      sleeper({ LOOPDASH_FENCE: "run-" }),
      sleeper({ NOT_LOOPDASH_FENCE: "run-1" }),
      sleeper({ A: "LOOPDASH_FENCE=run-1" }),
    ]);
    expect(await createExecutor().killStrays({ processes: [], markers: ["unknown", "run-1"] })).toBe(2);
    expect(mine.map(isAlive)).toEqual([false, false]);
    expect(others.map(isAlive)).toEqual([true, true, true, true]);
  });

  it("kills the group of a process, and has nothing to do for nothing", async () => {
    const child = spawn("/bin/sh", ["-c", "sleep 1000 & echo $!; wait"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: {},
    });
    children.push(child);
    const [line] = await once(child.stdout, "data");
    const below = processId(Number(String(line)));
    const main = processId(child.pid ?? -1);
    if (below === undefined || main === undefined) throw new Error("they do not run");
    expect(await createExecutor().killStrays({ processes: [main], markers: [] })).toBe(2);
    expect([main, below].map(isAlive)).toEqual([false, false]);
    expect(await createExecutor().killStrays({ processes: [main], markers: [] })).toBe(0);
    expect(await createExecutor().killStrays({ processes: [], markers: [] })).toBe(0);
  });
});
