import { isFrame } from "../draft.ts";

/** Failures that are read of one text, and lines of one. */
export const MAX_BLOCKS = 500;
const BLOCK_LINES = 200;

/** A line that begins a block, and the lines up to the next one. */
export interface Block {
  readonly head: string;
  readonly body: readonly string[];
  /** The index of its head among the lines. */
  readonly at: number;
}

/**
 * Cuts lines into blocks, 500 at most. Lines before the first head, and those after an end until the next head, belong to none.
 */
export function splitBlocks(
  lines: readonly string[],
  { isHead, isEnd }: { readonly isHead: (line: string) => boolean; readonly isEnd: (line: string) => boolean },
): readonly Block[] {
  const blocks: { head: string; body: string[]; at: number }[] = [];
  let open: { head: string; body: string[]; at: number } | undefined;
  for (const [at, line] of lines.entries()) {
    if (isHead(line)) {
      if (blocks.length >= MAX_BLOCKS) break;
      open = { head: line, body: [], at };
      blocks.push(open);
    } else if (isEnd(line)) open = undefined;
    else if (open !== undefined && open.body.length < BLOCK_LINES) open.body.push(line);
  }
  return blocks;
}

/** A line of a code frame: `> 4 |   expect(…)`, `   |   ^`, `      5|  expect(…)`. */
const CODE_FRAME = /^ {1,12}(?:> )?(?:\d{1,6} ?)?\|/;

export function isCodeFrame(line: string): boolean {
  return CODE_FRAME.test(line);
}

/** The message at the start of a failure of a JavaScript runner: up to its stack or the code it shows. */
export function jsFailureMessage(lines: readonly string[]): string {
  const end = lines.findIndex((line) => isFrame(line) || isCodeFrame(line) || line.startsWith("⎯⎯") || isSerialized(line));
  return withoutIndent(end < 0 ? lines : lines.slice(0, end));
}

function isSerialized(line: string): boolean {
  return line.startsWith("Serialized Error:");
}

/** Lines without the blanks that all of them begin with, and without blank ones. */
export function withoutIndent(lines: readonly string[]): string {
  const full = lines.filter((line) => line.trim() !== "");
  const indent = full.reduce((least, line) => Math.min(least, line.length - line.trimStart().length), 100);
  return full.map((line) => line.slice(indent)).join("\n");
}
