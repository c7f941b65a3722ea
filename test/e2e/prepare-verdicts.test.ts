import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { Stage } from "./stage.ts";

const NODE = process.execPath;
/** Makes one file of all inputs, and a copy of each in a folder of packages. */
const SETUP = `import * as fs from "node:fs";
const names = fs.readdirSync("inputs").sort();
fs.mkdirSync("built/packages", { recursive: true });
fs.writeFileSync("built/all", names.map((name) => name + fs.readFileSync("inputs/" + name, "utf8")).join(""));
for (const name of names) fs.copyFileSync("inputs/" + name, "built/packages/" + name);
`;
/** Passes if what was made is made of these inputs, and nothing in it or beside it is bad. */
const CHECK = `import * as fs from "node:fs";
const names = fs.readdirSync("inputs").sort();
const all = names.map((name) => name + fs.readFileSync("inputs/" + name, "utf8")).join("");
const made = fs.readFileSync("built/all", "utf8");
const code = fs.readdirSync("code").map((name) => fs.readFileSync("code/" + name, "utf8")).join("");
if (made !== all || (made + code).includes("bad")) process.exit(1);
if (fs.readdirSync("built/packages").length !== names.length) process.exit(1);
`;

/** A change of one ticket: to an input or to code, good or bad; some also spoil what was prepared for their worktree. */
const change = fc.record({
  folder: fc.constantFrom("inputs", "code"),
  name: fc.constantFrom("a", "b", "c", "d"),
  isBad: fc.boolean(),
  spoils: fc.boolean(),
});
type Change = Readonly<{ folder: string; name: string; isBad: boolean; spoils: boolean }>;

/** The outcome of each ticket, worked one after the other. */
async function verdicts(changes: readonly Change[], repo: Readonly<Record<string, unknown>>) {
  using stage = new Stage();
  const files = {
    "inputs/a": "1",
    "inputs/b": "2",
    "code/a": "3",
    "setup.mjs": SETUP,
    "check.mjs": CHECK,
    ".gitignore": "built\n",
  };
  stage.repo("app", files);
  stage.agent(`const { folder, name, isBad, spoils } = ${JSON.stringify(changes)}[Number(ticket.slice(2))];
if (spoils) fs.writeFileSync("built/all", "bad");
fs.writeFileSync(folder + "/" + name, (isBad ? "bad " : "good ") + ticket);`);
  const tickets = changes.map((_, n) => `T-${n}`);
  const batch = stage.batch(tickets, {
    sandbox: "required",
    repos: { app: { path: "app", prepare: [[NODE, "setup.mjs"]], ...repo } },
    finish: [{ step: "check", name: "look", command: [NODE, "check.mjs"] }, { step: "merge" }],
    limits: { workers: 1, attempts: 1 },
  });
  const { events } = await stage.events(batch);
  const prepared = events.filter((event): event is Extract<RunEvent, { type: "prepared" }> => event.type === "prepared");
  return { landed: stage.landed(), reused: prepared.filter(({ reused }) => reused).length };
}

test("verdicts are the same whether prepare is reused or not", { timeout: 300_000 }, async () => {
  let reused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 5 }), async (changes) => {
      const [narrow, tree, off] = await Promise.all([
        verdicts(changes, { inputs: ["inputs/**", "setup.mjs"] }),
        verdicts(changes, {}),
        verdicts(changes, { cache: false }),
      ]);
      reused += narrow.reused + tree.reused;
      expect(off.reused).toBe(0);
      expect(narrow.landed).toEqual(off.landed);
      expect(tree.landed).toEqual(off.landed);
    }),
    { numRuns: 4, endOnFailure: true },
  );
  expect(reused).toBeGreaterThan(0);
});
