import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HONEST } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { attack, type Trial } from "./attacks.ts";
import { DEFENCES } from "./defences.ts";
import { TOKEN } from "./servers.ts";

const ENCODED = Buffer.from(TOKEN).toString("base64");
/** The texts of the files of a run with these names. Throws if there is none. */
function texts({ stage }: Trial, pattern: string): string {
  const files = globSync(`runs/*/${pattern}`, { cwd: stage.home });
  if (files.length === 0) throw new Error(`the run has no ${pattern}`);
  return files.map((file) => readFileSync(join(stage.home, file), "latin1")).join("\n");
}
const has = (text: string) => [TOKEN, ENCODED, encodeURIComponent(TOKEN)].some((form) => text.includes(form));
const verify = (stage: Trial["stage"]) => {
  stage.write("verify.sh", "exit 0\n");
  return { step: "verify", name: "live", command: ["sh", "{batch}/verify.sh"], env: { TOKEN: "{secret:corp}" } };
};

/** Ways of a secret into the files of a run that no program takes on purpose. */
export const MASKED: readonly Attack[] = [
  attack({
    id: "X17-patch",
    what: "a change holds the value, which nobody knows for one: its patch does not",
    defence: DEFENCES.patches,
    set: ({ stage }) => {
      stage.repo("app");
      stage.agent(`${HONEST} fs.writeFileSync("fixture.txt", "${TOKEN}\\n${ENCODED}\\n");`);
      const red = { step: "check", name: "tests", command: ["false"], canary: "off" };
      return { finish: [red, { step: "merge" }, verify(stage)] };
    },
    harm: (trial) => has(texts(trial, "tickets/T-1/attempt-*/*.patch")),
  }),
  attack({
    id: "X17-prompt",
    what: "a ticket's text holds the value: the prompt of its agent does not",
    defence: DEFENCES.prompts,
    set: ({ stage }) => {
      stage.repo("app");
      return {
        tickets: [{ id: "T-1", title: "one", body: `Use ${TOKEN}, or ${encodeURIComponent(TOKEN)}` }],
        finish: [{ step: "merge" }, verify(stage)],
      };
    },
    harm: (trial) => has(texts(trial, "tickets/T-1/attempt-*/prompt.md")),
  }),
  attack({
    id: "X17-early",
    what: "a check prints the value before any step has fetched it",
    defence: DEFENCES.early,
    set: ({ stage }) => {
      stage.repo("app");
      const check = { step: "check", name: "tests", command: ["sh", "-c", `echo ${TOKEN}`], canary: "off" };
      return { finish: [check, { step: "merge" }, verify(stage)] };
    },
    harm: (trial) => has(texts(trial, "tickets/T-1/attempt-*/*.log")),
  }),
  attack({
    id: "X17-facts",
    what: "an agent's notes hold the value, which a fact of the journal repeats",
    defence: DEFENCES.facts,
    set: ({ stage }) => {
      stage.repo("app");
      const found = `{ title: "Rotate ${TOKEN}", body: "it is ${ENCODED}", reason: "found" }`;
      stage.agent(`${HONEST} fs.mkdirSync(process.env.LOOPDASH_OUTBOX + "/discovered", { recursive: true });
        fs.writeFileSync(process.env.LOOPDASH_OUTBOX + "/discovered/a.json", JSON.stringify(${found}));`);
      return { finish: [{ step: "merge" }, verify(stage)] };
    },
    harm: ({ stage }) =>
      has(
        globSync("loopdash.db*", { cwd: stage.home })
          .map((file) => readFileSync(join(stage.home, file), "latin1"))
          .join(),
      ),
  }),
];
