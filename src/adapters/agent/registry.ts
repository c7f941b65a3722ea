import type { VendorKind } from "../../domain/batch/vendors.ts";
import type { EventLineReader } from "../../domain/run/agent-event.ts";
import type { AgentProgram } from "./agent-program.ts";
import { type EventFormat, isKnownEvent, readEvent } from "./event-format.ts";
import { claudeEvents } from "./vendors/claude/events.ts";
import { codexEvents } from "./vendors/codex/events.ts";
import { geminiEvents } from "./vendors/gemini/events.ts";
import { opencodeEvents } from "./vendors/opencode/events.ts";

/** A vendor's folder: its events are loaded with any log, its program only when it runs. */
interface Vendor {
  readonly events: EventFormat;
  readonly load: () => Promise<AgentProgram>;
}

const REGISTRY: Readonly<Record<VendorKind, Vendor>> = {
  claude: { events: claudeEvents, load: async () => (await import("./vendors/claude/launch.ts")).claude },
  codex: { events: codexEvents, load: async () => (await import("./vendors/codex/launch.ts")).codex },
  gemini: { events: geminiEvents, load: async () => (await import("./vendors/gemini/launch.ts")).gemini },
  opencode: { events: opencodeEvents, load: async () => (await import("./vendors/opencode/launch.ts")).opencode },
};

export function loadProgram(kind: VendorKind): Promise<AgentProgram> {
  return REGISTRY[kind].load();
}

/** All vendors' programs, in order. */
export function loadPrograms(): Promise<readonly AgentProgram[]> {
  return Promise.all(Object.values(REGISTRY).map(({ load }) => load()));
}

/** Reads a log of any vendor's program, also one that a person's own command starts. */
export function createEventLineReader(): EventLineReader {
  const readers = Object.values(REGISTRY).map(({ events }) => ({ events, parse: events.parser() }));
  return (line) => {
    const event = readEvent(line);
    return event && readers.find(({ events }) => isKnownEvent(events, event))?.parse(event);
  };
}
