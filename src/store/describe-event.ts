import { failingOnBaseLine } from "../domain/evidence/summary-lines.ts";
import { interventionKind } from "../domain/results/intervention.ts";
import type { AgentEnding, AttemptOutcome, RunEvent } from "../domain/run/event.ts";
import type { RunState } from "../domain/run/state.ts";
import { specOf } from "../domain/schedule/plan.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { claimLook, type Look } from "./describe-claim.ts";
import { healLook } from "./describe-heal.ts";
import { displayText } from "./display-text.ts";
import { formatElapsed, plural } from "./format.ts";
import { specLabel } from "./step-label.ts";
import type { Tone } from "./tone.ts";

/** One line of the event feed. `text` is safe to draw; `seq` names the line. */
export interface FeedLine {
  readonly seq: number;
  readonly at: number;
  readonly glyph: string;
  readonly text: string;
  readonly tone: Tone;
  readonly ticket?: TicketId;
}

/** Tells an event in a few words, or undefined where it is not worth a line: progress that the rows show anyway. */
export function describeEvent(event: RunEvent, state: RunState): FeedLine | undefined {
  const look = lookOf(event, state);
  if (look === undefined) return undefined;
  const [glyph, tone, text] = look;
  const base = { seq: event.seq, at: event.at, glyph, tone, text: displayText(text) };
  return "ticket" in event ? { ...base, ticket: event.ticket } : base;
}

type Event<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type RunWide = Exclude<RunEvent, { ticket: TicketId }>;
type OfTicket = Extract<RunEvent, { ticket: TicketId }>;

function lookOf(event: RunEvent, state: RunState): Look | undefined {
  return "ticket" in event ? ticketLook(event, state) : runLook(event, state);
}

function runLook(event: RunWide, state: RunState): Look | undefined {
  switch (event.type) {
    case "run-started":
      return startLook(event);
    case "run-resumed":
      return [
        "●",
        "running",
        `run resumed${event.orphansKilled === 0 ? "" : `, ${plural(event.orphansKilled, "orphan")} ended`}`,
      ];
    case "run-paused":
      return ["⏸", "waiting", "paused: nothing new starts"];
    case "run-unpaused":
      return ["●", "running", "goes on"];
    case "stop-requested":
      return ["■", "bad", event.by === "person" ? "stop asked for: agents are ended" : "stop by signal: agents are ended"];
    case "run-ended":
      return event.verdict === "done" ? ["✔", "good", `run ended: ${event.reason}`] : ["✖", "bad", `run ended: ${event.reason}`];
    case "command-refused":
      return [
        "✖",
        "bad",
        `refused: ${event.command.type}${"ticket" in event.command ? ` ${event.command.ticket}` : ""}: ${event.reason}`,
      ];
    case "intervention":
      return ["!", "person", interventionText(event)];
    case "workers-set":
      return ["●", "running", `${plural(event.workers, "worker")} from now on`];
    case "starts-held":
      return ["‖", "waiting", `no agent starts for ${formatElapsed(event.until - event.at)}: ${event.reason}`];
    case "others-spent-today":
      return ["!", "waiting", `other runs have spent $${event.usd.toFixed(2)} of the day's money: no more fits into it`];
    case "day-spend-unknown":
      return ["✖", "bad", `what other sessions have cost today is not known: ${event.why}`];
    case "reverify-started":
      return ["◆", "oracle", "re-verifying live state"];
    case "reverify-ended":
      return reverifyLook(event);
    case "tripwire-started":
    case "oracle-asked":
      return undefined;
    case "tripwire-ended":
      return tripwireLook(event);
    case "oracle-judged":
      return judgedLook(event, state);
    case "heal-asked":
    case "heal-dropped":
    case "heal-started":
    case "heal-agent-started":
    case "heal-ended":
      return healLook(event);
  }
}

/** What a person tells of is told as theirs. */
function interventionText(event: Event<"intervention">): string {
  const counted = `intervention ${event.class} (${interventionKind(event.class)})`;
  return event.noted ? `${counted} noted: ${event.note}` : `${counted} on ${event.target}: ${event.note}`;
}

function tripwireLook({ ok, canaries, problem }: Event<"tripwire-ended">): Look {
  return ok
    ? ["◆", "oracle", `tripwire: ${plural(canaries, "canary", "canaries")} judged right`]
    : ["◆", "bad", `tripwire fired: ${problem ?? "no reason given"}`];
}

function startLook({ batch }: Event<"run-started">): Look {
  return ["●", "running", `run started: ${plural(batch.tickets.length, "ticket")}, ${plural(batch.limits.workers, "worker")}`];
}

function reverifyLook(event: Event<"reverify-ended">): Look {
  if (event.problem !== undefined) return ["◆", "bad", `re-verification: ${event.problem}`];
  return event.reopened === 0
    ? ["◆", "oracle", "re-verified: all holds"]
    : ["◆", "bad", `re-verified: ${plural(event.reopened, "ticket")} reopened`];
}

/** Open tickets that one line names. */
const NAMED = 6;

function judgedLook({ judgement }: Event<"oracle-judged">, state: RunState): Look {
  const { counts, verdict } = judgement;
  if (verdict === "unjudged") return ["◆", "bad", `oracle cannot judge: ${judgement.problem ?? "no reason given"}`];
  if (verdict === "done") return ["◆", "good", `oracle: done (${counts.done} done, ${counts.gated} gated)`];
  const named = judgement.open.slice(0, NAMED);
  const more = counts.open > named.length ? " …" : "";
  const open = named.length === 0 ? "" : `: ${named.join(" ")}${more}`;
  return ["◆", "oracle", `oracle: not done, ${counts.open} of ${state.plan.tickets.length} open${open}`];
}

function ticketLook(event: OfTicket, state: RunState): Look | undefined {
  switch (event.type) {
    case "activity":
    case "agent-launching":
    case "agent-started":
    case "worktree-ready":
    case "change-captured":
    case "step-started":
    case "merge-intended":
    case "gate-writing":
    case "gate-put-off":
      return undefined;
    case "attempt-claimed":
      return ["▶", "running", `try ${event.attempt} begins in slot ${event.slot + 1}`];
    case "kill-requested":
      return ["■", "bad", ENDINGS[event.ending] ?? "agent is ended"];
    case "agent-ended":
      return agentEndedLook(event);
    case "step-ended":
      return stepEndedLook(event, state);
    case "base-failing":
      return ["!", "waiting", `${failingOnBaseLine(event.tests, event.count)} (check ${event.check})`];
    case "merge-waiting":
      return ["‖", "waiting", `merge waits: ${event.reason}`];
    case "merge-landed":
      return ["✔", "good", `merged ${event.to.slice(0, 7)} into ${event.repo}`];
    case "attempt-ended":
      return attemptEndedLook(event);
    case "gate-requested":
      return ["!", "person", `human gate asked for: ${event.step}`];
    case "ticket-gated":
      return ["!", "person", `needs you: ${event.step}`];
    case "ticket-stalled":
      return ["✖", "bad", `stalled: ${event.reason}`];
    case "ticket-retried":
      return ["↻", "person", "tried anew, with as many tries as a fresh ticket has"];
    case "ticket-reopened":
      return ["✖", "bad", `reopened: ${event.evidence.summary}`];
    case "report-dropped":
      return ["·", "waiting", `late report dropped: ${event.what}`];
    default:
      return claimLook(event, state);
  }
}

/** Steps whose passing another line tells: the landing, and that the ticket is done. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set(["merge", "assert"]);

/** A step names itself, whatever its summary says. */
function stepEndedLook(event: Event<"step-ended">, state: RunState): Look | undefined {
  const spec = specOf(state.plan, event.ticket).finish[event.step];
  if (event.ok && TOLD_OTHERWISE.has(spec?.step ?? "")) return undefined;
  const word = spec === undefined ? "step" : specLabel(spec);
  const text = event.summary === "" || event.summary === word ? word : `${word}: ${event.summary}`;
  return event.ok ? ["✔", "plain", text] : ["✖", "bad", text];
}

const ENDINGS: Readonly<Partial<Record<AgentEnding, string>>> = {
  silent: "silent for too long: agent is ended",
  "out-of-time": "out of time: agent is ended",
  "over-quota": "wrote too much: agent is ended",
  "killed-by-person": "kill asked for",
  "gated-by-person": "agent is ended for the human gate",
  stopped: "agent is ended for the stop",
};

/** An agent that stops says it is done; that is a claim, and looks like one. */
function agentEndedLook(event: Event<"agent-ended">): Look | undefined {
  if (event.ending !== "exited") return event.ending === "failed-to-start" ? ["✖", "bad", "agent did not start"] : undefined;
  if (event.stop !== undefined) return ["✖", "bad", `agent stopped early, ${event.stop.kind}: ${event.stop.says}`];
  if (event.exitCode === 0) return ["·", "claim", "agent stopped: claims to be done"];
  return ["✖", "bad", `agent gave up: ${event.signal === null ? `exit ${event.exitCode ?? "unknown"}` : event.signal}`];
}

const OUTCOMES: Readonly<Record<AttemptOutcome, Look>> = {
  done: ["✔", "good", "done"],
  failed: ["✖", "bad", "try failed"],
  silent: ["✖", "bad", "try ended: silent for too long"],
  "out-of-time": ["✖", "bad", "try ended: out of time"],
  killed: ["■", "bad", "try ended: killed by a person"],
  gated: ["!", "person", "try ended for the human gate"],
  stopped: ["■", "waiting", "try ended by the stop"],
  lost: ["✖", "bad", "try lost with its engine"],
};

/** What a step of the finish line found wrong has been told by that step; what went wrong before it has not. */
function attemptEndedLook(event: Event<"attempt-ended">): Look {
  const [glyph, tone, text] = OUTCOMES[event.outcome];
  const { evidence } = event;
  // Nobody stopped it: it waits for what it needs.
  if (event.outcome === "stopped" && evidence !== undefined) return ["‖", "waiting", `try ${evidence.summary}`];
  const told = evidence === undefined || !BEFORE_STEPS.has(evidence.step);
  return [glyph, tone, told ? text : `${text}: ${evidence.summary}`];
}

const BEFORE_STEPS: ReadonlySet<string> = new Set(["agent", "prepare", "worktree"]);
