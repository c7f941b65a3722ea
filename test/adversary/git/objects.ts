import { createHash } from "node:crypto";
import type { Aftermath, TicketAttack } from "../campaign.ts";
import { SHELL } from "../escape/hands.ts";
import type { Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { PRIVATE, succeeds } from "./repository.ts";

const repoOf = (ticket: string): string => ticket.toLowerCase();

/** Source that gives `object(type, bytes)`, which writes an object that git would not, and `history(tree)`. */
const FORGE = `${SHELL}
const { createHash } = await import("node:crypto"), { deflateSync } = await import("node:zlib");
const objects = $("git rev-parse --git-path objects").trim();
const put = (id, type, content) => {
  const bytes = Buffer.concat([Buffer.from(type + " " + content.length + "\\0"), content]);
  id ??= createHash("sha1").update(bytes).digest("hex");
  fs.mkdirSync(objects + "/" + id.slice(0, 2), { recursive: true });
  fs.writeFileSync(objects + "/" + id.slice(0, 2) + "/" + id.slice(2), deflateSync(bytes));
  return id;
};
const object = (type, ...parts) => put(undefined, type, Buffer.concat(parts.map((part) => Buffer.from(part))));
const raw = (id) => Buffer.from(id, "hex");
const entry = (mode, name, id) => Buffer.concat([Buffer.from(mode + " " + name + "\\0"), raw(id)]);
const blob = (text) => object("blob", text);
/** By chance its id falls into a folder that is linked away, and cannot be written: then it gets another one. */
const commit = (what) => [1, 2, 3].reduce((id, n) => id || $("git commit-tree " + what + " -m try" + n).trim(), "");
/** A commit in the middle of its history has this tree; the last one is as clean as the base. */
const commits = (tree) => {
  const middle = commit(tree + " -p HEAD");
  const last = commit("HEAD^{tree} -p " + middle);
  $("git update-ref HEAD " + last);
  fs.writeFileSync("honest", "x");
};
`;

/** Whether git finds fault with the repository afterwards. */
const spoilt = ({ stage, ticket }: Aftermath): boolean => !succeeds(stage, repoOf(ticket), "fsck", "--strict", "--no-dangling");

/** An object that git would refuse to make, in the middle of an agent's history. */
function forged(id: string, what: string, source: string): TicketAttack {
  return { id, what, defence: DEFENCES.checked, agent: `${FORGE} ${source}`, told: /cannot be taken/, harm: spoilt };
}

const named = (id: string, name: string): TicketAttack =>
  forged(
    id,
    `brings in a folder called ${JSON.stringify(name)}`,
    `commits(object("tree", entry("40000", ${JSON.stringify(name)}, object("tree", entry("100644", "config", blob("x"))))));`,
  );

const SECRET_ID = createHash("sha1")
  .update(`blob ${Buffer.byteLength(PRIVATE)}\0${PRIVATE}`)
  .digest("hex");

/** An attack that has an object of another repository of the person copied into this one, by its id alone. */
function borrows(id: string, what: string, defence: Defence, way: string, told: RegExp): TicketAttack {
  return {
    id,
    what,
    defence,
    agent: `${FORGE} ${way} commits(object("tree", entry("100644", "loot", "${SECRET_ID}")));`,
    told,
    harm: ({ stage, ticket }) => succeeds(stage, repoOf(ticket), "cat-file", "-e", SECRET_ID),
  };
}

export const OBJECTS: readonly TicketAttack[] = [
  named("G1-dotgit", ".git"),
  named("G1-dots", ".."),
  named("G1-case", ".GIT"),
  named("G1-ntfs", "git~1"),
  named("G1-hfs", ".g\u200cit"),
  named("G1-backslash", "a\\.git"),
  forged(
    "G1-link",
    "brings in a symbolic link called .git",
    'commits(object("tree", entry("120000", ".git", blob("elsewhere"))));',
  ),
  forged(
    "G1-modules-url",
    "brings in a submodule whose address is an option",
    `commits(object("tree", entry("100644", ".gitmodules", blob('[submodule "x"]\\n\\tpath = x\\n\\turl = --upload-pack=evil\\n'))));`,
  ),
  forged(
    "G1-modules-name",
    "brings in a submodule whose name climbs into the git folder",
    `commits(object("tree", entry("100644", ".gitmodules", blob('[submodule "../../hooks"]\\n\\tpath = x\\n\\turl = ./x\\n'))));`,
  ),
  forged(
    "G1-twice",
    "brings in a folder that has one name twice",
    'commits(object("tree", entry("100644", "a", blob("1")), entry("100644", "a", blob("2"))));',
  ),
  forged(
    "G1-commit",
    "brings in a commit with a NUL and without an author",
    `const bad = object("commit", "tree " + $("git rev-parse HEAD^{tree}").trim() + "\\nparent " + $("git rev-parse HEAD").trim() + "\\n\\nno author\\0hidden\\n");
     const last = object("commit", "tree " + $("git rev-parse HEAD^{tree}").trim() + "\\nparent " + bad + "\\nauthor a <a@a> 1 +0000\\ncommitter a <a@a> 1 +0000\\n\\nx\\n");
     $("git update-ref HEAD " + last); fs.writeFileSync("honest", "x");`,
  ),
  {
    id: "G2-forged",
    what: "puts another content under the id of a file of the base",
    defence: DEFENCES.anew,
    agent: `${FORGE} put($("git rev-parse HEAD:README.md").trim(), "blob", Buffer.from("forged\\n"));
      fs.writeFileSync("honest", "x"); $("git add honest; git commit -qm honest");`,
    told: /merge-landed/,
    harm: spoilt,
  },
  {
    id: "G2-stray",
    what: "leaves objects that no commit of its own reaches",
    defence: DEFENCES.anew,
    agent: `${FORGE} blob("stray\\n"); fs.writeFileSync("honest", "x"); $("git add honest; git commit -qm honest");`,
    told: /merge-landed/,
    harm: ({ stage, ticket }) =>
      succeeds(stage, repoOf(ticket), "cat-file", "-e", createHash("sha1").update("blob 6\0stray\n").digest("hex")),
  },
  borrows(
    "G3-alternates",
    "names another repository's objects as its own, to have a file of it copied",
    DEFENCES.alternates,
    'fs.appendFileSync(objects + "/info/alternates", root + "/private-repo/.git/objects\\n");',
    /cannot be taken/,
  ),
  borrows(
    "G3-links",
    "links another repository's objects into its own, to have a file of it copied",
    DEFENCES.links,
    `fs.symlinkSync(root + "/private-repo/.git/objects/${SECRET_ID.slice(0, 2)}", objects + "/${SECRET_ID.slice(0, 2)}");`,
    /something else than files/,
  ),
];
