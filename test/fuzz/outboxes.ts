import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOutbox } from "../../src/adapters/outbox/read-outbox.ts";
import type { OutboxReading } from "../../src/ports/outbox.ts";
import { below, makeDeep, makeMany, ODD_FILES, oddName } from "./files.ts";
import { anyText, badJson } from "./json-horrors.ts";
import type { Random } from "./random.ts";
import { type Target, type Trial, unfitSentence } from "./target.ts";

/** Stands in files that nobody may be told of, because a link leads to them. */
const SECRET = "SECRET-OF-A-PERSON";
const VALID_DISCOVERY = { title: "Another bug", body: "It breaks.", reason: "Seen on the way." };
const VALID_BLOCKER = {
  claim: "The host cannot be reached",
  wall: "A firewall of the network",
  evidence: [{ command: ["curl", "https://example.org"], exitCode: 7, output: "refused" }],
  tried: "Another port",
  humanStep: "Open the port",
};

type Json = Readonly<Record<string, unknown>>;

/** The text of a file: valid, nearly valid, or nothing of the kind. */
function fileText(valid: Json, random: Random): string | Buffer {
  if (random.chance(0.35)) return JSON.stringify(valid);
  if (random.chance(0.4)) return badJson(valid, random);
  const keys = Object.keys(valid);
  const changed: Record<string, unknown> = { ...valid };
  const key = random.pick(keys);
  if (random.chance(0.2)) delete changed[key];
  else
    changed[random.chance(0.1) ? anyText(random) : key] = random.pick([
      null,
      1,
      true,
      [],
      {},
      anyText(random),
      [anyText(random)],
      { a: 1 },
    ]);
  return JSON.stringify(changed);
}

function put(folder: string, name: string | Buffer, valid: Json, random: Random, notes: string[]): void {
  const path = below(folder, name);
  // Who writes to a pipe that is there already would wait.
  if (existsSync(path)) return;
  try {
    if (random.chance(0.7)) return void writeFileSync(path, fileText(valid, random), { flag: "wx" });
    const odd = random.pick(ODD_FILES);
    notes.push(odd.kind);
    odd.make(path, random);
  } catch (error) {
    // The name is taken, or too long for a disk.
    notes.push(error instanceof Error && "code" in error ? String(error.code) : "refused");
  }
}

/** Fills an outbox. Gives what is in it, in words. */
function fill(outbox: string, random: Random): string[] {
  const notes: string[] = [];
  const discovered = join(outbox, "discovered");
  if (random.chance(0.9)) mkdirSync(discovered);
  else random.pick(ODD_FILES).make(Buffer.from(discovered), random);
  const inFolder = random.chance(0.03) ? random.between(90, 1_100) : random.below(6);
  for (let n = 0; n < inFolder; n++) {
    const name = random.chance(0.8) ? `${n}.json` : Buffer.concat([oddName(random), Buffer.from(random.pick([".json", ""]))]);
    put(discovered, name, VALID_DISCOVERY, random, notes);
  }
  if (random.chance(0.5)) put(outbox, "blocker.json", VALID_BLOCKER, random, notes);
  if (random.chance(0.3)) put(outbox, "notes.md", {}, random, notes);
  else if (random.chance(0.5)) writeFileSync(join(outbox, "notes.md"), anyText(random).repeat(random.between(1, 50)));
  if (random.chance(0.2)) put(outbox, oddName(random), VALID_DISCOVERY, random, notes);
  if (random.chance(0.01)) makeMany(join(outbox, "many"), random.between(10, 3_000));
  if (random.chance(0.02)) makeDeep(outbox, random.between(5, 40));
  return [`${inFolder} discoveries`, ...new Set(notes)];
}

/** Links to a person's file, in the places that are read. */
function tempt(folder: string, outbox: string, random: Random): void {
  const secret = join(folder, "secret.json");
  writeFileSync(secret, JSON.stringify({ ...VALID_DISCOVERY, title: SECRET }));
  for (const name of ["discovered/0-secret.json", "notes.md", "blocker.json"]) {
    if (!random.chance(0.15)) continue;
    try {
      symlinkSync(secret, join(outbox, name));
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
}

const isText = (value: unknown, least: number, most: number) =>
  typeof value === "string" && value.trim().length >= least && value.length <= most;

/** What an accepted discovery must be, in words of its own: the schema of the program is not asked. */
function unfitDiscovery(options: OutboxReading["discoveries"][number]): string | undefined {
  const keys = Object.keys(options).filter((key) => !["title", "body", "repo", "blocks", "reason"].includes(key));
  if (keys.length > 0) return `a discovery has the key ${JSON.stringify(keys[0])}`;
  const fits =
    isText(options.title, 1, 200) &&
    isText(options.body, 0, 16_000) &&
    isText(options.reason, 1, 1_000) &&
    typeof options.blocks === "boolean";
  return fits ? undefined : `a discovery is accepted that breaks a bound: ${JSON.stringify(options).slice(0, 300)}`;
}

function problemOf(read: OutboxReading): string | undefined {
  if (JSON.stringify(read).includes(SECRET)) return "a person's file was read through a link";
  if (read.discoveries.length > 100) return `${read.discoveries.length} discoveries are accepted`;
  if ((read.notes?.length ?? 0) > 4_100) return `the notes have ${read.notes?.length} characters`;
  if (read.refused.length > 21) return `${read.refused.length} refused files are listed`;
  const { blocker } = read;
  if (blocker !== undefined && !(isText(blocker.claim, 1, 2_000) && blocker.evidence.length > 0 && blocker.evidence.length <= 5))
    return `a blocker is accepted that breaks a bound: ${JSON.stringify(blocker).slice(0, 300)}`;
  for (const { file, why } of read.refused) {
    const unfit = unfitSentence(why, 600) ?? (file.length > 120 ? `a name has ${file.length} characters` : undefined);
    if (unfit !== undefined || /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(file + why))
      return unfit ?? `a line is not safe for a terminal: ${JSON.stringify({ file, why })}`;
  }
  return read.discoveries.map(unfitDiscovery).find((unfit) => unfit !== undefined);
}

async function attempt(random: Random, folder: string, made: (input: string) => void): Promise<Trial> {
  const outbox = join(folder, "T-1", "outbox");
  mkdirSync(join(folder, "T-1"));
  let notes = ["no folder"];
  if (random.chance(0.02)) random.pick(ODD_FILES).make(Buffer.from(outbox), random);
  else {
    mkdirSync(outbox);
    notes = fill(outbox, random);
    tempt(folder, outbox, random);
  }
  made(notes.join(", "));
  const read = await createOutbox().read(outbox);
  const problem = problemOf(read);
  const outcome = read.discoveries.length > 0 ? "accepted" : read.refused.length > 0 ? "refused" : "nothing";
  return { input: notes.join(", "), outcome, ...(problem === undefined ? {} : { problem }) };
}

/** Outboxes of agents. What is wrong beside a crash or a hang: something is accepted that breaks its bounds or is not the agent's. */
export const outboxes: Target = {
  name: "outboxes",
  bounds: { ms: 60_000, bytes: 300_000_000 },
  outcomes: ["accepted", "refused", "nothing"],
  attempt,
};
