import { existsSync } from "node:fs";
import type { Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";
import { begins, stageWith } from "./begins.ts";
import { DEFENCES } from "./defences.ts";

const KEY = "sk-never-to-be-seen";

interface Start {
  readonly id: string;
  readonly what: string;
  readonly defence: Defence;
  readonly code: number;
  readonly says: RegExp;
  /** Makes the batch file; gives the environment of the start. */
  readonly make: (stage: Stage) => Record<string, string>;
}

const batchOf =
  (...tickets: Parameters<Stage["batch"]>[0]): Start["make"] =>
  (stage) => {
    stage.batch(tickets);
    return {};
  };

/** Starts that must be none. */
const STARTS: readonly Start[] = [
  {
    id: "E7",
    what: "has a model's key in the environment",
    defence: DEFENCES.strayKeys,
    code: 4,
    says: /ANTHROPIC_API_KEY is set in/,
    make: (stage) => {
      stage.batch(["T-1"]);
      return { ANTHROPIC_API_KEY: KEY };
    },
  },
  {
    id: "E7-dotenv",
    what: "has a model's key in a .env file beside the batch",
    defence: DEFENCES.strayKeys,
    code: 4,
    says: /OPENAI_API_KEY is set in/,
    make: (stage) => {
      stage.batch(["T-1"]);
      stage.write(".env", `export OPENAI_API_KEY='${KEY}'\n`);
      return {};
    },
  },
  {
    id: "E7-committed",
    what: "has a model's key in a commit that worktrees are made from, and in no file",
    defence: DEFENCES.strayKeys,
    code: 4,
    says: /CODEX_API_KEY is set in .* of the branch main/,
    make: (stage) => {
      stage.batch(["T-1"]);
      stage.write("app/.env.local", `CODEX_API_KEY=${KEY}\n`);
      stage.git("app", "add", "-Af");
      stage.git("app", "commit", "-q", "-m", "keys");
      stage.git("app", "switch", "-q", "-c", "other", "HEAD~1");
      return {};
    },
  },
  {
    id: "E11",
    what: "has a ticket whose id is an option of git",
    defence: DEFENCES.ids,
    code: 2,
    says: /cannot name a branch/,
    make: batchOf("--upload-pack=touch"),
  },
  {
    id: "E11-path",
    what: "has a ticket whose id leads out of the run's folder",
    defence: DEFENCES.ids,
    code: 2,
    says: /cannot name a branch/,
    make: batchOf("../../../outside"),
  },
  {
    id: "E11-command",
    what: "has a ticket whose id a shell would run",
    defence: DEFENCES.ids,
    code: 2,
    says: /cannot name a branch/,
    make: batchOf("$(touch x)"),
  },
  {
    id: "E13",
    what: "has tickets that wait for each other",
    defence: DEFENCES.graph,
    code: 2,
    says: /wait for each other: T-1 → T-3 → T-2 → T-1/,
    make: batchOf({ id: "T-1", dependsOn: ["T-3"] }, { id: "T-2", dependsOn: ["T-1"] }, { id: "T-3", dependsOn: ["T-2"] }, "T-4"),
  },
  {
    id: "E13-unknown",
    what: "has a ticket that waits for one that is not there",
    defence: DEFENCES.graph,
    code: 2,
    says: /unknown ticket "T-9"/,
    make: batchOf({ id: "T-1", dependsOn: ["T-9"] }),
  },
];

export const BAD_INPUT: readonly Attack[] = [
  ...STARTS.map(
    ({ id, what, defence, make, ...refusal }): Attack => ({
      id,
      what,
      defence,
      async succeeds(program) {
        using stage = stageWith("process.exitCode = 1;");
        const env = make(stage);
        return await begins(stage.start(["batch.json", "--json"], env, program), refusal);
      },
    }),
  ),
  {
    id: "E11-shell",
    what: "has commands and a title with what a shell would run",
    defence: DEFENCES.noShell,
    async succeeds(program) {
      using stage = stageWith('say("READY");');
      const touch = `$(touch ${stage.path("PWNED")})`;
      const agent = { kind: "command", command: [process.execPath, "agent.mjs", touch, `\`${touch}\``, `; ${touch}`] };
      const batch = stage.batch([{ id: "T-1", title: touch, body: touch }], { agent, limits: { attempts: 1 } });
      await stage.start([batch, "--json"], {}, program).until(/"type":"attempt-ended"/);
      return existsSync(stage.path("PWNED"));
    },
  },
];
