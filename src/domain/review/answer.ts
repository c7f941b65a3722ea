import { readJson } from "@loopdash/values";
import type { z } from "zod";
import { plainText } from "../values/text.ts";

/** The lines around an answer. Nobody can write them without the nonce. */
export function answerMarks(nonce: string): { readonly begin: string; readonly end: string } {
  return { begin: `LOOPDASH ANSWER BEGIN ${nonce}`, end: `LOOPDASH ANSWER END ${nonce}` };
}

/** A valid answer, or the reason why there is none: one line, safe for a terminal. */
export type AnswerReading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** A line that begins or ends a code block, because models like to put JSON into one. */
const CODE_FENCE = /^\s*(?:`{3,}|~{3,})\s*(?:\w+\s*)?$/;

/**
 * Reads the one JSON object between the marks of this nonce, and ignores all text before it. So an answer inside the change
 * counts for nothing: it cannot know the nonce. Missing or doubled marks, words after the last one, another nonce or another tree
 * inside, and everything that does not fit the schema are no answer (adversary cases B14 and B17). So whoever can only add to an answer
 * can spoil it, and not change it.
 */
export function readAnswer<T extends { readonly nonce: string; readonly tree: string }>(
  text: string,
  { nonce, schema, tree }: { readonly nonce: string; readonly tree: string; readonly schema: z.ZodType<T> },
): AnswerReading<T> {
  const block = between(text, nonce);
  if (!block.ok) return block;
  const json = parse(block.value);
  if (!json.ok) return json;
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = plainText(issue?.path.map(String).join(".") ?? "", 80);
    const what = plainText(issue?.message ?? "invalid", 200);
    return none(`its answer does not fit the schema${where === "" ? "" : ` at ${where}`}: ${what}`);
  }
  if (parsed.data.nonce !== nonce) return none("its answer carries another nonce");
  if (parsed.data.tree !== tree) return none("its answer is about another tree");
  return { ok: true, value: parsed.data };
}

function between(text: string, nonce: string): AnswerReading<string> {
  const { begin, end } = answerMarks(nonce);
  const lines = text.split(/\r?\n/);
  const at = (mark: string): readonly number[] => lines.flatMap((line, i) => (line.trim() === mark ? [i] : []));
  const [from, secondBegin] = at(begin);
  const [to, secondEnd] = at(end);
  if (from === undefined) return none(text.trim() === "" ? "it gave no answer" : "its answer has no begin line with its nonce");
  if (to === undefined || to < from) return none("its answer has no end line with its nonce: it is not whole");
  if (secondBegin !== undefined || secondEnd !== undefined) return none("it gave more than one answer");
  if (lines.slice(to + 1).some((line) => line.trim() !== "" && !CODE_FENCE.test(line)))
    return none("more follows after its end line");
  const inner = lines.slice(from + 1, to).filter((line) => !CODE_FENCE.test(line));
  return { ok: true, value: inner.join("\n") };
}

function parse(text: string): AnswerReading<unknown> {
  try {
    return { ok: true, value: readJson(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return none("its answer is not JSON");
    throw error;
  }
}

function none(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}
