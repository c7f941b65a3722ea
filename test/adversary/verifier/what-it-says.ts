import { existsSync, readFileSync } from "node:fs";
import { PROGRAM, Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { install, mustSay, type Trial, ticketFolder, trials } from "./trials.ts";

/** An oracle that is asked once, by `loopdash oracle`, about T-1 (done) and T-2 (open). */
interface Asked {
  readonly id: string;
  readonly what: string;
  /** Source of the oracle, with `ids`, `lines(...values)` and `root` at hand. */
  readonly source: string;
  readonly told: RegExp;
  /** What of the stage shows that it got what it wanted; default: exit 0. */
  readonly harm?: (stage: Stage, said: string) => boolean;
}

/** A program of the oracle's kind around this source. */
const scriptOf = (root: string, source: string) => `const fs = require("node:fs");
const ids = JSON.parse(fs.readFileSync(process.argv[2], "utf8")).tickets;
const lines = (...values) => fs.writeSync(1, values.map((value) => JSON.stringify(value) + "\\n").join(""));
const root = ${JSON.stringify(root)};
(async () => {
${source}
})();
`;

/** An oracle of the user's own, of exit codes or evidence; a shell script, which is frozen whole. */
async function ask(stage: Stage, program: string, oracle: string | { readonly own: string }) {
  const path = ticketFolder(stage, { "T-1": "state: done", "T-2": "state: open" });
  const own = typeof oracle === "string" ? undefined : oracle.own;
  if (own !== undefined) stage.write("own.sh", `#!/bin/sh\n${own}\n`, 0o755);
  const command = own === undefined ? {} : { oracle: { command: ["./own.sh"] } };
  const installed = typeof oracle === "string" ? install(stage, program, () => scriptOf(stage.root, oracle)) : program;
  const batch = stage.batch([], { tracker: { kind: "local", path }, ...command });
  const { code, stdout, stderr } = await stage.start(["oracle", batch], {}, installed).ended;
  return { code, said: stdout + stderr };
}

function asked({ id, what, source, told, harm }: Asked): Trial {
  return {
    id,
    what: `an oracle that ${what}`,
    async succeeds(program) {
      using stage = new Stage();
      const { code, said } = await ask(stage, program, source.startsWith("#!") ? { own: source.slice(2) } : source);
      const harmed = harm?.(stage, said) ?? code === 0;
      if (!harmed && program === PROGRAM) mustSay({ said }, told);
      return harmed;
    },
  };
}

const SETTLED = `...ids.map((id) => ({ id, state: "done" }))`;
const VERDICT = `{ verdict: "done", done: ids.length, gated: 0, open: 0 }`;
const NOT_EVIDENCE = /is not evidence and a verdict/;
const OTHERS = /is not about exactly the tickets of the batch/;

const EVIDENCE = trials(DEFENCES.evidence, [
  ...(
    [
      ["C1-silent", "exits 0 and says nothing", "", NOT_EVIDENCE],
      ["C1-no-evidence", "exits 0 with a verdict and no evidence", `lines(${VERDICT});`, OTHERS],
      ["C1-no-verdict", "exits 0 with evidence and no verdict", `lines(${SETTLED});`, NOT_EVIDENCE],
      ["C1-words", "exits 0 and says in words that all is done", `console.log("all tickets are done");`, NOT_EVIDENCE],
      [
        "C1-others",
        "gives evidence for other tickets",
        `lines({ id: "X-1", state: "done" }, { id: "X-2", state: "done" }, ${VERDICT});`,
        OTHERS,
      ],
      [
        "C1-evidence-twice",
        "gives evidence of one ticket twice",
        `lines({ id: ids[0], state: "done" }, { id: ids[0], state: "done" }, ${VERDICT});`,
        OTHERS,
      ],
      ["C1-one-less", "gives evidence for all but one", `lines({ id: ids[0], state: "done" }, ${VERDICT});`, OTHERS],
      [
        "C1-contradicts",
        "shows an open ticket and says done",
        `lines({ id: ids[0], state: "done" }, { id: ids[1], state: "open" }, ${VERDICT});`,
        /counts do not follow from its evidence/,
      ],
      [
        "C1-stepless-evidence",
        "shows a gate without a step",
        `lines({ id: ids[0], state: "done" }, { id: ids[1], state: "human-gated", step: " " }, { verdict: "done", done: 1, gated: 1, open: 0 });`,
        /evidence is malformed/,
      ],
      ["C1-exit-1", "says done and exits 1", `lines(${SETTLED}, ${VERDICT}); process.exitCode = 1;`, /do not follow/],
      [
        "C1-exit-7",
        "says done and exits 7",
        `lines(${SETTLED}, ${VERDICT}); process.exitCode = 7;`,
        /exit code 7, which means nothing/,
      ],
      ["C1-cut", "is cut off in its last line", `lines(${SETTLED}); fs.writeSync(1, JSON.stringify(${VERDICT}));`, NOT_EVIDENCE],
    ] as const
  ).map(([id, what, source, told]) => asked({ id, what, source, told })),
  asked({
    id: "C1-own",
    what: "is the user's own and exits 0 with evidence of an open ticket",
    source: `#!printf '%s\\n' '{"id":"T-1","state":"done"}' '{"id":"T-2","state":"open"}' '{"verdict":"not-done","done":1,"gated":0,"open":1}'`,
    told: /do not follow from its evidence/,
  }),
]);

const BOUNDS = trials(
  DEFENCES.bounds,
  [
    {
      id: "C1-endless",
      what: "says done and never ends",
      source: `lines(${SETTLED}, ${VERDICT}); setInterval(() => {}, 1_000);`,
      told: /gave no verdict within 20000 ms and was killed/,
    },
    {
      id: "C1-killed",
      what: "says done and is killed",
      source: `lines(${SETTLED}, ${VERDICT}); process.kill(process.pid, "SIGKILL");`,
      told: /was ended by SIGKILL/,
    },
    {
      id: "C1-flood",
      what: "floods its output before it exits 0",
      source: "#!head -c 40000000 /dev/zero | tr '\\0' x; exit 0",
      told: /printed more than 16777216 characters and was killed/,
    },
  ].map(asked),
);

/** The oracle tries, and says on stderr what came of it, which is the reason that is shown. */
const tries = (source: string) =>
  `try { ${source} } catch (error) { console.error("tried: " + error.code); } process.exitCode = 2;`;
const DENIED = /tried: ERR_ACCESS_DENIED/;
const isThere = (name: string) => (stage: Stage) => existsSync(stage.path(name));

const PERMISSION = trials(
  DEFENCES.permission,
  [
    {
      id: "C1-writes-tracker",
      what: "writes the tracker that it judges",
      source: tries(`fs.writeFileSync(root + "/project/tickets/T-2.md", "---\\nstate: done\\n---\\n# x\\n")`),
      told: DENIED,
      harm: (stage: Stage) => readFileSync(stage.path("project/tickets/T-2.md"), "utf8").includes("state: done"),
    },
    {
      id: "C1-writes",
      what: "keeps what it saw in a file",
      source: tries(`fs.writeFileSync(root + "/cache", "done")`),
      told: DENIED,
      harm: isThere("cache"),
    },
    {
      id: "C1-spawns",
      what: "starts a program",
      source: `const { execFileSync } = await import("node:child_process"); ${tries(`execFileSync("touch", [root + "/touched"])`)}`,
      told: DENIED,
      harm: isThere("touched"),
    },
    {
      id: "C1-thread",
      what: "starts a thread that writes",
      source: `const { Worker } = await import("node:worker_threads");
        try { await new Promise((end) => new Worker('require("fs").writeFileSync(' + JSON.stringify(root + "/thread") + ', "")', { eval: true }).on("exit", end)); }
        catch (error) { console.error("tried: " + error.code); } process.exitCode = 2;`,
      told: DENIED,
      harm: isThere("thread"),
    },
    {
      id: "C1-reads",
      what: "reads what is not its own",
      source: tries(`console.error("read: " + fs.readFileSync(root + "/batch.json", "utf8").slice(0, 200))`),
      told: DENIED,
      harm: (_: Stage, said: string) => said.includes("read: "),
    },
    {
      id: "C1-environment-read",
      what: "looks where loopdash keeps its state",
      source: `console.error("tried: " + (process.env.LOOPDASH_HOME ?? "nothing there")); process.exitCode = 2;`,
      told: /tried: nothing there/,
      harm: (stage: Stage, said: string) => said.includes(stage.home),
    },
  ].map(asked),
);

const DEBUGGER = trials(DEFENCES.debuggerShut, [
  asked({
    id: "C6-debugger",
    what: "has the debugger of its engine opened, to write there what it may not itself",
    source: `process.kill(process.ppid, "SIGUSR1"); await new Promise((on) => setTimeout(on, 300)); console.error("tried"); process.exitCode = 2;`,
    told: /tried/,
    harm: (_, said) => /Debugger listening|Starting inspector/.test(said),
  }),
]);

export const WHAT_IT_SAYS: readonly Attack[] = [...EVIDENCE, ...PERMISSION, ...DEBUGGER, ...BOUNDS];
