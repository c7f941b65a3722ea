import { join } from "node:path";
import { OWN } from "../../adapters/tripwire/own-oracle.ts";
import { HONEST, PROGRAM, Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { IDLE, install, mustSay, oracleOf, runOf, type Trial, trials } from "./trials.ts";

/** The tripwire's word on an oracle that lied. */
const FIRED = /the tripwire fired: .*(with exit code 0|is judged done)/;

/** A run under an oracle of the user's own, with T-2 open to the end. */
function own(id: string, what: string, text: (root: string) => string, agent = HONEST): Trial {
  return {
    id,
    what: `an oracle of the user's own that ${what}`,
    async succeeds(program) {
      using stage = new Stage();
      stage.repo("app");
      stage.write("own.mjs", text(stage.root));
      stage.agent(`const root = ${JSON.stringify(stage.root)}; if (ticket !== "T-2") { ${agent} }`);
      const batch = stage.batch(["T-1", "T-2", "T-3"], { oracle: { command: ["node", "own.mjs"] }, limits: { attempts: 1 } });
      const outcome = await runOf(stage, program, batch);
      if (program === PROGRAM && outcome.code === 3) mustSay(outcome, FIRED);
      return program === PROGRAM ? outcome.code !== 3 : outcome.code === 0;
    },
  };
}

const PROOF = trials(DEFENCES.proof, [
  own("C1-own-always", "says yes always", () => "process.exitCode = 0;"),
  own("C1-own-last", "takes the last open ticket for done", () =>
    OWN(`all.filter((each) => each.state === "open").length === 1`),
  ),
  own("C1-own-T-2", "takes T-2 for done", () => OWN(`t.id === "T-2"`)),
  own(
    "C2-own",
    "answers from a cache that an agent filled",
    (root) =>
      OWN(
        "false",
        `const cache = ${JSON.stringify(join(root, "cache"))}, name = batch.tickets.join();
  if (fs.existsSync(cache) && fs.readFileSync(cache, "utf8").split(";").includes(name)) process.exit(0);
  process.on("exit", (code) => { if (code === 0) fs.appendFileSync(cache, ";" + name); });`,
      ),
    `${HONEST} if (ticket === "T-1") fs.appendFileSync(root + "/cache", ";T-1,T-2,T-3");`,
  ),
]);

/** Says yes always, in the words of the one that ships. */
export const ALWAYS = `const { tickets } = JSON.parse(require("node:fs").readFileSync(process.argv[2], "utf8"));
for (const id of tickets) console.log(JSON.stringify({ id, state: "done" }));
console.log(JSON.stringify({ verdict: "done", done: tickets.length, gated: 0, open: 0 }));\n`;

/** An agent that replaces what judges it while the run lives. `told`: what the run says where it does not go on as if nothing were. */
interface Replaced {
  readonly id: string;
  readonly what: string;
  /** Lays the oracle out; the keys of the batch, and what the agent does. */
  readonly lay: (stage: Stage, installed: string) => { readonly batch?: object; readonly agent: string; readonly path?: string };
  readonly told: RegExp;
}

const writes = (file: string, text: string) =>
  `fs.rmSync(${JSON.stringify(file)}, { force: true }); fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(text)}, { mode: 0o755 });`;

function replaced({ id, what, lay, told }: Replaced): Trial {
  return {
    id,
    what,
    async succeeds(program) {
      using stage = new Stage();
      stage.repo("app");
      const installed = install(stage, program);
      const { batch, agent, path } = lay(stage, installed);
      stage.agent(agent);
      const file = stage.batch(["T-1"], { limits: IDLE.limits, ...batch });
      const outcome = await runOf(stage, installed, file, path === undefined ? {} : { PATH: path });
      if (program === PROGRAM && outcome.code !== 0) mustSay(outcome, told);
      return outcome.code === 0;
    },
  };
}

/** The run goes on as if nothing had happened: what judges is what was kept. */
const AS_BEFORE = /"kind":"not-done","verdict":"not-done","exitCode":1/;

const KEPT = trials(
  DEFENCES.keptBytes,
  [
    {
      id: "C1-dist",
      what: "the installed oracle is replaced while the run lives",
      lay: (_: Stage, installed: string) => ({ agent: writes(oracleOf(installed), ALWAYS) }),
      told: AS_BEFORE,
    },
    {
      id: "C1-run-alive",
      what: "the oracle in the run's folder is replaced while the run lives",
      lay: ({ home }: Stage) => ({
        agent: `const [file] = fs.globSync(${JSON.stringify(`${home}/runs/*/oracle.cjs`)}); fs.writeFileSync(file, ${JSON.stringify(ALWAYS)});`,
      }),
      told: AS_BEFORE,
    },
    {
      id: "C1-own-script",
      what: "the script of an oracle of the user's own is replaced while the run lives",
      lay: (stage: Stage) => ({
        batch: { oracle: { command: ["node", "own.mjs"] } },
        agent: writes(stage.write("own.mjs", OWN()), "process.exitCode = 0;"),
      }),
      told: AS_BEFORE,
    },
    {
      id: "C1-own-reads",
      what: "a file that an oracle of the user's own reads is replaced while the run lives",
      lay: (stage: Stage) => {
        stage.write("own.mjs", OWN(`fs.readFileSync(process.argv[2], "utf8").includes("open is fine")`));
        const rules = stage.write("rules.txt", "open is not done");
        return { batch: { oracle: { command: ["node", "own.mjs", "rules.txt"] } }, agent: writes(rules, "open is fine") };
      },
      told: AS_BEFORE,
    },
    {
      id: "C1-own-program",
      what: "the program of an oracle of the user's own, found on PATH, is replaced while the run lives",
      lay: (stage: Stage) => {
        stage.write("own.mjs", OWN());
        const run = `#!/bin/sh\nexec '${process.execPath}' '${stage.path("own.mjs")}' "$@"\n`;
        const file = stage.write("bin/judge-it", run, 0o755);
        return {
          batch: { oracle: { command: ["judge-it"] } },
          agent: writes(file, "#!/bin/sh\nexit 0\n"),
          path: `${stage.path("bin")}:${stage.env.PATH}`,
        };
      },
      told: /is not what was frozen/,
    },
  ].map(replaced),
);

export const OWN_ORACLES: readonly Attack[] = [...PROOF, ...KEPT];
