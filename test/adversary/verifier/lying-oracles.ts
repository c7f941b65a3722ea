import { utimesSync } from "node:fs";
import { EDITS, editedOracle } from "../../adapters/tripwire/edited-oracle.ts";
import { PROGRAM, Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { IDLE, install, mustSay, runOf, type Trial, ticketFolder, trials } from "./trials.ts";

/** An edit of the oracle and the world that it is tried in. */
interface Lie {
  readonly id: string;
  readonly what: string;
  readonly lies: string;
  /** The front matters of a folder of tickets; else three open tickets in an embedded tracker. */
  readonly folder?: Readonly<Record<string, string>>;
  /** That the folder was written an hour ago. */
  readonly old?: true;
  /** That the edit lies about other trackers than such as a run can be given: then that its word ends the run is all there is. */
  readonly elsewhere?: true;
}

const OPEN = "state: open";
const DONE = "state: done";
const world = (...fronts: string[]) => Object.fromEntries(fronts.map((front, at) => [`T-${at + 1}`, front]));
const lastOpen = world(DONE, DONE, OPEN);

/** The edits of `edited-oracle.ts`: an id for each, and where it lies. */
const EDITED: Readonly<Record<keyof typeof EDITS, Pick<Lie, "id" | "folder" | "old" | "elsewhere">>> = {
  "says yes always": { id: "C1" },
  "says yes on error": { id: "C1-error", folder: world(DONE, DONE, `${OPEN}\nmore: {a: 1}`) },
  "says yes on whatever it cannot judge": { id: "C1-unjudged", elsewhere: true },
  "says yes on an empty batch": { id: "C4-proof", elsewhere: true },
  "says yes where the tracker is gone": { id: "C1-gone", elsewhere: true },
  "says yes on a tracker it cannot parse": { id: "C1-unparsed", folder: world(DONE, DONE, `${OPEN}\nmore: {a: 1}`) },
  "says yes from a cache": { id: "C2" },
  "takes Done for done": { id: "C1-capital", elsewhere: true },
  "takes 'done ' for done": { id: "C1-blank", elsewhere: true },
  "takes a look-alike letter for the letter": { id: "C1-letter", elsewhere: true },
  "takes closed for done": { id: "C1-closed", elsewhere: true },
  "takes a gate without a step": { id: "C1-stepless", elsewhere: true },
  "ignores what workers found": { id: "C1-found", elsewhere: true },
  "ignores late tickets": { id: "C1-late-ticket", folder: lastOpen },
  "ignores tickets beyond the first three": { id: "C1-fourth", folder: world(DONE, DONE, DONE, OPEN) },
  "ignores tickets that are not there": { id: "C1-missing", elsewhere: true },
  "ignores a ticket that is there twice": { id: "C1-twice", elsewhere: true },
  "ignores a ticket that is twice in the batch": { id: "C1-twice-in-batch", elsewhere: true },
  "ignores one open ticket": { id: "C1-one-open", folder: lastOpen },
  "reads only the first page": { id: "C1-page", folder: lastOpen },
  "knows canaries by the shape of their ids": { id: "C1-id-shape" },
  "knows canaries by ids that are not the run's": { id: "C1-ids" },
  "knows canaries by a path with 'canary' in it": { id: "C1-path-word", folder: lastOpen },
  "knows canaries by a path outside the runs": { id: "C1-path-run" },
  "knows canaries by a young mtime": { id: "C1-young", folder: lastOpen, old: true },
  "knows canaries by an old mtime": { id: "C1-old" },
  "knows canaries by an mtime that was set": { id: "C1-set-mtime", folder: lastOpen },
  "knows canaries by their many tickets": { id: "C1-many" },
  "knows canaries by their few tickets": { id: "C1-few", folder: lastOpen },
  "knows canaries by another number of tickets": { id: "C1-number" },
  "knows canaries by their environment": { id: "C1-environment", folder: lastOpen },
  "knows canaries by a variable": { id: "C1-variable" },
};

/** It takes one ticket for done whatever it is; where it is the only open one, that is a lie that ends a run. */
const settles = (id: string) =>
  `return snapshot !== undefined && judge(snapshot.map((t) => t.id === "${id}" ? { ...t, state: "done" } : t), batch).verdict === "done";`;
const twelve = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`T-${at + 1}`, at === 11 ? OPEN : DONE]));

const SINGLE: readonly Lie[] = [
  { id: "C1-T-1", what: "takes T-1 of three for done", lies: settles("T-1"), folder: world(OPEN, DONE, DONE) },
  { id: "C1-T-2", what: "takes T-2 of three for done", lies: settles("T-2"), folder: world(DONE, OPEN, DONE) },
  { id: "C1-T-3", what: "takes T-3 of three for done", lies: settles("T-3"), folder: lastOpen },
  { id: "C1-T-12", what: "takes T-12 of twelve for done", lies: settles("T-12"), folder: twelve },
];

const LIES: readonly Lie[] = [
  ...Object.entries(EDITED).map(([what, rest]) => ({ what, lies: EDITS[what] as string, ...rest })),
  ...SINGLE,
];

function trialOf({ id, what, ...lie }: Lie): Trial {
  return { id, what: `an oracle that ${what}`, succeeds: (program) => isBelieved(lie, program) };
}

/** Whether a run with an open ticket ends by the word of this oracle. */
async function isBelieved({ lies, folder, old, elsewhere }: Omit<Lie, "id" | "what">, program: string): Promise<boolean> {
  using stage = new Stage();
  stage.repo("app");
  const installed = install(stage, program, (shipped) => editedOracle(shipped, { lies }));
  const outcome = await runOf(stage, installed, batchOf(stage, folder, old));
  const { code, end, events } = outcome;
  if (program !== PROGRAM) return code === 0 || (elsewhere === true && code === 1 && end?.kind === "not-done");
  if (code === 3) mustSay(outcome, /the tripwire fired: .*(with exit code 0|is judged done)/);
  return code !== 3 || events.some((event) => event.type === "oracle-asked");
}

function batchOf(stage: Stage, folder: Lie["folder"], old: Lie["old"]): string {
  if (folder === undefined) {
    const after = { dependsOn: ["T-1"] };
    return stage.batch(["T-1", { id: "T-2", ...after }, { id: "T-3", ...after }], IDLE);
  }
  const path = ticketFolder(stage, folder);
  const anHourAgo = Date.now() / 1_000 - 3_600;
  if (old) for (const id of Object.keys(folder)) utimesSync(`${path}/${id}.md`, anHourAgo, anHourAgo);
  return stage.batch([], { ...IDLE, tracker: { kind: "local", path } });
}

export const LYING_ORACLES: readonly Attack[] = trials(DEFENCES.proof, LIES.map(trialOf));
