import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../../e2e/stage.ts";
import { campaign, type TicketAttack, type World } from "../campaign.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { SHELL } from "./hands.ts";
import { type Habit, HOLD, startKeeper } from "./keeper.ts";

/** An attack on a program of the person's, which has the habit that the attack is aimed at. */
interface Aim {
  readonly id: string;
  readonly what: string;
  readonly defence: Defence;
  readonly habit: Habit;
  /** Where: from the stage's root, in the repository of the attack (`.git/…`), or of the machine (`/…`). */
  readonly at: string;
  /** What is done, of `hold`, `call` and `at`; in an agent, or in a check that an agent wrote. */
  readonly act: string;
  readonly inside?: "check";
}

const SHARED = "shared";
const { overlays, filter, watching } = DEFENCES;
const LATEST = `const seen = new Set(fs.readdirSync(root + "/shared")); let made;
  while ((made = fs.readdirSync(root + "/shared").find((name) => name.startsWith(ticket + "-") && !seen.has(name))) === undefined) await new Promise((go) => setImmediate(go));
  await call(root + "/shared/" + made);`;

const AIMS: readonly Aim[] = [
  {
    id: "F11",
    what: "writes into a pipe in a folder that it may read",
    defence: overlays,
    habit: "pipe",
    at: `${SHARED}/F11`,
    act: `hold("both-ends", at);`,
  },
  {
    id: "F11-one-end",
    what: "opens a pipe for writing only, as long as somebody reads",
    defence: overlays,
    habit: "pipe",
    at: `${SHARED}/F11-one-end`,
    act: `hold("one-end", at);`,
  },
  {
    id: "F11-link",
    what: "writes into a pipe by a link of its own",
    defence: overlays,
    habit: "pipe",
    at: `${SHARED}/F11-link`,
    act: `hold("link", at);`,
  },
  {
    id: "F11-check",
    what: "writes into a pipe from inside a check",
    defence: overlays,
    habit: "pipe",
    at: `${SHARED}/F11-check`,
    act: `hold("both-ends", at);`,
    inside: "check",
  },
  {
    id: "F12-renamed",
    what: "talks to a socket that has another name than it was made by",
    defence: overlays,
    habit: "renamed",
    at: `${SHARED}/F12-renamed`,
    act: `await call(at);`,
  },
  {
    id: "F12-relative",
    what: "talks to a socket that was made by a relative path",
    defence: overlays,
    habit: "relative",
    at: `${SHARED}/F12-relative`,
    act: `await call(at);`,
  },
  {
    id: "F12-network",
    what: "talks to a socket of another network namespace",
    defence: overlays,
    habit: "network",
    at: `${SHARED}/F12-network`,
    act: `await call(at);`,
  },
  {
    id: "F12-later",
    what: "talks to a socket that was made after it started",
    defence: overlays,
    habit: "later",
    at: `${SHARED}/F12-later`,
    act: LATEST,
  },
  {
    id: "F12-check",
    what: "talks to a renamed socket from inside a check",
    defence: overlays,
    habit: "renamed",
    at: `${SHARED}/F12-check`,
    act: `await call(at);`,
    inside: "check",
  },
  {
    id: "F19",
    what: "takes all instances of inotify",
    defence: watching,
    habit: "watching",
    at: SHARED,
    act: `hold("watch", at);`,
  },
  {
    id: "F19-many",
    what: "takes them with many processes",
    defence: watching,
    habit: "watching",
    at: SHARED,
    act: `hold("watch", at, 8);`,
  },
  {
    id: "F19-check",
    what: "takes them from inside a check",
    defence: watching,
    habit: "watching",
    at: SHARED,
    act: `hold("watch", at);`,
    inside: "check",
  },
  {
    id: "F20",
    what: "has a lease on a file that it may read, so that others wait who write it",
    defence: filter,
    habit: "lease",
    at: `${SHARED}/F20-plain`,
    act: `hold("lease", at);`,
  },
  {
    id: "F20-shared",
    what: "has a lease on a file in a folder that it may read",
    defence: filter,
    habit: "lease",
    at: `${SHARED}/F20`,
    act: `hold("lease", at);`,
  },
  {
    id: "F20-again",
    what: "has a lease on a file that it opened again by its number",
    defence: filter,
    habit: "lease",
    at: `${SHARED}/F20-again`,
    act: `hold("again", at);`,
  },
  {
    id: "F20-check",
    what: "has a lease from inside a check",
    defence: filter,
    habit: "lease",
    at: `${SHARED}/F20-check`,
    act: `hold("lease", at);`,
    inside: "check",
  },
  {
    id: "F21",
    what: "locks a file of the system",
    defence: overlays,
    habit: "lock",
    at: "/etc/passwd",
    act: `hold("lock", at);`,
  },
  {
    id: "F21-shared",
    what: "has a shared lock, which keeps out who wants it alone",
    defence: overlays,
    habit: "lock",
    at: "/usr/bin/env",
    act: `hold("shared-lock", at);`,
  },
  {
    id: "F21-range",
    what: "locks a range of a file (POSIX)",
    defence: overlays,
    habit: "range",
    at: `${SHARED}/F21-range`,
    act: `hold("range", at);`,
  },
  {
    id: "F21-check",
    what: "locks a file of the system from inside a check",
    defence: overlays,
    habit: "lock",
    at: "/etc/group",
    act: `hold("lock", at);`,
    inside: "check",
  },
];

const pathOf = (stage: Stage, { id, at }: Aim): string =>
  at.startsWith("/") ? at : at.startsWith(".git/") ? stage.path(id.toLowerCase(), at) : stage.path(at);

/** What is run: where it is, and where it is aimed at, it is told by a file, for a check knows neither. */
function attackOf(aim: Aim): TicketAttack {
  const where = aim.at.startsWith("/")
    ? JSON.stringify(aim.at)
    : `root + ${JSON.stringify(`/${aim.at.startsWith(".git/") ? join(aim.id.toLowerCase(), aim.at) : aim.at}`)}`;
  const script = `${SHELL}${HOLD}const at = ${where};\n${aim.act}\nend();`;
  const start = `import * as fs from "node:fs"; const ticket = ${JSON.stringify(aim.id)}, say = (line) => console.log(line), root = fs.readFileSync("root", "utf8");`;
  const check = { step: "check", name: "check", command: [process.execPath, "check.mjs"] };
  return {
    id: aim.id,
    what: aim.what,
    defence: aim.defence,
    told: /tried|refused|ECONNREFUSED|ENOENT/,
    harm: ({ stage, ticket }) => existsSync(stage.path("hits", ticket)),
    ...(aim.inside === undefined
      ? { agent: script }
      : {
          agent: `fs.writeFileSync("root", root); fs.writeFileSync("check.mjs", ${JSON.stringify(`${start}\n${script}`)});`,
          ticket: { body: "Write check.mjs.", finish: [{ step: "gates" }, check, { step: "merge" }] },
        }),
  };
}

const world: World = {
  files: { "README.md": "# test\n" },
  batch: { sandbox: "required", sandboxPolicy: { read: [SHARED] }, finish: [{ step: "gates" }, { step: "merge" }] },
  around: (stage) => void stage.write(`${SHARED}/.keep`, ""),
  furnish: (stage, { attack }) => {
    const aim = AIMS.find(({ id }) => id === attack.id);
    if (aim === undefined) throw new Error(`${attack.id} is aimed at nothing`);
    const path = pathOf(stage, aim);
    if ((aim.habit === "lease" || aim.habit === "range") && !existsSync(path)) stage.write(aim.at, "a person's\n");
    startKeeper(stage, { ticket: aim.id, habit: aim.habit, path });
  },
};

/** Attacks on what a person's other programs hold: pipes, sockets, locks, and what the kernel counts for a user. */
export const OUTSIDE: readonly Attack[] = campaign(world, AIMS.map(attackOf));
