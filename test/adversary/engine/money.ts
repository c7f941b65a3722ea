import { readFileSync } from "node:fs";
import type { Attack } from "../suite.ts";
import { killEngine, stageWith } from "./begins.ts";
import { DEFENCES } from "./defences.ts";

const agent = { kind: "command", command: [process.execPath, "agent.mjs"], usdPerAttempt: 2 } as const;

export const MONEY: readonly Attack[] = [
  {
    id: "E17",
    what: "starts three attempts in the same moment, with money for two",
    defence: DEFENCES.reserved,
    async succeeds(program) {
      using stage = stageWith("process.exitCode = 1;");
      const batch = stage.batch(["T-1", "T-2", "T-3"], { agent, limits: { usdPerRun: 5 } });
      const run = stage.start([batch, "--json"], {}, program);
      // All that start in one moment are claimed before the first of them is launched.
      await run.until(/"type":"agent-launching"/);
      return run.stdout().split('"type":"attempt-claimed"').length - 1 > 2;
    },
  },
  {
    id: "E17-engines",
    what: "is started by two engines in the same moment, with money for one",
    defence: DEFENCES.dayShared,
    async succeeds(program) {
      using stage = stageWith('say("READY"); await wait(1_000); process.exitCode = 1;');
      stage.repo("other");
      const batch = stage.batch(["T-1"], { agent, limits: { usdPerDay: 3 } });
      const { repos, ...same } = JSON.parse(readFileSync(batch, "utf8"));
      const second = stage.write("second.json", JSON.stringify({ ...same, repos: { app: { path: "other" } } }));
      const runs = [batch, second].map((file) => stage.start([file, "--json"], {}, program));
      const said = await Promise.all(runs.map(async (run) => (await run.ended).stdout));
      return said.filter((each) => each.includes('"type":"agent-launching"')).length === 2;
    },
  },
  {
    id: "E8",
    what: "is lost with its engine before anybody saw what it cost, and is paid again",
    defence: DEFENCES.unknownCost,
    async succeeds(program) {
      using stage = stageWith('say("READY"); if (attempt === 1) await wait(60_000);');
      const batch = stage.batch(["T-1"], { agent, limits: { usdPerRun: 3 } });
      const first = stage.start([batch, "--json"], {}, program);
      await first.until(/"text":"READY"/);
      await killEngine(first);
      const second = stage.start([batch, "--json"], {}, program);
      await second.until(/"type":"(?:reverify-started|agent-launching)"/);
      return second.stdout().includes("agent-launching");
    },
  },
];
