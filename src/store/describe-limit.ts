import { PARTY_NAMES } from "../domain/batch/party.ts";
import type { RunEvent } from "../domain/run/event.ts";
import { suspensionText } from "../domain/run/suspension.ts";
import { plural } from "../domain/values/text.ts";
import { formatElapsed, formatMinute } from "./format.ts";
import { type EventLabel, STYLES } from "./labels/tone.ts";

/** Facts about what bounds the start of agents: slots, exclusive names, waits and money. */
type LimitFact = Extract<
  RunEvent,
  {
    type:
      | "workers-set"
      | "exclusive-awaited"
      | "exclusive-freed"
      | "reverify-waits"
      | "backoff-started"
      | "account-switched"
      | "audit-head"
      | "engine-suspended"
      | "engine-waits"
      | "others-spent-today"
      | "day-spend-unknown";
  }
>;

/** Describes one of them in a line. */
export function limitLabel(event: LimitFact): EventLabel | undefined {
  const waits = STYLES.heldUp;
  switch (event.type) {
    case "workers-set":
      return [STYLES.run, `${plural(event.workers, "worker")} from now on`];
    case "exclusive-awaited":
      return [waits, `waits: ${event.name} is held by ${event.by === undefined ? "another run" : `the run ${event.by}`}`];
    case "reverify-waits":
      return [STYLES.oracle, `re-verification ${event.why}, until ${formatMinute(event.until)} at most`];
    case "exclusive-freed":
      return [STYLES.run, `${event.name} is free again`];
    case "backoff-started":
      return [waits, `no agent starts for ${formatElapsed(event.until - event.at)}: ${event.reason}`];
    case "account-switched": {
      const who = event.party === "agent" ? "agents use" : `the ${PARTY_NAMES[event.party]} uses`;
      return [waits, `${who} ${event.name} from now on: ${event.why}`];
    }
    case "others-spent-today":
      return [STYLES.warning, `other runs spent $${event.usd.toFixed(2)} today: limits.usdPerDay has no room for another start`];
    case "engine-suspended":
      return [waits, suspensionText(event)];
    case "engine-waits":
      return [waits, event.text];
    // The ticket view has the count.
    case "audit-head":
      return undefined;
    case "day-spend-unknown":
      return [STYLES.failed, `what other sessions have cost today is not known: ${event.why}`];
  }
}
