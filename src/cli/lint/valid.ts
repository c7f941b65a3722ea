import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { parseAllDocuments } from "yaml";
import { positionsIn } from "../../domain/batch/text-position.ts";
import type { LintRuleOf } from "../../domain/lint/lint-spec.ts";

/** Why a text is not valid, and where. */
export interface Invalid {
  readonly line: number;
  readonly why: string;
}

/** Why bytes are no valid file of a format; undefined if they are. Never throws, whatever they are. */
export function invalid(bytes: Buffer, format: LintRuleOf<"valid">["format"]): Invalid | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return format === "yaml" ? invalidYaml(text) : invalidJson(text, format === "jsonc");
  } catch (error) {
    if (error instanceof TypeError) return { line: 1, why: "it is not UTF-8 text" };
    // The parsers recurse, and their stack is bounded.
    if (error instanceof RangeError) return { line: 1, why: "it is nested too deeply" };
    throw error;
  }
}

function invalidJson(text: string, hasComments: boolean): Invalid | undefined {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: !hasComments, allowTrailingComma: hasComments, allowEmptyContent: false });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first !== undefined) return { line: positionsIn(text)(first.offset).line, why: wordsOf(first) };
  return hasComments ? undefined : refusedByNode(text);
}

/** Faults that the other parser forgives. */
function refusedByNode(text: string): Invalid | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return { line: 1, why: "it is no JSON" };
    throw error;
  }
}

/** `CommaExpected` as "comma expected". */
function wordsOf({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

function invalidYaml(text: string): Invalid | undefined {
  const documents = parseAllDocuments(text, { logLevel: "silent", prettyErrors: false });
  const [first] = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors) : [];
  return first === undefined ? undefined : { line: positionsIn(text)(first.pos[0]).line, why: first.message };
}
