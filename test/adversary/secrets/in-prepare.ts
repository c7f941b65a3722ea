import { symlinkSync } from "node:fs";
import { HONEST } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { attack, BACKWARDS, keptIn } from "./attacks.ts";
import { DEFENCES } from "./defences.ts";

const env = { TOKEN: "{secret:corp}" };
const after = (command: readonly string[], ...others: readonly (readonly string[])[]) => ({
  app: { path: "app", prepare: [{ command, env }, ...others] },
});
/** A command of a shell that spells the variable backwards, and `nothing` if there is none. */
const SPELLS = `echo "spelt $TOKEN" ${BACKWARDS}`;
const merged = [{ step: "merge" }];
/** An agent that puts this text in the place of a script that prepare or a check runs, and so has it run on its candidate. */
const rewrites = (file: string, text: string) => `${HONEST} fs.writeFileSync("${file}", ${JSON.stringify(`${text}\n`)});`;

/** Attacks on a secret that a program of `prepare` holds in a variable. */
export const IN_PREPARE: readonly Attack[] = [
  attack({
    id: "X15-scripts",
    what: "the install scripts of a change run after a prepare command that holds a secret, and look for it",
    defence: DEFENCES.oneCommand,
    set: ({ stage }) => {
      stage.repo("app", { "package.json": '{"name": "app", "version": "1.0.0"}' });
      stage.write("fetch.sh", "echo model >model.txt\n");
      const scripts = JSON.stringify({ name: "app", version: "1.0.0", scripts: { prepare: SPELLS } });
      stage.agent(`${HONEST} fs.writeFileSync("package.json", ${JSON.stringify(scripts)});`);
      const npm = ["npm", "install", "--foreground-scripts", "--no-audit", "--no-fund", "--offline"];
      return {
        repos: after(["sh", "{batch}/fetch.sh"], npm),
        finish: [{ step: "check", name: "tests", command: ["true"], canary: "off" }, ...merged],
      };
    },
    harm: keptIn,
  }),
  attack({
    id: "X15-tree",
    what: "an agent reads the settings that a program of prepare left in its copy of what was prepared, with the secret",
    defence: DEFENCES.leftInTree,
    set: ({ stage }) => {
      stage.repo("app", { ".gitignore": ".models\n" });
      stage.write("fetch.sh", 'mkdir -p .models; echo "token=$TOKEN" >.models/settings\n');
      stage.agent(`${HONEST} say([...fs.readFileSync(".models/settings", "utf8")].reverse().join(""));`);
      return { repos: after(["sh", "{batch}/fetch.sh"]), finish: merged };
    },
    harm: keptIn,
  }),
  attack({
    id: "X15-check",
    what: "a check reads what a program of prepare left of the secret in the git settings of its checkout",
    defence: DEFENCES.leftInTree,
    set: ({ stage }) => {
      stage.repo("app", { "check.sh": "exit 0\n" });
      stage.write(
        "fetch.sh",
        `[ ! -d .git ] || printf '[remote "models"]\\n\\turl = https://%s@host/\\n' "$TOKEN" >>.git/config\n`,
      );
      stage.agent(rewrites("check.sh", `cat .git/config ${BACKWARDS}`));
      return {
        repos: { app: { ...after(["sh", "{batch}/fetch.sh"]).app, cache: false } },
        finish: [{ step: "check", name: "tests", command: ["sh", "check.sh"], canary: "off" }, ...merged],
      };
    },
    harm: keptIn,
  }),
  attack({
    id: "X15-repository",
    what: "a prepare command with a secret runs a script of the repository, which an agent writes anew",
    defence: DEFENCES.ownProgram,
    set: ({ stage }) => {
      stage.repo("app", { "fetch.sh": "exit 0\n" });
      stage.agent(rewrites("fetch.sh", SPELLS));
      return {
        repos: after(["sh", "./fetch.sh"]),
        finish: [{ step: "check", name: "tests", command: ["true"], canary: "off" }, ...merged],
      };
    },
    harm: keptIn,
  }),
  attack({
    id: "X15-link",
    what: "the program of a prepare command with a secret leads into the repository, where a change lands that writes it anew",
    defence: DEFENCES.program,
    set: ({ stage }) => {
      stage.repo("app", { "fetch.sh": "exit 0\n" });
      symlinkSync(stage.path("app"), stage.path("live"));
      stage.agent(rewrites("fetch.sh", SPELLS));
      const verify = { step: "verify", name: "live", command: ["true"] };
      return {
        sandboxPolicy: { read: ["live"] },
        repos: after(["sh", "{batch}/live/fetch.sh"]),
        finish: [...merged, verify],
      };
    },
    harm: keptIn,
  }),
  attack({
    id: "X15-written",
    what: "the program of a prepare command with a secret lies in a folder that agents may write, and an agent writes it anew",
    defence: DEFENCES.written,
    set: ({ stage }) => {
      stage.repo("app");
      stage.write("shared/fetch.sh", "exit 0\n");
      stage.agent(`${HONEST} fs.writeFileSync("${stage.path("shared/fetch.sh")}", ${JSON.stringify(`${SPELLS}\n`)});`);
      return {
        sandboxPolicy: { write: ["shared"] },
        repos: after(["sh", "{batch}/shared/fetch.sh"]),
        finish: [{ step: "check", name: "tests", command: ["true"], canary: "off" }, ...merged],
      };
    },
    harm: keptIn,
  }),
];
