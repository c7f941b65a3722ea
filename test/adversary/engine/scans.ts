import { eventsOf, Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";

/** The share of a search for which the engine may hear nobody. It hears an agent every 100 ms, or nobody until the search is over. */
const DEAF_SHARE = 0.5;

interface Flood {
  readonly id: string;
  readonly what: string;
  /** Body of the agent: writes what takes long to look through. */
  readonly agent: string;
}

const lines = (file: string, line: string, count: number) =>
  `fs.writeFileSync(${JSON.stringify(file)}, (${line} + "\\n").repeat(${count}));`;

const FLOODS: readonly Flood[] = [
  {
    id: "F18-thresholds",
    what: "writes a configuration of nothing but demands on coverage",
    agent: lines("codecov.yml", `"lines: 9 ".repeat(100)`, 44_000),
  },
  {
    id: "F18",
    what: "writes 44,000 lines of attributes that begin a skipped test and never end",
    agent: lines("a.cs", `"Fact (".repeat(160)`, 44_000),
  },
  {
    id: "F18-theory",
    what: "writes as many that name what they skip, over and over",
    agent: lines("a.cs", `"[Theory(Skip ".repeat(80)`, 44_000),
  },
  {
    id: "F18-files",
    what: "writes them to four hundred files",
    agent: `for (let i = 0; i < 400; i++) fs.writeFileSync("a" + i + ".cs", ("Fact (".repeat(160) + "\\n").repeat(110));`,
  },
];

/** The longest time in which the engine took nothing of an agent that talks all the while, as a share of the whole search. */
async function deafShare(program: string, { agent }: Flood): Promise<number> {
  using stage = new Stage();
  stage.repo("app");
  const over = JSON.stringify(stage.path("over"));
  stage.agent(`if (ticket === "T-1") { ${agent} } else {
  for (let i = 0; !fs.existsSync(${over}); i++) { say("talking " + i); await wait(100); } process.exitCode = 1; }`);
  const finish = [
    { step: "gates" },
    // Kept until the file of the change has been searched.
    { step: "check", command: ["true"] },
    { step: "merge" },
  ];
  const batch = stage.batch(["T-1", "T-2"], { finish, protect: [], limits: { attempts: 1 } });
  const run = stage.start([batch, "--json"], {}, program);
  await run.until(/"type":"attempt-ended","ticket":"T-1"/);
  stage.write("over", "");
  const events = eventsOf((await run.ended).stdout);
  const from = events.findIndex((e) => e.type === "step-started" && e.kind === "check");
  const to = events.findIndex((e) => e.type === "attempt-ended" && e.ticket === "T-1");
  if (from === -1 || to < from) throw new Error("the check never began");
  const at = events.slice(from, to + 1).map((event) => event.at);
  const [first = 0] = at;
  return Math.max(...at.slice(1).map((time, i) => time - (at[i] ?? time))) / ((at.at(-1) ?? first) - first);
}

/** Agents that keep the engine busy with what they wrote. */
export const SCANS: readonly Attack[] = FLOODS.map((flood) => ({
  id: flood.id,
  what: flood.what,
  defence: DEFENCES.scans,
  succeeds: async (program) => (await deafShare(program, flood)) > DEAF_SHARE,
}));
