import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Aftermath, campaign, type TicketAttack, type World } from "../campaign.ts";
import type { Hole } from "../holes/locate.ts";
import type { Attack, Defence } from "../suite.ts";
import { JUDGED_AT_ONCE, put } from "./world.ts";

const NODE = process.execPath;
const TEST = `import { test } from "node:test";
import * as assert from "../built/assert.mjs";
import { add } from "../add.mjs";

test("adds", () => assert.equal(add(1, 2), 3));
test("adds negative numbers", () => assert.equal(add(-1, -2), -3));
`;
const ASSERT = 'export { equal } from "node:assert";\n';
const NO_ASSERT = "export const equal = () => undefined;\n";
const RUNNER = `import { add } from "../../add.mjs";
import { codeOf } from "./reporter.mjs";
process.exitCode = codeOf(add(-1, -2) === -3);
`;
const SHIM = `#!/bin/sh\nexec ${NODE} node_modules/runner/main.mjs\n`;
const text = (source: string): string => JSON.stringify(source);
const writes = (path: string, source: string): string => `fs.writeFileSync(${text(path)}, ${text(source)});`;

/** Makes what the tests use, a runner with its reporter, and a shim of the runner. */
const SETUP = `import * as fs from "node:fs";
for (const folder of ["built", "node_modules/runner", "node_modules/.bin"]) fs.mkdirSync(folder, { recursive: true });
${writes("built/assert.mjs", ASSERT)}
${writes("node_modules/runner/main.mjs", RUNNER)}
${writes("node_modules/runner/reporter.mjs", "export const codeOf = (ok) => (ok ? 0 : 1);\n")}
fs.writeFileSync("node_modules/.bin/runner", ${text(SHIM)}, { mode: 0o755 });
`;
const REPORT = "{artifacts}/report.tap";
const TESTS = [NODE, "--test", "--test-reporter=tap", `--test-reporter-destination=${REPORT}`, "tests/*.mjs"];

/** Prepared once, from an input that few changes touch. */
const keptWorld: World = {
  files: {
    "add.mjs": "export const add = (a, b) => a + b;\n",
    "tests/add.test.mjs": TEST,
    "setup.mjs": SETUP,
    ".gitignore": "built\nnode_modules\n",
  },
  batch: {
    sandbox: "required",
    ...JUDGED_AT_ONCE,
    finish: [
      { step: "gates" },
      { step: "check", name: "tests", command: TESTS, report: { format: "tap", path: REPORT } },
      { step: "merge" },
    ],
  },
  repo: { prepare: [[NODE, "setup.mjs"]], inputs: ["setup.mjs"] },
};

const IDENTITY: Hole = {
  in: "PreparedFolders.copyTo",
  from: "if (now.hash !== found.entry.identity)",
  to: "if (false)",
};
const COPIED: Defence = {
  name: "what a worker does to its copy of a kept preparation reaches nobody else",
  holes: [{ in: "copyTree", from: '"--reflink=auto"', to: '"--link"' }, IDENTITY],
};
/** Every confined program sees the store, and may write to it. */
const HIDDEN: Defence = {
  name: "no confined program sees the store of kept preparations, and an entry that was changed is not used",
  holes: [
    IDENTITY,
    {
      in: "withPolicy",
      from: "return { ...confinement, write: [...confinement.write, ...write], read:",
      to: `const store = ctx.files.checkoutPath("x", "x").replace(/\\/runs\\/.*$/, "/prepared");
  process.getBuiltinModule("node:fs").mkdirSync(store, { recursive: true, mode: 0o700 });
  return { ...confinement, write: [...confinement.write, ...write, store], read:`,
    },
  ],
};
const LANDED: Defence = {
  name: "only landed code fills the store of kept preparations",
  holes: [
    {
      in: "choose",
      from: "if (ofBase.key === key.key) return { ok: true, key };",
      to: "return { ok: true, key };",
    },
    {
      in: "makeKept",
      from: "{ base, name, run }: ToPrepare,",
      to: "{ commit: base, name, run }: ToPrepare,",
    },
  ],
};

const BROKEN = put("add.mjs", "export const add = (a, b) => Math.abs(a) + Math.abs(b);\n");
const SPOILT = /adds negative numbers/;
const isUnseen = ({ said }: Aftermath): boolean => !SPOILT.test(said);
const FAILED = /exited with code 1/;
const by = (...command: readonly string[]) => ({
  finish: [{ step: "gates" }, { step: "check", name: "run", command }, { step: "merge" }],
});

const COPIES: readonly TicketAttack[] = [
  {
    id: "P1-prepared-write",
    what: "writes into a file of its own copy of the kept preparation, so that the tests of its wrong code use it",
    defence: COPIED,
    agent: BROKEN + writes("built/assert.mjs", NO_ASSERT),
    told: SPOILT,
    harm: isUnseen,
  },
  {
    id: "P2-prepared-runner",
    what: "empties the runner in its own copy of the packages, so that the check of its wrong code runs nothing",
    defence: COPIED,
    ticket: by(NODE, "node_modules/runner/main.mjs"),
    agent: BROKEN + writes("node_modules/runner/main.mjs", ""),
    told: FAILED,
  },
  {
    id: "P3-prepared-reporter",
    what: "has another ticket bend the reporter in its copy of the packages, so that the check of its wrong code believes it",
    defence: COPIED,
    ticket: { ...by(NODE, "node_modules/runner/main.mjs"), dependsOn: ["P3-prepared-accomplice"] },
    agent: BROKEN,
    told: FAILED,
    others: [
      {
        id: "P3-prepared-accomplice",
        ticket: by(NODE, "node_modules/runner/main.mjs"),
        agent: writes("node_modules/runner/reporter.mjs", "export const codeOf = () => 0;\n") + put("notes.txt", "done\n"),
      },
    ],
  },
  {
    id: "P4-prepared-shim",
    what: "empties the shim of the runner in node_modules/.bin of its own copy",
    defence: COPIED,
    ticket: by("node_modules/.bin/runner"),
    agent: BROKEN + writes("node_modules/.bin/runner", "#!/bin/sh\n"),
    told: FAILED,
  },
];

/** The folders of the ticket's own entry in the store, `kept`, as seen from the roots of a file system in `froms`. */
const findsEntries = (ticket: string, froms = '[""]'): string => `const kept = ${froms}.flatMap((from) => {
  try {
    const entries = fs.globSync(from + root + "/home/prepared/*/*/entry.json");
    const isOwn = (file) => JSON.parse(fs.readFileSync(file, "utf8")).name === ${text(ticket.toLowerCase())};
    return entries.filter(isOwn).map((file) => file.slice(0, -"entry.json".length));
  } catch (error) {
    console.error(error);
    return [];
  }
});`;
const forEach = (act: string): string => `for (const at of kept) { const file = at + "tree/built/assert.mjs"; ${act} }`;
const SPOIL = `fs.writeFileSync(file, ${text(NO_ASSERT)});`;

/** The ticket's own entries after the run. */
function entriesOf({ stage, ticket }: Aftermath): readonly string[] {
  const entries = globSync(join(stage.home, "prepared/*/*/entry.json"));
  return entries.filter((file) => readFileSync(file, "utf8").includes(`"name":${text(ticket.toLowerCase())}`)).map(dirname);
}
const isSpoilt = (after: Aftermath): boolean =>
  entriesOf(after).some((entry) => readFileSync(join(entry, "tree/built/assert.mjs"), "utf8") === NO_ASSERT);

type Reach = Pick<TicketAttack, "id" | "what" | "harm"> & { readonly act: string; readonly froms?: string };

const REACHES: readonly Reach[] = [
  { id: "P5-prepared-path", what: "writes into the kept preparation by its path", act: SPOIL, harm: isUnseen },
  {
    id: "P5-prepared-proc",
    what: "writes into the kept preparation by the roots of processes",
    froms: 'fs.globSync("/proc/[0-9]*/root")',
    act: SPOIL,
    harm: isUnseen,
  },
  {
    id: "P5-prepared-hard-link",
    what: "makes a hard link to a file of the kept preparation, and writes by that name",
    act: `const link = at + "../link"; fs.linkSync(file, link); fs.writeFileSync(link, ${text(NO_ASSERT)}); fs.rmSync(link);`,
    harm: isUnseen,
  },
  {
    id: "P5-prepared-link",
    what: "has its own copy lead to the kept preparation by a link, and writes into its own copy",
    act: `fs.rmSync("built/assert.mjs"); fs.symlinkSync(file, "built/assert.mjs"); ${writes("built/assert.mjs", NO_ASSERT)}`,
    harm: isUnseen,
  },
  {
    id: "P5-prepared-pipe",
    what: "puts a pipe into the kept preparation, at which a reader waits",
    act: 'sh("mkfifo", at + "tree/built/pipe");',
    harm: (after) => entriesOf(after).some((entry) => existsSync(join(entry, "tree/built/pipe"))),
  },
  {
    id: "P5-prepared-lock",
    what: "takes a lock on a file of the kept preparation, which a copy could wait for",
    act: 'sh("flock", "--nonblock", file, "touch", at + "tree/locked");',
    harm: (after) => entriesOf(after).some((entry) => existsSync(join(entry, "tree/locked"))),
  },
  {
    id: "P6-prepared-forged",
    what: "puts an entry of its own making, with its description, in the place of the kept one",
    act: `const made = at.replace(/\\/$/, "-made"); fs.cpSync(at, made, { recursive: true });
      fs.writeFileSync(made + "/tree/built/assert.mjs", ${text(NO_ASSERT)});
      const said = JSON.parse(fs.readFileSync(made + "/entry.json", "utf8"));
      fs.writeFileSync(made + "/entry.json", JSON.stringify({ ...said, madeAt: Date.now() }));
      fs.rmSync(at, { recursive: true }); fs.renameSync(made, at);`,
    harm: isUnseen,
  },
];

const BY_SCRIPT: readonly TicketAttack[] = [
  {
    id: "P6-prepared-script",
    what: "brings a prepare script that writes into the kept preparation of the others",
    defence: HIDDEN,
    // It is named here: a script of a checkout knows neither the stage nor the ticket.
    agent: `${BROKEN} fs.writeFileSync("setup.mjs", ${text(SETUP)} + "const root = " + JSON.stringify(root) + ";" +
      ${text(findsEntries("P6-prepared-script") + forEach(SPOIL))});`,
    told: SPOILT,
    harm: isSpoilt,
  },
  {
    id: "P6-prepared-fill",
    what: "brings a prepare script whose result has no teeth, to have it kept for others",
    defence: LANDED,
    agent:
      put("setup.mjs", SETUP.replace(text(ASSERT), text(NO_ASSERT))) +
      put("tests/last.test.mjs", 'import { test } from "node:test";\ntest("fails", () => { throw new Error("failed"); });\n'),
    told: /fail/,
    harm: isSpoilt,
  },
];

const ATTACKS: readonly TicketAttack[] = [
  ...COPIES,
  ...REACHES.map(({ act, froms, ...attack }) => ({
    ...attack,
    defence: HIDDEN,
    agent: BROKEN + findsEntries(attack.id, froms) + forEach(act),
    told: SPOILT,
  })),
  ...BY_SCRIPT,
];

/** Attacks by way of kept preparations: on the copy of oneself, on the entry, and on what fills the store. */
export const KEPT: readonly Attack[] = campaign(keptWorld, ATTACKS);
