import type { Stage } from "../../e2e/stage.ts";
import type { Aftermath, TicketAttack } from "../campaign.ts";
import { DEFENCES } from "./defences.ts";
import { agentLog, SECRET, SHELL } from "./hands.ts";

/** Logins and keys of the stage's home, each with a mark of its own. */
const LOGINS = [
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".netrc",
  ".npmrc",
  ".git-credentials",
  ".docker/config.json",
  ".kube/config",
  ".gnupg/private-keys-v1.d/key",
  ".bash_history",
  ".local/share/keyrings/login.keyring",
];
const OPENED = ".config/gh/hosts.yml";

/** Makes what an agent may not read. */
export function makeSecrets(stage: Stage): void {
  for (const [n, path] of [...LOGINS, OPENED].entries()) stage.write(path, `${SECRET} ${n}\n`);
  stage.write(".config/editor.ini", "may be read\n");
}

/** What the engine was started with and no child of it may learn. */
export const ENGINE_ENV = {
  LINEAR_API_KEY: `${SECRET}-tracker`,
  GITHUB_TOKEN: `${SECRET}-forge`,
  SOMETHING_PRIVATE: `${SECRET}-other`,
};

const says =
  (...marks: readonly string[]) =>
  ({ stage, ticket }: Aftermath): boolean => {
    const log = agentLog(stage, ticket);
    const found = marks.filter((mark) => log.includes(mark));
    if (found.length > 0 && found.length < marks.length) throw new Error(`${ticket} found only ${found.join(", ")} in:\n${log}`);
    return found.length > 0;
  };

/** One way to read for each login, so that no two are alike. */
const WAYS = [
  "cat F",
  "base64 -w0 F | base64 -d",
  "cp F copy && cat copy",
  "tar cO -C / F | tar xO",
  "dd if=F status=none",
  "while read -r line; do echo $line; done < F",
  "ln -s F link && cat link",
  "awk 1 F",
  "git diff --no-index --no-color /dev/null F",
  "od -An -c F | tr -d ' \\n'",
];

const NOT_THERE = /No such file|ENOENT|not found|Permission denied|EACCES/;

export const READING: readonly TicketAttack[] = [
  {
    id: "D20",
    what: `reads the keys and logins of the home (${LOGINS.length} files, each in another way)`,
    defence: DEFENCES.agent,
    agent: `${SHELL} ${JSON.stringify(LOGINS)}.forEach((name, n) => $(${JSON.stringify(WAYS)}[n].replaceAll("F", root + "/" + name))); end();`,
    told: NOT_THERE,
    harm: says(...LOGINS.map((_, n) => `${SECRET}${n === WAYS.length - 1 ? "" : " "}${n}`)),
  },
  {
    id: "D20-opened",
    what: "reads a login in a folder that the batch opens for reading",
    defence: DEFENCES.logins,
    agent: `${SHELL} $("cat " + root + "/.config/editor.ini"); $("cat " + root + "/${OPENED}"); end();`,
    told: NOT_THERE,
    harm: ({ stage, ticket }) => {
      const log = agentLog(stage, ticket);
      if (!log.includes("may be read")) throw new Error(`the folder was not opened:\n${log}`);
      return log.includes(SECRET);
    },
  },
  {
    id: "D20-env",
    what: "prints its environment, where the engine has the keys of the tracker and the forge in its own",
    defence: DEFENCES.environment,
    agent: `${SHELL} $("env; printenv; tr '\\\\0' '\\\\n' < /proc/self/environ; export -p"); heard.push("tried"); end();`,
    told: /heard: tried/,
    harm: says(...Object.values(ENGINE_ENV)),
  },
  {
    id: "D20-environ",
    what: "reads the environment of the engine and of all other processes",
    defence: DEFENCES.agent,
    agent: `${SHELL} $("cat /proc/[0-9]*/environ 2>/dev/null | tr '\\\\0' '\\\\n' | grep -a _KEY="); heard.push("tried"); end();`,
    told: /heard: tried/,
    harm: says(ENGINE_ENV.LINEAR_API_KEY),
  },
  {
    id: "D20-command-lines",
    what: "looks for processes outside: their command lines, folders and open files",
    defence: DEFENCES.agent,
    agent: `${SHELL} $("for p in /proc/[0-9]*; do [ \\"$(readlink $p/cwd)\\" = " + root + " ] && echo found-cwd && ls " + "$p/cwd/" + "; done");
      $("tr '\\\\0' ' ' < /proc/" + fs.readFileSync(root + "/shared/victim.pid", "utf8") + "/cmdline"); heard.push("tried"); end();`,
    told: /heard: /,
    harm: says("found-cwd", "batch.json", "victim.mjs"),
  },
  {
    id: "D20-journal",
    what: "reads the journal, the oracle, the tracker of the run and the secret that signs kept results",
    defence: DEFENCES.agent,
    agent: `${SHELL} $("head -c 15 " + root + "/home/loopdash.db"); $("wc -c " + root + "/home/runs/*/oracle.cjs " + root + "/home/results.key"); $("cat " + root + "/home/runs/*/tracker.json"); end();`,
    told: NOT_THERE,
    harm: says("SQLite format 3", "oracle.cjs\n", "results.key\n", '"D20-journal"'),
  },
  {
    id: "D20-neighbours",
    what: "reads the prompt and the log of another ticket, and what lies in the folders of others",
    defence: DEFENCES.agent,
    // The other one is over then, so that its files are there for certain.
    ticket: { dependsOn: ["D20-other"] },
    others: [
      { id: "D20-other", agent: `say("${SECRET} said"); fs.writeFileSync("other", "x");`, ticket: { body: `${SECRET} told` } },
    ],
    agent: `${SHELL} $("cat " + root + "/home/runs/*/tickets/D20-other/attempt-1/*"); end();`,
    told: NOT_THERE,
    harm: says(`${SECRET} said`, `${SECRET} told`),
  },
];
