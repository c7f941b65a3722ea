import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "./children.ts";
import { type Bench, type Figure, noteFigure, valueFigure } from "./figure.ts";
import { writeBatch } from "./loopdash.ts";
import { cpuPercent, memoryMb } from "./processes.ts";
import { createRepository } from "./repository.ts";
import { endRun, enginePid, openTerminal } from "./terminal.ts";

const WORKERS = 2;

/** The cost of watching: a dashboard and its engine with two workers that print five lines a second each. */
export const idle: Bench = {
  name: "idle",
  about: "dashboard and engine with 2 busy workers, 5 lines a second each: CPU of a core, resident memory",
  async run(options): Promise<readonly Figure[]> {
    const seconds = options.quick ? 3 : 10;
    await using scratch = await scratchFolder("idle");
    const repo = await createRepository(scratch.path, "repo");
    const agent = join(scratch.path, "chatter.sh");
    await writeFile(
      agent,
      'i=0\nwhile :; do i=$((i + 1)); echo "line $i of what the agent says while it works"; sleep 0.2; done\n',
    );
    const tickets = Array.from({ length: 6 }, (_, i) => ({ id: `I-${i + 1}` }));
    const batchPath = await writeBatch(scratch.path, {
      name: "idle-cost",
      repo,
      agent: ["sh", agent],
      workers: WORKERS,
      tickets,
    });
    const home = join(scratch.path, "state");
    const terminal = openTerminal({ scratch: scratch.path, home, args: [batchPath] });
    try {
      await terminal.seen("what the agent says");
      const engine = await enginePid(scratch.path, home);
      // The cost of starting is not part of the cost of watching.
      await sleep(2_000);
      const [dashboardCpu, engineCpu] = await cpuPercent([terminal.pid, engine], seconds);
      return figures({
        dashboardCpu,
        engineCpu,
        dashboardMb: memoryMb(terminal.pid, "VmRSS"),
        engineMb: memoryMb(engine, "VmRSS"),
        seconds,
      });
    } finally {
      await endRun(terminal, scratch.path, home);
    }
  },
};

interface Costs {
  readonly dashboardCpu: number | undefined;
  readonly engineCpu: number | undefined;
  readonly dashboardMb: number;
  readonly engineMb: number;
  readonly seconds: number;
}

function figures(costs: Costs): readonly Figure[] {
  const common = { item: "idle", note: `over ${costs.seconds} s` };
  return [
    valueFigure({ ...common, what: "dashboard, share of a core", value: costs.dashboardCpu ?? Number.NaN, unit: "%", max: 5 }),
    noteFigure({ ...common, what: "engine, share of a core", value: costs.engineCpu ?? Number.NaN, unit: "%" }),
    valueFigure({ ...common, what: "dashboard, resident memory", value: costs.dashboardMb, unit: "MB", max: 130 }),
    valueFigure({ ...common, what: "engine, resident memory", value: costs.engineMb, unit: "MB", max: 100 }),
  ];
}
