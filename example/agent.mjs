/**
 * The example's agent: plays a script per ticket instead of asking a model, but what it does is real. It edits files,
 * runs the tests and commits some of the time. Four scripts go wrong at first, and go right only after reading in the
 * prompt why the try before was refused.
 *
 * loopdash starts it in a fresh worktree with LOOPDASH_TICKET, LOOPDASH_ATTEMPT, LOOPDASH_PROMPT and LOOPDASH_OUTBOX.
 */
import { readFile } from "node:fs/promises";
import { earlierEvidence } from "./evidence.mjs";
import { createKit } from "./kit.mjs";

const ticket = process.env.LOOPDASH_TICKET ?? "";
const promptFile = process.env.LOOPDASH_PROMPT;
if (!/^[A-Z]+-\d+$/.test(ticket) || promptFile === undefined) {
  console.error("This agent is started by loopdash: it needs LOOPDASH_TICKET and LOOPDASH_PROMPT.");
  process.exit(2);
}

const prompt = await readFile(promptFile, "utf8");
const { work } = await import(new URL(`./scripts/${ticket}.mjs`, import.meta.url).href);
await work(createKit({ ticket, cwd: process.cwd(), evidence: earlierEvidence(prompt) }));
