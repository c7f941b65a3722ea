import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HONEST, PROGRAM, Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { bundled } from "./killed-run.ts";
import { install, mustSay, runOf, trials } from "./trials.ts";

const CONFINED: Defence = {
  name: "a healer is confined to its copy of the harness",
  holes: [
    {
      file: "src/loop/heal/heal.ts",
      from: "const confinement = confineHealer(ctx, { write: [harness, session], read: [prompt] });",
      to: "const confinement = undefined;",
    },
  ],
};

/** Fails each ticket until a healer, which does `then` first, has written the hint. */
const failing = (then: string) => `
  const root = ${JSON.stringify("ROOT")};
  if (heal) { ${then}; fs.writeFileSync("hints.md", "The word is xyzzy."); }
  else if (prompt.includes("xyzzy")) { ${HONEST} }
  else process.exit(1);`;

/** What a healer reaches for. Each leaves its mark where it may, and says nothing where it may not. */
const REACHES: readonly { readonly id: string; readonly what: string; readonly at: string; readonly act?: string }[] = [
  { id: "C1-heal", what: "a healer edits the frozen oracle of its run", at: "home/runs/*/oracle.cjs" },
  { id: "C2-heal", what: "a healer edits the tracker of its run", at: "home/runs/*/tracker.json" },
  { id: "C7-heal", what: "a healer edits the batch file", at: "batch.json" },
  {
    id: "C8-heal",
    what: "a healer edits a repository's settings",
    at: "app/.git/config",
    act: "fs.appendFileSync(file, '# marked')",
  },
  { id: "C11-heal", what: "a healer plants a hook in a repository", at: "app/.git/hooks/*.sample" },
  {
    id: "C10-heal",
    what: "a healer writes into the journal's database",
    at: "home/loopdash.db",
    act: "new (await import('node:sqlite')).DatabaseSync(file).exec('CREATE TABLE marked (x)')",
  },
  {
    id: "C11-heal-home",
    what: "a healer changes the harness of later runs behind the engine's back",
    at: "home/runs/*/harness/0/worker.md",
  },
];

const runs = new Map<string, Promise<ReadonlyMap<string, boolean>>>();

/** One run per program serves all: its only heal reaches for everything. */
async function reach(program: string): Promise<ReadonlyMap<string, boolean>> {
  using stage = new Stage();
  stage.repo("app");
  const acts = REACHES.map(
    ({ at, act = "fs.appendFileSync(file, ' marked')" }) =>
      `for (const file of fs.globSync(root + ${JSON.stringify(`/${at}`)})) { try { ${act}; } catch {} }`,
  );
  stage.agent(failing(acts.join("\n")).replace('"ROOT"', JSON.stringify(stage.root)));
  const batch = stage.batch(["T-1"], { sandbox: "required", limits: { attempts: 1, heals: 1 } });
  mustSay(await runOf(stage, program, batch), /"heal-ended"/);
  const marked = ({ at }: (typeof REACHES)[number]) =>
    globSync(at, { cwd: stage.root }).some((file) => readFileSync(stage.path(file), "latin1").includes("marked"));
  return new Map(REACHES.map((each) => [each.id, marked(each)]));
}

const OUT_OF_REACH: readonly Attack[] = REACHES.map(({ id, what }) => ({
  id,
  what,
  defence: CONFINED,
  succeeds: async (program) => {
    const run = runs.get(program) ?? reach(program);
    runs.set(program, run);
    return (await run).get(id) === true;
  },
}));

/** Without a sandbox a healer can write the program itself; the proof after it then looks at what is there. */
const FROZEN = trials(DEFENCES.frozenSet, [
  {
    id: "C6-heal",
    what: "a healer without a sandbox changes the tripwire's code of the program that runs it",
    succeeds: async (from) => {
      using stage = new Stage();
      stage.repo("app");
      const program = install(stage, from);
      const file = bundled(program, "the canaries could not be judged");
      stage.agent(failing(`fs.appendFileSync(${JSON.stringify(file)}, "\\n// marked\\n")`));
      const { code, ...outcome } = await runOf(stage, program, stage.batch(["T-1"], { limits: { attempts: 1, heals: 1 } }));
      if (!readFileSync(file, "utf8").includes("// marked")) throw new Error(`it was not tried:\n${outcome.said}`);
      if (code === 0) return true;
      mustSay(outcome, /what must not change has changed since the run began: the tripwire/);
      if (from === PROGRAM && existsSync(join(dirname(stage.home), "home", "harness")))
        throw new Error("it is kept for later runs");
      return false;
    },
  },
]);

export const HEALS: readonly Attack[] = [...OUT_OF_REACH, ...FROZEN];
