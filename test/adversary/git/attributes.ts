import { campaign, type TicketAttack, type World } from "../campaign.ts";
import { SHELL } from "../escape/hands.ts";
import type { Attack, Defence } from "../suite.ts";

const CHECKOUT = {
  in: "pristineCheckout",
  from: "objectId(options.attributesOf ?? commit)",
  to: "commit",
};

/** Both walls, since either of them is enough. */
const PROTECTED: Defence = {
  name: "a change of attributes is a protected change",
  holes: [{ in: "protectedFor", from: '[...protect, ".gitattributes"]', to: "protect" }, CHECKOUT],
};

const CONVERTED: Defence = {
  name: "files are checked out by the attributes of the base, where a ticket may change attributes too",
  holes: [CHECKOUT],
};

/** The check is red on the base, and stays so, unless the protected data is not checked out as it is stored. */
const world: World = {
  files: {
    "README.md": "# test\n",
    "test/data.txt": "one\ntwo\n",
    "test/id.txt": "$Id$\n",
    "test/check.mjs": `import { readFileSync } from "node:fs";
const [data, id] = ["data", "id"].map((name) => readFileSync("test/" + name + ".txt", "latin1"));
process.exit(data === "one\\ntwo\\n" && id === "$Id$\\n" ? 1 : 0);
`,
  },
  batch: {
    sandbox: "required",
    protect: ["test/**"],
    finish: [
      { step: "gates" },
      { step: "check", name: "data", command: [process.execPath, "test/check.mjs"] },
      { step: "merge" },
    ],
  },
};

/** Ways to have other bytes checked out without a change of the file. */
const WAYS: readonly (readonly [id: string, what: string, agent: string])[] = [
  ["top", "has line ends converted by a file at the top", 'fs.writeFileSync(".gitattributes", "test/*.txt text eol=crlf\\n");'],
  ["ident", "has a keyword expanded", 'fs.writeFileSync(".gitattributes", "*.txt ident\\n");'],
  [
    "encoding",
    "has files written in another encoding",
    'fs.writeFileSync(".gitattributes", "data.txt working-tree-encoding=UTF-16LE\\n"); fs.writeFileSync("test/data.txt", Buffer.from("one\\ntwo\\n", "utf16le"));',
  ],
  ["macro", "says it by a macro", 'fs.writeFileSync(".gitattributes", "[attr]odd text eol=crlf\\n*.txt odd\\n");'],
  ["link", "says it by the target of a symbolic link", 'fs.symlinkSync("*.txt text eol=crlf", ".gitattributes");'],
];

const attacks = (prefix: string, defence: Defence, told: RegExp, ticket: object): TicketAttack[] =>
  WAYS.map(([id, what, agent]) => ({ id: `${prefix}-${id}`, what, defence, agent, told, ticket: { ...ticket } }));

/** Attacks on what is judged by what attributes make of it. */
export const ATTRIBUTES: readonly Attack[] = campaign(world, [
  ...attacks("F2", PROTECTED, /protected path[^"]*\.gitattributes \(added\)/, {}),
  {
    id: "F2-merged",
    what: "commits the attributes and takes them back in what it leaves, by a tree of its own",
    defence: PROTECTED,
    agent: `${SHELL} fs.writeFileSync(".gitattributes", "*.txt text eol=crlf\\n"); $("git add -A; git commit -qm a"); fs.writeFileSync("b", "b");`,
    told: /protected path[^"]*\.gitattributes \(added\)/,
  },
  ...attacks("F2-allowed", CONVERTED, /"name":"data","summary":"[^"]*exited with code 1/, { allow: { attributes: true } }),
]);
