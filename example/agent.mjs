/**
 * The example's agent: it plays a script per ticket instead of asking a model, but its work is real. It edits files, runs the
 * tests and commits some of the time. Seven scripts fail at first, and succeed only after reading in the prompt why the previous
 * attempt was refused or reverted, one of them after going in circles, too; one is told by the stop guard that a test is red; two file
 * tickets for their findings; two end at a blocker that only a person can remove.
 *
 * loopdash starts it in a fresh worktree with LOOPDASH_TICKET, LOOPDASH_ATTEMPT, LOOPDASH_PROMPT and LOOPDASH_OUTBOX.
 */
import { readFile } from "node:fs/promises";
import { createClaims } from "./claims.mjs";
import { earlierEvidence } from "./evidence.mjs";
import { createKit } from "./kit.mjs";

const ticket = process.env.LOOPDASH_TICKET ?? "";
const { LOOPDASH_PROMPT: promptFile, LOOPDASH_OUTBOX: outbox } = process.env;
if (!/^[A-Z]+-\d+(?:-d\d+)?$/.test(ticket) || promptFile === undefined || outbox === undefined) {
  console.error("This agent is started by loopdash: it needs LOOPDASH_TICKET, LOOPDASH_PROMPT and LOOPDASH_OUTBOX.");
  process.exit(2);
}

const prompt = await readFile(promptFile, "utf8");
const { work } = await import(new URL(`./scripts/${ticket}.mjs`, import.meta.url).href);
const cwd = process.cwd();
const kit = createKit({ ticket, cwd, evidence: earlierEvidence(prompt) });
const { say } = kit;
await work({ ...kit, ...createClaims({ cwd, outbox, say, think: kit.think.bind(kit) }) });
