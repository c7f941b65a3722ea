import type { Aftermath, World } from "../campaign.ts";

const REPORT = "{artifacts}/report.xml";

/** A check that the ticket's work is done: `work.txt` says so. Few agents here do it. */
export const WORKED = { step: "check", name: "work", command: [process.execPath, "check.mjs"] } as const;
/** Node's own runner on the tests of the repository, judged test by test. */
export const TESTED = {
  step: "check",
  name: "tests",
  command: [process.execPath, "--test", "--test-reporter=junit", `--test-reporter-destination=${REPORT}`],
  report: { format: "junit", path: REPORT },
} as const;
/** Two files that are right alone and wrong together. */
export const TOGETHER = { step: "check", name: "together", command: [process.execPath, "together.mjs"] } as const;

const FILES = {
  "README.md": "# plan\n\n- [ ] write work.txt\n- [ ] tell the truth\n",
  "work.txt": "todo\n",
  ".gitignore": "*.local\n",
  "check.mjs": 'import fs from "node:fs"; process.exit(fs.readFileSync("work.txt", "utf8") === "done\\n" ? 0 : 1);\n',
  "together.mjs": `import fs from "node:fs";
process.exit(fs.existsSync("one.txt") && fs.existsSync("two.txt") ? 1 : 0);
`,
  "add.mjs": "export const add = (a, b) => a + b;\n",
  "test/add.test.mjs": `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";
test("adds", () => assert.equal(add(1, 2), 3));
test("adds negative numbers", () => assert.equal(add(-1, -2), -3));
`,
};

/** Agents with the engine's own rights: only the engine's own checks stop them. */
export const OPEN: World = {
  files: FILES,
  batch: { sandbox: "off", finish: [{ step: "gates" }, { step: "merge" }] },
};

/** Agents in the sandbox, with tickets in a folder, so a person may settle one by hand. */
export function walled(ids: readonly string[]): World {
  return {
    files: FILES,
    batch: {
      sandbox: "required",
      finish: [{ step: "gates" }, WORKED, { step: "merge" }],
      tracker: { kind: "local", path: "tickets" },
    },
    around: (stage) => {
      for (const id of ids) stage.write(`tickets/${id}.md`, `---\ntitle: Do ${id}\nstate: open\n---\n- [ ] write work.txt\n`);
    },
  };
}

/** True if the last judgement leaves nothing open on the ticket. */
export function isSettled({ events, ticket, code, stderr }: Aftermath, id = ticket): boolean {
  const last = events.findLast((event) => event.type === "oracle-judged");
  if (last?.type !== "oracle-judged") {
    const ends = events.filter(({ type }) => /^(?:run-ended|tripwire-ended|stop-requested|heal-ended)$/.test(type));
    throw new Error(`nothing was judged: exit code ${code}\n${[...ends, stderr].map((each) => JSON.stringify(each)).join("\n")}`);
  }
  const { verdict, open, counts } = last.judgement;
  if (verdict === "unjudged" || open.length !== counts.open) throw new Error(`nothing was judged: ${JSON.stringify(last)}`);
  return !open.some((each) => each === id);
}
