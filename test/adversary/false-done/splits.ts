import { eventsOf, Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { OPEN, WORKED } from "./world.ts";

const CAPPED: Defence = {
  name: "a run takes no more discovered tickets than its batch allows",
  holes: [
    { in: "admitDiscovery", from: "if (discoveredSince(state) >= most) return", to: "if (discoveredSince(state) < 0) return" },
  ],
};
const DEFAULT_LINE: Defence = {
  name: "a discovered ticket has the batch's own finish line, whatever its finder's is",
  holes: [
    { in: "admitDiscovery", from: "finish: defaultFinishLine(batch, repo), ...origin", to: "finish: found.finish, ...origin" },
  ],
};
const JUDGED: Defence = {
  name: "the oracle judges the frozen batch and all that was discovered since, and the engine knows it too",
  holes: [
    {
      in: "judgesOf",
      from: "const found = options.tickets().slice(frozen.length);",
      to: "const found = options.tickets().slice(0, 0);",
    },
    // The engine's own state, which ends no run as done with an open ticket.
    {
      in: "endAsDone",
      from: "if (open !== undefined) return unjudged(",
      to: "if (open === null) return unjudged(",
    },
  ],
};
const NEW_ID: Defence = {
  name: "a discovered ticket takes nobody's place: its id is the engine's, and free by any case",
  holes: [{ in: "discoveredId", from: "if (!used.has(id.toLowerCase()))", to: "if (id !== undefined)" }],
};

/** What a run of one ticket, T-1, and of what its worker finds, came to. `fs` and `find(...discoveries)` are the agent's. */
async function runOf(
  program: string,
  agent: string,
  over: { readonly ticket?: object; readonly limits?: object; readonly others?: readonly object[] } = {},
) {
  using stage = new Stage();
  stage.repo("app", OPEN.files);
  stage.agent(`
    const find = (...found) => {
      const folder = process.env.LOOPDASH_OUTBOX + "/discovered";
      fs.mkdirSync(folder, { recursive: true });
      found.forEach((each, n) => fs.writeFileSync(folder + "/" + n + ".json", JSON.stringify({ reason: "it is another matter", ...each })));
    };
    ${agent}`);
  const batch = stage.batch(
    [{ id: "T-1", allow: { judge: ["work.txt"] }, ...over.ticket }, ...((over.others ?? []) as { id: string }[])],
    {
      sandbox: "off",
      finish: [{ step: "gates" }, WORKED, { step: "merge" }],
      limits: { attempts: 1, ...over.limits },
    },
  );
  const { code, stdout, stderr } = await stage.start([batch, "--json"], {}, program).ended;
  const events = eventsOf(stdout);
  const found = events.flatMap((event) => (event.type === "ticket-discovered" ? [event.discovered.id as string] : []));
  if (found.length === 0 && !events.some((event) => event.type === "discovery-refused"))
    throw new Error(`nothing was found:\n${stdout}${stderr}`);
  return { code, found, landed: stage.landed() };
}

const WORKS = `fs.writeFileSync("work.txt", "done\\n"); fs.writeFileSync(ticket + ".txt", "");`;

/** A worker that makes other tickets of what it should do, or tickets that are easy. */
export const SPLITS: readonly Attack[] = [
  {
    id: "B9",
    what: "makes a ticket of all that is hard, and hands in the rest",
    defence: DEFENCES.check,
    async succeeds(program) {
      const { landed } = await runOf(
        program,
        `if (ticket === "T-1") find({ title: "The hard part" }); fs.writeFileSync("easy.txt", ticket);`,
      );
      return landed.includes("T-1");
    },
  },
  {
    id: "B9-uncounted",
    what: "makes a ticket of all that is hard, which nobody gets done, so that the rest is done",
    defence: JUDGED,
    async succeeds(program) {
      const agent = `if (ticket !== "T-1") process.exit(1); find({ title: "The hard part" }); ${WORKS}`;
      const { code, landed } = await runOf(program, agent);
      if (landed.join() !== "T-1") throw new Error(`landed: ${landed}`);
      return code === 0;
    },
  },
  {
    id: "B9-flood",
    what: "makes fifty tickets, where three are allowed",
    defence: CAPPED,
    async succeeds(program) {
      const agent = `if (ticket !== "T-1") process.exit(1);
        find(...Array.from({ length: 50 }, (_, n) => ({ title: "Part " + n }))); ${WORKS}`;
      return (await runOf(program, agent, { limits: { discoveries: 3 } })).found.length > 3;
    },
  },
  {
    id: "B9-instead",
    what: "makes a ticket that would take the name of one that is open, by another case",
    defence: NEW_ID,
    async succeeds(program) {
      const agent = `if (ticket !== "T-1") process.exit(1); find({ title: "The hard part" }); ${WORKS}`;
      const { found, code } = await runOf(program, agent, { others: [{ id: "t-1-D1", dependsOn: ["T-1"] }] });
      return code === 0 || found.includes("T-1-d1");
    },
  },
  {
    id: "B10",
    what: "makes a ticket on an easy finish line, its own",
    defence: DEFAULT_LINE,
    async succeeds(program) {
      const agent = `if (ticket === "T-1") find({ title: "The hard part" }); fs.writeFileSync(ticket + ".txt", "");`;
      const { landed } = await runOf(program, agent, { ticket: { finish: [{ step: "merge" }] } });
      if (!landed.includes("T-1")) throw new Error(`landed: ${landed}`);
      return landed.includes("T-1-d1");
    },
  },
];
