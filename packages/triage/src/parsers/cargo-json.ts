import { z } from "zod";
import type { Draft, ParsedReport } from "../draft.ts";
import { rustDraft } from "./cargo.ts";

const CompilerMessage = z.object({
  reason: z.literal("compiler-message"),
  message: z.object({
    level: z.string(),
    message: z.string(),
    code: z.object({ code: z.string() }).nullish(),
    spans: z.array(
      z.object({ file_name: z.string(), line_start: z.number(), is_primary: z.boolean(), label: z.string().nullish() }),
    ),
  }),
});

/** The messages of `cargo … --message-format=json`. Undefined if there are none. */
export function parseCargoJson(values: readonly unknown[]): ParsedReport | undefined {
  const messages = values.flatMap((value) => {
    const read = CompilerMessage.safeParse(value);
    return read.success ? [read.data.message] : [];
  });
  if (messages.length === 0) return undefined;
  const drafts = messages.flatMap(({ level, message, code, spans }): readonly Draft[] => {
    const span = spans.find(({ is_primary }) => is_primary);
    if (level !== "error" || span === undefined) return [];
    const name = code?.code;
    const isClippy = name?.startsWith("clippy::") === true;
    const place = { file: span.file_name, line: span.line_start };
    return [rustDraft({ code: name, message, ...place, isClippy, label: span.label ?? "" })];
  });
  return { drafts };
}
