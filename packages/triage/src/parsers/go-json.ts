import { plainText } from "@loopdash/values";
import { z } from "zod";
import type { ParsedReport } from "../draft.ts";
import { LINE_CHARS } from "../log-text.ts";
import { parseGoTest } from "./go-test.ts";

const GoEvent = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  ImportPath: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
});
type GoEvent = z.infer<typeof GoEvent>;

/**
 * The events of `go test -json` (test2json), and of the build since Go 1.24. Undefined if there are none. Output comes in pieces
 * of lines, and packages run beside each other: each package is read as text of its own.
 */
export function parseGoJson(values: readonly unknown[]): ParsedReport | undefined {
  const events = values.flatMap((value) => {
    const read = GoEvent.safeParse(value);
    return read.success && (read.data.Package ?? read.data.ImportPath) !== undefined ? [read.data] : [];
  });
  if (events.length === 0) return undefined;
  const packages = new Map<string, GoEvent[]>();
  for (const event of events) {
    const name = event.Package ?? event.ImportPath ?? "";
    const list = packages.get(name) ?? [];
    list.push(event);
    packages.set(name, list);
  }
  const drafts = [...packages.values()].flatMap((list) => parseGoTest(packageLines(list)).drafts);
  const ended = events.filter(({ Test, Action }) => Test !== undefined && ["pass", "fail", "skip"].includes(Action));
  return { drafts, counts: { failed: ended.filter(({ Action }) => Action === "fail").length, total: ended.length } };
}

/** The output of one package as lines, with the name of the test before its output wherever that changes. */
function packageLines(events: readonly GoEvent[]): readonly string[] {
  const pieces: string[] = [];
  let current: string | undefined;
  for (const { Output, Test } of events) {
    if (Output === undefined) continue;
    const isStart = pieces.at(-1)?.endsWith("\n") ?? true;
    if (Test !== undefined && Test !== current && isStart) pieces.push(`=== NAME  ${Test}\n`);
    current = Test ?? current;
    pieces.push(Output);
  }
  return pieces
    .join("")
    .split("\n")
    .map((line) => plainText(line.slice(0, LINE_CHARS)).trimEnd());
}
