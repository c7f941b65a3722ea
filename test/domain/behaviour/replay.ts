import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createEventLineReader } from "../../../src/adapters/agent/registry.ts";
import { BehaviourSpec } from "../../../src/domain/batch/behaviour-spec.ts";
import { BehaviourWatch, type WatchOptions } from "../../../src/domain/behaviour/behaviour-watch.ts";
import type { GateLevel, GateName, Signals } from "../../../src/domain/behaviour/signals.ts";
import type { Behaviour } from "../../agents/behaviours.ts";

export const VENDORS = ["claude", "codex", "gemini", "opencode"] as const;

/** What each behaviour does to the signals, whoever shows it. RECALL is not among them: not every program tells of it. */
export const EXPECTED: Readonly<Record<Behaviour, Readonly<Partial<Record<GateName, GateLevel>>>>> = {
  works: {},
  chases: { rootCause: "warn" },
  invents: { exist: "warn" },
  circles: { momentum: "warn" },
  wanders: { momentum: "warn" },
  trespasses: { relevance: "fail" },
};

export const CALM = { exist: "pass", relevance: "pass", rootCause: "pass", momentum: "pass" } as const;

/** A recorded stream, by vendor and behaviour. */
export function recording(vendor: string, behaviour: string): string {
  return readFileSync(join(import.meta.dirname, `../../corpora/behaviour/${vendor}.${behaviour}.jsonl`), "utf8");
}

export function aWatch(over: Partial<WatchOptions> = {}): BehaviourWatch {
  return new BehaviourWatch({
    thresholds: BehaviourSpec.parse({}),
    isProtected: (path) => path.startsWith("test/"),
    roots: ["/work/worktree"],
    ...over,
  });
}

/** The signals after a stream. */
export function replay(stream: string, over: Partial<WatchOptions> = {}): Signals {
  const watch = aWatch(over);
  const read = createEventLineReader();
  for (const line of stream.split("\n")) for (const event of read(line) ?? []) watch.take(event);
  return watch.signals;
}

export function levelsOf(signals: Signals): Readonly<Record<string, GateLevel>> {
  return Object.fromEntries(Object.entries(signals).map(([gate, { level }]) => [gate, level]));
}
