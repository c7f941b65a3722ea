import { readJson } from "@loopdash/values";
import type { z } from "zod";
import { checkValue, type ValueProblem } from "../batch/issues.ts";
import { MAX_DEPTH, measureNesting } from "../batch/nesting.ts";
import { pathText } from "../batch/problem.ts";
import { firstFew, plainText } from "../values/text.ts";
import { HealerAnswer } from "./healer-answer.ts";
import { BlockerClaim, Discovery } from "./schema.ts";

/** A parsed file of an outbox, or the reason why it is invalid: a line that is safe for a terminal. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Mistakes that are reported for one file, and characters of them all. */
const TOLD = 3;
const TOLD_CHARS = 600;

/** Parses a file under `discovered/`. Never throws for its contents. */
export function parseDiscovery(text: string): Parsed<Discovery> {
  return parse(Discovery, text);
}

/** Parses `blocker.json`. Never throws for its contents. */
export function parseBlocker(text: string): Parsed<BlockerClaim> {
  return parse(BlockerClaim, text);
}

/** A parser of a file of this form. It never throws for the contents. */
export function schemaParser<T>(schema: z.ZodType<T>): (text: string) => Parsed<T> {
  return (text) => parse(schema, text);
}

/** Parses a healer's `answer.json`. Never throws for its contents. */
export function parseHealerAnswer(text: string): Parsed<HealerAnswer> {
  return parse(HealerAnswer, text);
}

function parse<T>(schema: z.ZodType<T>, text: string): Parsed<T> {
  // The schema and the message code recurse to the depth of the value.
  if (measureNesting(text).tooDeep !== undefined) return refused(`nests more than ${MAX_DEPTH} deep`);
  let value: unknown;
  try {
    value = readJson(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refused(`is not valid JSON: ${error.message}`);
  }
  const checked = checkValue(schema, value);
  if (checked.ok) return checked;
  const { findings } = checked;
  return refused(firstFew(findings.map(inWords), TOLD).join("; "));
}

function inWords({ path, message, hint }: ValueProblem): string {
  const place = pathText(path);
  const said = place === "" ? message : `${place}${/^(?:must|is) /.test(message) ? " " : ": "}${message}`;
  return hint === undefined ? said : `${said} (${hint})`;
}

function refused(why: string): Parsed<never> {
  return { ok: false, why: plainText(why, TOLD_CHARS) };
}
