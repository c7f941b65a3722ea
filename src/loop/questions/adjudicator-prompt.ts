import { withOrigin } from "../../domain/batch/origin.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import { likeness } from "../../domain/outbox/ruling.ts";
import type { BlockerClaim, CapturedCommand } from "../../domain/outbox/schema.ts";
import { answerMarks } from "../../domain/review/answer.ts";
import { fillTemplate } from "../../domain/values/template.ts";
import { boundedTail, firstFew, plainLines, plainText } from "../../domain/values/text.ts";
import { visibleText } from "../../domain/values/visible-text.ts";

/** Characters of a prompt's parts: the longest together stay below what a whole prompt may have. */
const BODY_CHARS = 4_000;
const TITLE_CHARS = 200;
const CLAIM_CHARS = 2_000;
const COMMAND_CHARS = 800;
const OUTPUT_CHARS = 1_200;
const MOST_LINES = 100;
const PATHS = 20;
const PATH_CHARS = 120;

/** A command of a claim, and its output when the engine ran it. */
export interface Replayed {
  readonly captured: CapturedCommand;
  /** Raw. */
  readonly output: string;
}

/**
 * The prompt of the adjudicator. All text from an agent is in it as JSON strings, which contain no line break: nothing in them
 * can end their block.
 */
export function renderAdjudicatorPrompt(
  template: string,
  options: {
    readonly ticket: Ticket;
    readonly claim: BlockerClaim;
    readonly replays: readonly Replayed[];
    /** Paths that the agent changed, raw. */
    readonly paths: readonly string[];
    readonly commit: string;
    readonly checkout: string;
    readonly nonce: string;
  },
): string {
  const { ticket, claim, commit, checkout, nonce } = options;
  const data = {
    ticket: { title: plainText(ticket.title, TITLE_CHARS), body: beginning(ticket.body, BODY_CHARS) },
    claim: beginning(claim.claim, CLAIM_CHARS),
    wall: beginning(claim.wall, CLAIM_CHARS),
    tried: beginning(claim.tried, CLAIM_CHARS),
    humanStep: claim.humanStep,
    evidence: options.replays.map(replayEvidence),
  };
  const prompt = fillTemplate(template, {
    id: ticket.id,
    title: plainText(ticket.title, TITLE_CHARS),
    commit,
    checkout,
    nonce,
    ...answerMarks(nonce),
    paths: inWords(options.paths),
    data: JSON.stringify(data, undefined, 1),
  });
  return withOrigin(ticket, prompt);
}

function replayEvidence({ captured, output }: Replayed): object {
  const { command, exitCode } = captured;
  return {
    command: plainText(beginning(command.join(" "), COMMAND_CHARS)),
    exitCode,
    printedForTheAgent: end(captured.output),
    printedForTheEngine: end(output),
    printedAgain: likeness(captured.output, output),
  };
}

function inWords(paths: readonly string[]): string {
  const shown = paths.map((path) => `- ${plainText(visibleText(path.slice(0, 4 * PATH_CHARS)), PATH_CHARS)}`);
  return paths.length === 0 ? "(none)" : firstFew(shown, PATHS).join("\n");
}

/** The end of an output, line by line as a terminal would show it. */
function end(output: string): readonly string[] {
  return plainLines(boundedTail(output, OUTPUT_CHARS), { maxLines: MOST_LINES });
}

/** The beginning of a text, as a terminal would show it. */
function beginning(text: string, most: number): string {
  const lines = plainLines(text.slice(0, most), { maxLines: MOST_LINES });
  return [...lines, ...(text.length > most ? [`[… ${text.length - most} characters cut …]`] : [])].join("\n");
}
