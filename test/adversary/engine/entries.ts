import { campaign, type TicketAttack } from "../campaign.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";

/** Source that makes so many files without content, so that no bound of bytes is met, in a folder that it makes. */
const makeMany = (folder: string, count: number) =>
  `sh("sh", "-c", 'mkdir -p "$1" && cd "$1" && seq ${count} | xargs -n 10000 touch', "sh", ${folder});`;

const OBJECTS = 'sh("git", "rev-parse", "--git-path", "objects").trim()';

/** What comes after the defence stops it too, and later, so that what is told tells which one it was. */
const attack = (ticketAttack: Omit<TicketAttack, "harm">): TicketAttack => ({
  ...ticketAttack,
  harm: ({ said }) => !ticketAttack.told.test(said),
});

const COUNTED: readonly TicketAttack[] = [
  attack({
    id: "F17",
    what: "leaves 200,000 discoveries",
    defence: DEFENCES.outboxEntries,
    agent: makeMany('process.env.LOOPDASH_OUTBOX + "/discovered"', 200_000),
    told: /filled its outbox, which holds more than 2000 files and folders/,
  }),
  attack({
    id: "F17-nested",
    what: "leaves folders within folders in its outbox, each with a few files",
    defence: DEFENCES.outboxEntries,
    agent: `for (let i = 0; i < 2_000; i++) { const path = process.env.LOOPDASH_OUTBOX + "/" + (i % 50) + "/" + i + "/x";
      fs.mkdirSync(path, { recursive: true }); for (let j = 0; j < 5; j++) fs.writeFileSync(path + "/" + j, ""); }`,
    told: /filled its outbox, which holds more than 2000 files and folders/,
  }),
  attack({
    id: "F17-objects",
    what: "leaves 210,000 files among its objects",
    defence: DEFENCES.objectEntries,
    agent: `fs.writeFileSync("honest", "x"); sh("git", "add", "-A"); sh("git", "commit", "-qm", "honest");
      ${makeMany(`${OBJECTS} + "/aa"`, 210_000)}`,
    told: /it left more than 200000 files of objects/,
  }),
];

/** Agents that leave more files than anybody can list. */
export const ENTRIES: readonly Attack[] = campaign(
  { files: { "README.md": "# test\n" }, batch: { sandbox: "required" } },
  COUNTED,
);
