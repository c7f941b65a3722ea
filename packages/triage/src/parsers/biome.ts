import { type Draft, type ParsedReport, runOnFile } from "../draft.ts";
import { splitBlocks } from "./blocks.ts";

/** `src/a.ts:3:5 lint/style/noVar ━━━━`; a file's format has no place. */
const HEAD =
  /^([^\s:]{1,300})(?::(\d{1,7}):\d{1,7})? ((?:lint|parse|assist|format)(?:\/[\w/]{1,100})?)(?: {1,3}FIXABLE)? {1,3}━{2,200}$/;

/** Reads Biome's output for a terminal. */
export function parseBiome(lines: readonly string[]): ParsedReport {
  const blocks = splitBlocks(lines, { isHead: (line) => HEAD.test(line), isEnd: () => false });
  const drafts = blocks.flatMap(({ at, head, body }): readonly Draft[] => {
    const message = body.map((line) => /^ {2}[×✖] (\S.*)$/.exec(line)?.[1]).find((found) => found !== undefined);
    const [, file = "", number, rule = ""] = HEAD.exec(head) ?? [];
    if (message === undefined) return [];
    const isFormat = rule === "format" || rule.startsWith("assist");
    const reproduce = runOnFile(["npx", "--no", "biome", "check"], file);
    return [
      {
        tool: "biome",
        severity: rule === "parse" ? "high" : isFormat ? "low" : "medium",
        category: isFormat ? "format" : "lint",
        file,
        ...(number !== undefined && { line: Number(number) }),
        at,
        message: `${message} (${rule})`,
        ...(reproduce && { reproduce }),
      },
    ];
  });
  return { drafts };
}
