import type { RunEvent } from "../../../src/domain/run/event.ts";
import { type Aftermath, campaign, type TicketAttack, type World } from "../campaign.ts";
import { SHELL } from "../escape/hands.ts";
import type { Attack, Defence } from "../suite.ts";

/** Without one defence the next one is met: a test need not use up what a machine has. */
const SMALL = { in: "CAPTURE_BOUNDS", from: "memoryBytes: 3 * GIB", to: "memoryBytes: GIB / 2" };

const RULES: Defence = {
  name: "git is not started where it would open a pipe or a huge file for a list of rules",
  holes: [{ in: "refuseUnfitRules", from: 'if (first === "") return;', to: "if (first !== null) return;" }, SMALL],
};
const WEIGHED: Defence = {
  name: "objects are weighed by their headers before anything reads them",
  holes: [{ in: "Weight.#compare", from: "if (is > most)", to: "if (is > most * Number.MAX_VALUE)" }, SMALL],
};
const COUNTED: Defence = {
  name: "the files that a folder stands for are counted, each folder once",
  holes: [
    {
      in: "weighObjects",
      from: "(countLargestTree(new Map([...found, ...base]), known, MAX_FILES) === undefined)",
      to: "(found.size < 0)",
    },
    { in: "takeCommits", from: "(await holdsTooMuch(store, guard, tip))", to: "(tip === null)" },
    SMALL,
  ],
};
const SIZES: Defence = {
  name: "files are not read that are too large to be taken",
  holes: [
    {
      in: "stageAll",
      from: "await refuseTooLarge(options.guard, options.workTree, all);",
      to: "void refuseTooLarge;",
    },
  ],
};
const DEADLINE: Defence = {
  name: "a capture ends within the time of its attempt, whatever git waits for",
  holes: [
    {
      in: "guardedGit",
      from: "Math.min(bounds.ms, timeoutMs ?? bounds.ms)",
      to: "bounds.ms / 4",
    },
  ],
};

/** An attempt has twelve seconds, of which a capture gets ten at least. */
const world: World = {
  files: { "README.md": "# test\n", "src/a.js": "1;\n" },
  batch: { sandbox: "required", finish: [{ step: "gates" }, { step: "merge" }], limits: { minutesPerAttempt: 0.2, workers: 2 } },
};

const attack = (id: string, what: string, defence: Defence, agent: string, told: RegExp): TicketAttack => ({
  id,
  what,
  defence,
  agent: `${SHELL} fs.writeFileSync("honest", "x"); ${agent}`,
  told,
  // What comes after the defence stops it too, and later.
  harm: ({ said }) => !told.test(said),
});

const PIPE = /could not be captured: [^"]* is not a regular file/;
const LONG = /could not be captured: [^"]* is larger than 1024 KiB/;

const rules = (id: string, what: string, agent: string, told: RegExp): TicketAttack => attack(id, what, RULES, agent, told);

const LOOKED_FOR: readonly TicketAttack[] = [
  rules("F5-ignore", "leaves a pipe as list of ignored files", '$("mkfifo src/.gitignore");', PIPE),
  rules("F5-attributes", "leaves a pipe as list of attributes", '$("mkdir deep; mkfifo deep/.gitattributes");', PIPE),
  rules(
    "F5-nested",
    "leaves a pipe as HEAD of a repository in a folder",
    '$("mkdir -p x/.git/objects x/.git/refs; mkfifo x/.git/HEAD; echo > x/y");',
    PIPE,
  ),
  rules(
    "F5-ref",
    "leaves a pipe as branch of a repository in a folder",
    '$("git init -q x; mkfifo x/.git/refs/heads/main x/.git/refs/heads/master");',
    PIPE,
  ),
  rules(
    "F5-link",
    "leaves a link to a device as HEAD of a repository in a folder",
    '$("git init -q x; ln -sf /dev/zero x/.git/HEAD");',
    PIPE,
  ),
  rules(
    "F6-config",
    "leaves a configuration of ten gigabytes in a repository in a folder",
    '$("git init -q x; truncate -s 10G x/.git/config");',
    LONG,
  ),
  rules("F6-ignore", "leaves a list of ignored files of ten gigabytes", '$("truncate -s 10G src/.gitignore");', LONG),
  rules("F6-attributes", "leaves a list of attributes of ten gigabytes", '$("truncate -s 10G .gitattributes");', LONG),
  rules("F6-case", "does so under a name that folds to it", '$("mkdir d; truncate -s 10G d/.GITIGNORE");', LONG),
];

/** Source that gives `put(type, size, …parts)`, which writes an object that says it has this size, and `commit(tree, parent)`. */
const FORGE = `
const { createHash } = await import("node:crypto"), { deflateSync } = await import("node:zlib");
const objects = $("git rev-parse --git-path objects").trim();
const put = (type, size, ...parts) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const bytes = Buffer.concat([Buffer.from(type + " " + (size ?? content.length) + "\\0"), content]);
  const id = createHash("sha1").update(bytes).digest("hex");
  fs.mkdirSync(objects + "/" + id.slice(0, 2), { recursive: true });
  fs.writeFileSync(objects + "/" + id.slice(0, 2) + "/" + id.slice(2), deflateSync(bytes));
  return id;
};
const entry = (mode, name, id) => Buffer.concat([Buffer.from(mode + " " + name + "\\0"), Buffer.from(id, "hex")]);
const commit = (tree, parent = $("git rev-parse HEAD").trim()) => put("commit", undefined,
  "tree " + tree + "\\nparent " + parent + "\\nauthor a <a@a> 1 +0000\\ncommitter a <a@a> 1 +0000\\n\\nx\\n");
const empty = put("tree");
const tower = (levels, inner) => {
  let id = inner;
  for (let level = 0; level < levels; level++) id = put("tree", undefined, ...Array.from("abcdefghij", (name) => entry("40000", name, id)));
  return id;
};
const head = (id) => fs.writeFileSync($("git rev-parse --git-path " + $("git symbolic-ref HEAD").trim()).trim(), id + "\\n");
const HUGE = 400 * 2 ** 30;
`;

const objects = (id: string, what: string, defence: Defence, agent: string, told: RegExp): TicketAttack => ({
  ...attack(
    id,
    what,
    defence,
    `${FORGE} $("mkdir -p $(dirname $(git rev-parse --git-path $(git symbolic-ref HEAD)))"); ${agent}`,
    told,
  ),
});

const LARGE = /cannot be taken: one of its objects is larger than/;
const MANY = /cannot be taken: it holds more than 1000000 files/;

/** A folder of a sparse index, which git spells out where it is not told how sparse the worktree is. */
const SPARSE = `
const listed = $("git ls-files -s").trim().split("\\n").map((line) => line.split(/[ \\t]/));
const put16 = (n) => { const b = Buffer.alloc(2); b.writeUInt16BE(n); return b; };
const put32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32BE(n >>> 0); return b; };
const indexEntry = (mode, id, name, sparse) => {
  const flags = Buffer.concat([put16(Math.min(name.length, 0xfff) | (sparse ? 0x4000 : 0)), ...(sparse ? [put16(0x4000)] : [])]);
  const body = Buffer.concat([Buffer.alloc(24), put32(mode), Buffer.alloc(12), Buffer.from(id, "hex"), flags, Buffer.from(name)]);
  return Buffer.concat([body, Buffer.alloc(8 - (body.length % 8))]);
};
const sparseIndex = (...folders) => {
  const entries = [...listed.map(([mode, id, , name]) => [parseInt(mode, 8), id, name, false]),
    ...folders.map(([name, tree]) => [0o40000, tree, name + "/", true])]
    .toSorted((a, b) => (a[2] < b[2] ? -1 : 1)).map((each) => indexEntry(...each));
  const bytes = Buffer.concat([Buffer.from("DIRC"), put32(3), put32(entries.length), ...entries, Buffer.from("sdir"), put32(0)]);
  fs.writeFileSync($("git rev-parse --git-path index").trim(), Buffer.concat([bytes, createHash("sha1").update(bytes).digest()]));
};
const files = put("tree", undefined, ...Array.from("abcdefghij", (name) => entry("100644", name, put("blob", undefined, "x"))));
const before = $("git rev-parse HEAD^{tree}").trim();
`;

const OBJECTS: readonly TicketAttack[] = [
  objects(
    "F4-sparse",
    "leaves a sparse index with a folder that stands for ten billion files, from a commit in the middle of its history",
    COUNTED,
    `${SPARSE} const bomb = tower(9, files);
     head(commit(before, commit(put("tree", undefined, entry("40000", "bomb", bomb)))));
     sparseIndex(["bomb", bomb]);`,
    MANY,
  ),
  objects(
    "F4-ignored",
    "leaves one with such a folder by an ignored name",
    COUNTED,
    `${SPARSE} const bomb = tower(9, files); fs.writeFileSync(".gitignore", "bomb/\\n");
     head(commit(before, commit(put("tree", undefined, entry("40000", "bomb", bomb)))));
     sparseIndex(["bomb", bomb]);`,
    MANY,
  ),
  objects(
    "F4-many",
    "leaves one with a hundred folders that stand for a hundred thousand files each, from one commit",
    COUNTED,
    `${SPARSE} const some = tower(4, files); const names = Array.from({ length: 100 }, (_, n) => "f" + (100 + n));
     head(commit(before, commit(put("tree", undefined, ...names.map((name) => entry("40000", name, some))))));
     sparseIndex(...names.map((name) => [name, some]));`,
    MANY,
  ),
  objects(
    "F7-blob",
    "commits a file that says it has 400 gigabytes",
    WEIGHED,
    `head(commit(put("tree", undefined, entry("100644", "x", put("blob", HUGE, "x")))));`,
    LARGE,
  ),
  objects(
    "F7-tree",
    "commits a folder that says so",
    WEIGHED,
    `head(commit(put("tree", undefined, entry("40000", "x", put("tree", HUGE, "x")))));`,
    LARGE,
  ),
  objects(
    "F7-commit",
    "makes a commit that says so",
    WEIGHED,
    `head(commit($("git rev-parse HEAD^{tree}").trim(), put("commit", HUGE, "x")));`,
    LARGE,
  ),
  objects(
    "F7-sum",
    "commits many files that say they have a little less than is too much",
    WEIGHED,
    `const files = Array.from({ length: 30 }, (_, n) => entry("100644", "f" + (10 + n), put("blob", 400 * 2 ** 20, "" + n)));
     head(commit(put("tree", undefined, ...files)));`,
    /cannot be taken: its objects are larger than \d+ bytes together/,
  ),
  objects("F8-empty", "commits a folder that stands for 10^12 empty ones", COUNTED, "head(commit(tower(12, empty)));", MANY),
  objects(
    "F8-middle",
    "has such a folder in the middle of its history",
    COUNTED,
    `const tree = $("git rev-parse HEAD^{tree}").trim(); head(commit(tree, commit(tower(12, empty))));`,
    MANY,
  ),
  objects(
    "F8-base",
    "builds it of folders of the base",
    COUNTED,
    `head(commit(tower(12, $("git rev-parse HEAD:src").trim())));`,
    MANY,
  ),
];

const SLOW = "**/a*/".repeat(22);
const LATE = /could not be captured: [^"]*(?:took longer than|was ended at its limits)/;

/** The time from the agent's end to that of its attempt. Milliseconds. */
function captureMs(events: readonly RunEvent[], ticket: string): number {
  const at = (type: RunEvent["type"]) =>
    events.find((event) => event.type === type && "ticket" in event && event.ticket === ticket)?.at;
  return (at("attempt-ended") ?? Number.POSITIVE_INFINITY) - (at("agent-ended") ?? 0);
}

/** More than a capture of this world may take, and less than it takes where nothing ends it. */
const OVERDUE_MS = 20_000;

const late = (id: string, what: string, agent: string): TicketAttack => ({
  ...attack(id, what, DEADLINE, agent, LATE),
  harm: ({ events, ticket }: Aftermath) => captureMs(events, ticket) > OVERDUE_MS,
});

const DEEP = `const deep = Array.from({ length: 44 }, () => "a").join("/"); fs.mkdirSync(deep, { recursive: true }); fs.writeFileSync(deep + "/b", "b");`;

const WAITED_FOR: readonly TicketAttack[] = [
  late(
    "F9-ignore",
    "leaves an ignore pattern that takes exponential time",
    `${DEEP} fs.writeFileSync(".gitignore", "${SLOW}x\\n");`,
  ),
  late("F9-nested", "leaves it in a folder on the way", `${DEEP} fs.writeFileSync("a/.gitignore", "${SLOW}x\\n");`),
  late(
    "F5-elsewhere",
    "names a git folder that has a pipe as HEAD",
    `$("mkdir -p g/objects g/refs x; mkfifo g/HEAD; echo gitdir: ../g > x/.git; echo > x/y");`,
  ),
];

const BIG = /could not be captured: [^"]* (?:is|are) larger than \d+ MiB/;

const FILES: readonly TicketAttack[] = [
  attack("F10-one", "leaves a source file of six gigabytes", SIZES, '$("truncate -s 6G src/big.js");', BIG),
  attack(
    "F10-many",
    "leaves thirty of 200 megabytes",
    SIZES,
    '$("for n in $(seq 30); do truncate -s 200M src/big$n.js; done");',
    BIG,
  ),
  attack("F10-tracked", "makes a file of the base that long", SIZES, '$("truncate -s 6G src/a.js");', BIG),
];

/** Attacks by what an agent leaves for the engine's git to read. */
export const LEFTOVERS: readonly Attack[] = campaign(world, [...LOOKED_FOR, ...OBJECTS, ...FILES, ...WAITED_FOR]);
