import { isSettled } from "../../domain/run/state.ts";
import type { Binding } from "../dashboard-state.ts";
import { type DashboardState, ticketIn } from "../dashboard-state.ts";
import { EMPTY_INPUT } from "../text-input.ts";
import type { Effect } from "./binding.ts";
import { hint, liveWord, open, selectedIn, selectFirst, ticketWord, whenLive } from "./effects.ts";
import { overviewKey } from "./key-labels.ts";

function kill(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, selectFirst(state, "worker"));
  const ticket = ticketIn(state, id);
  return ticket?.attempt === undefined ? hint(state, `nobody works on ${id} now`) : open({ kind: "kill", ticket: id });
}

function gate(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, selectFirst(state, "ticket"));
  const phase = ticketIn(state, id)?.phase ?? "waiting";
  if (isSettled(phase) && phase !== "stalled") return hint(state, `${id} is ${phase} already`);
  return open({ kind: "gate", ticket: id, input: EMPTY_INPUT });
}

function retry(state: DashboardState): readonly Effect[] {
  const id = selectedIn(state);
  if (id === undefined) return hint(state, selectFirst(state, "ticket"));
  const ticket = ticketIn(state, id);
  if (ticket?.phase === "stalled") return open({ kind: "retry", ticket: id });
  return hint(state, ticket?.attempt === undefined ? `${id} is not stalled` : `an attempt at ${id} is under way`);
}

/** One worker slot more or fewer than the run wants now. */
function workers(by: number): (state: DashboardState) => readonly Effect[] {
  return (state) => {
    const wanted = (state.run?.workers ?? 0) + by;
    if (wanted < 1) return hint(state, `at least one worker; ${overviewKey(state, "pause")} pauses the run`);
    if (wanted > 64) return hint(state, "64 workers are the most");
    return [{ do: "send", command: { type: "workers", workers: wanted } }];
  };
}

function heal(state: DashboardState): readonly Effect[] {
  const { batch, heals } = state.run ?? {};
  if (heals?.asked) return [{ do: "send", command: { type: "drop-heal" } }];
  if (heals !== undefined && batch !== undefined && heals.started >= batch.limits.heals)
    return hint(state, batch.limits.heals === 0 ? "heals are off in this batch" : "no heal is left in this run");
  return open({ kind: "heal" });
}

/** Keys that change the run, on the selected ticket or on all: each is a Command, which the engine may refuse. */
export const RUN_KEYS: readonly Binding[] = [
  {
    name: "kill",
    keys: ["x"],
    short: ticketWord("kill"),
    keep: 3,
    help: "end the selected ticket's attempt; asks first",
    act: whenLive(kill),
  },
  {
    name: "gate",
    keys: ["g"],
    short: ticketWord("gate"),
    keep: 4,
    help: "leave the selected ticket to a person; asks for the exact step",
    act: whenLive(gate),
  },
  {
    name: "retry",
    keys: ["r"],
    short: ticketWord("retry"),
    keep: 10,
    help: "retry a stalled ticket; asks first",
    act: whenLive(retry),
  },
  {
    name: "pause",
    keys: ["p"],
    short: liveWord((state) => (state.run?.paused === true ? "unpause" : "pause")),
    keep: 5,
    help: "pause: nothing new starts, what runs goes on; again to go on",
    act: whenLive((state) => [{ do: "send", command: { type: state.run?.paused === true ? "unpause" : "pause" } }]),
  },
  {
    name: "more-workers",
    keys: ["+", "="],
    pair: "fewer-workers",
    short: liveWord("workers"),
    keep: 12,
    help: "one worker more",
    act: whenLive(workers(1)),
  },
  { name: "fewer-workers", keys: ["-"], help: "one worker fewer; what runs goes on", act: whenLive(workers(-1)) },
  {
    name: "oracle",
    keys: ["o"],
    short: liveWord("oracle"),
    keep: 7,
    help: "ask the oracle now",
    act: whenLive((state) => [{ do: "send", command: { type: "judge" } }, ...hint(state, "the oracle was asked")]),
  },
  {
    name: "heal",
    keys: ["h"],
    short: liveWord((state) => (state.run?.heals.asked ? "call off the heal" : "")),
    keep: 5,
    help: "let an agent heal the harness once the attempts under way are over; asks first; again, before it has begun, cancels it",
    act: whenLive(heal),
  },
  {
    name: "note",
    keys: ["i"],
    help: "note an intervention that was made beside the dashboard",
    act: whenLive(() => open({ kind: "note", input: EMPTY_INPUT, work: true })),
  },
];
