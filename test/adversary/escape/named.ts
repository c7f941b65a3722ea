import { readFileSync } from "node:fs";
import { type Aftermath, campaign, type TicketAttack, type World } from "../campaign.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { runFolder, SECRET } from "./hands.ts";

/** The folder of a check's script has nothing to hide; those of two other scripts have. */
const RUN = 'await import("file://" + process.cwd() + "/code.mjs");\n';
const IN_BATCH = "run.mjs";
const AMONG_DOTS = "dotted/run.mjs";
const IN_SUBFOLDER = "checks/run.mjs";

const FOLDER: Defence = {
  name: "a script that a batch names opens neither the batch's folder nor one that holds what is hidden",
  holes: [{ in: "namedFiles", from: "&& isShownWhole(dirname(path), places)", to: "" }],
};
const DOTS: Defence = {
  name: "a script's folder is not shown if it has a name that begins with a dot",
  holes: [{ in: "isShownWhole", from: 'left < 0 || entry.name.startsWith(".")', to: "left < 0" }],
};
const READ_ONLY: Defence = {
  name: "the files that a command names are read-only for it",
  holes: [
    {
      in: "withCommandFiles",
      from: "{ ...confinement, read: [...confinement.read, ...files] }",
      to: "{ ...confinement, write: [...confinement.write, ...files] }",
    },
  ],
};

const check = (script: string) => ({
  finish: [
    { step: "gates" },
    { step: "check", name: "own", command: [process.execPath, `{batch}/${script}`], canary: "off" },
    { step: "merge" },
  ],
});

const NOT_THERE = /no such file|ENOENT|Read-only file system|EROFS/;

/** True if a check of this ticket printed the secret. */
function printed({ stage, ticket }: Aftermath): boolean {
  const log = `${runFolder(stage)}/tickets/${ticket}/attempt-1/check-own.log`;
  return readFileSync(log, "utf8").includes(SECRET);
}

/** An agent whose code runs under a check that the batch's folder holds. */
const underCheck = (code: string) =>
  `fs.writeFileSync("code.mjs", ${JSON.stringify('import * as fs from "node:fs";\n')} + "const root = " + JSON.stringify(root) + ";\\n" + ${JSON.stringify(code)});`;

const WROTE = "// written by a candidate\n";

const ATTACKS: readonly TicketAttack[] = [
  {
    id: "E-named-1",
    what: "reads a secret beside the batch file, from under a check whose script lies there",
    defence: FOLDER,
    ticket: check(IN_BATCH),
    agent: underCheck('console.log(fs.readFileSync(root + "/secret.txt", "utf8")); process.exitCode = 1;'),
    told: NOT_THERE,
    harm: printed,
  },
  {
    id: "E-named-2",
    what: "reads a secret beside a check's script in a subfolder",
    defence: DOTS,
    ticket: check(AMONG_DOTS),
    agent: underCheck('console.log(fs.readFileSync(root + "/dotted/.env", "utf8")); process.exitCode = 1;'),
    told: NOT_THERE,
    harm: printed,
  },
  {
    id: "E-named-3",
    what: "rewrites the check that runs it",
    defence: READ_ONLY,
    ticket: check(IN_SUBFOLDER),
    agent: underCheck(`fs.appendFileSync(root + "/${IN_SUBFOLDER}", ${JSON.stringify(WROTE)}); process.exitCode = 1;`),
    told: NOT_THERE,
    harm: ({ stage }) => readFileSync(stage.path(IN_SUBFOLDER), "utf8").includes(WROTE),
  },
  {
    id: "E-named-4",
    what: "rewrites a check that the batch names, from the worktree",
    defence: DEFENCES.agent,
    ticket: check(IN_SUBFOLDER),
    agent: `fs.appendFileSync(root + "/agent-checks/run.mjs", ${JSON.stringify(WROTE)});`,
    told: NOT_THERE,
    harm: ({ stage }) => readFileSync(stage.path("agent-checks/run.mjs"), "utf8").includes(WROTE),
  },
];

const world: World = {
  files: { "README.md": "# test\n" },
  batch: { sandbox: "required" },
  around: (stage) => {
    for (const script of [IN_BATCH, AMONG_DOTS, IN_SUBFOLDER, "agent-checks/run.mjs"]) stage.write(script, RUN);
    stage.write("secret.txt", SECRET);
    stage.write("dotted/.env", SECRET);
  },
};

/** Attacks on what lies around the files that a batch names. */
export const NAMED_FILES: readonly Attack[] = campaign(world, ATTACKS);
