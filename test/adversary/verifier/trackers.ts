import { globSync, writeFileSync } from "node:fs";
import { PROGRAM, Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { IDLE, mustSay, trials } from "./trials.ts";

/** What stands in the embedded tracker of a run that is over, and is judged by the oracle that ships. */
interface Written {
  readonly id: string;
  readonly what: string;
  /** T-1 as it is written; it is done otherwise. Undefined: it is not there. */
  readonly ticket: Readonly<Record<string, unknown>> | undefined;
  readonly told: RegExp;
  /** Written beside it. */
  readonly more?: Readonly<Record<string, unknown>>;
}

let over: ReturnType<typeof endRun> | undefined;

/** A run of the program as it ships that is over, with its tracker as it left it. */
async function endRun() {
  const stage = new Stage();
  stage.repo("app");
  const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], IDLE);
  const { code, stderr } = await stage.run([batch, "--json"]);
  if (code !== 1) throw new Error(`the run ended with ${code}: ${stderr}`);
  const [file = ""] = globSync("runs/*/tracker.json", { cwd: stage.home });
  return { stage, file: `${stage.home}/${file}`, batch };
}

export async function removeOverRun(): Promise<void> {
  (await over)?.stage[Symbol.dispose]();
}

function written(defence: Defence, list: readonly Written[]): Attack[] {
  return list.map(({ id, what, ticket, told, more }) => ({
    id,
    what,
    defence,
    async succeeds(program) {
      over ??= endRun();
      const { stage, file, batch } = await over;
      const common = { title: "x", body: "" };
      const tickets = [
        ...(ticket === undefined ? [] : [{ id: "T-1", ...common, ...ticket }]),
        { id: "T-2", ...common, state: "done" },
        ...(more === undefined ? [] : [{ ...common, ...more }]),
      ];
      writeFileSync(file, JSON.stringify({ version: 1, tickets }));
      const { code, stdout, stderr } = await stage.start(["oracle", batch], {}, program).ended;
      if (code !== 0 && program === PROGRAM) mustSay({ said: stdout + stderr }, told);
      return code === 0;
    },
  }));
}

const STATES: Readonly<Record<string, string>> = {
  "C1-Done": "Done",
  "C1-DONE": "DONE",
  "C1-done-blank": "done ",
  "C1-blank-done": "\u00a0done",
  "C1-done-stop": "done.",
  "C1-full-width": "\uff44\uff4f\uff4e\uff45",
  "C1-cyrillic": "d\u043ene",
  "C1-no-width": "do\u200bne",
  "C1-is-closed": "closed",
  "C1-empty": "",
};

const WORDS = written(DEFENCES.words, [
  ...Object.entries(STATES).map(([id, state]) => ({
    id,
    what: `a ticket's state is ${JSON.stringify(state)}`,
    ticket: { state },
    told: /which is none of open, done and human-gated/,
  })),
  { id: "C1-gate", what: "a ticket is gated without a step", ticket: { state: "human-gated" }, told: /"open":\["T-1"\]/ },
  {
    id: "C1-gate-blank",
    what: "a ticket is gated with a step of blanks",
    ticket: { state: "human-gated", humanStep: "  \u00a0" },
    told: /"open":\["T-1"\]/,
  },
]);

const ONCE = written(DEFENCES.exactlyOnce, [
  { id: "B11-gone", what: "a ticket is taken out of the tracker", ticket: undefined, told: /is not in the tracker/ },
  {
    id: "B11-twice",
    what: "an open ticket is there once more, done",
    ticket: { state: "open" },
    more: { id: "T-1", state: "done" },
    told: /is in the tracker twice/,
  },
]);

const EMPTY = trials(DEFENCES.notEmpty, [
  {
    id: "C4",
    what: "a folder without tickets is judged",
    async succeeds(program) {
      using stage = new Stage();
      stage.repo("app");
      stage.write("tickets/README.md", "no tickets\n");
      const batch = stage.batch([], { ...IDLE, tracker: { kind: "local", path: "tickets" } });
      const { code, stdout, stderr } = await stage.start(["oracle", batch], {}, program).ended;
      if (code !== 0 && program === PROGRAM) mustSay({ said: stdout + stderr }, /the folder holds no tickets/);
      return code === 0;
    },
  },
]);

export const TRACKERS: readonly Attack[] = [...WORDS, ...ONCE, ...EMPTY];
