import { describe, expect, test } from "vitest";
import { AgentSpec, accountName, allAccounts, type VendorAgentSpec } from "../../../src/domain/batch/party.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { accountAt, firstToRecover } from "../../../src/domain/schedule/accounts.ts";
import { afterAgent, backOff, isBackingOff } from "../../../src/domain/schedule/backoff.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const AT = 1_000_000;
const MINUTE = 60_000;

function spec(...fallback: readonly object[]): VendorAgentSpec {
  const parsed = AgentSpec.parse({ kind: "claude", model: "claude-sonnet-4-5", apiKeyEnv: "FIRST", fallback });
  if (parsed.kind === "command") throw new Error("it is a vendor's program");
  return parsed;
}

function stateWith(agent: VendorAgentSpec): RunState {
  const { state } = new Simulation(batchOf([ticketOf("T-1")]));
  return { ...state, batch: { ...state.batch, agent } };
}

/** The state after an agent of this account was turned away, by an API that asks for so many minutes. */
function turnedAway(state: RunState, account: number, minutes: number, at = AT): RunState {
  const stop = { kind: "rate-limited", says: "slow down", retryAfterMs: minutes * MINUTE } as const;
  return afterAgent(state, { ...ended(at), account, stop });
}

function ended(at: number) {
  const ref = { ticket: TicketId.parse("T-1"), fence: 1 as never };
  return { type: "agent-ended", ...ref, ending: "exited", exitCode: 0, signal: null, costUsd: 0, seq: 9, at } as const;
}

describe("accounts of an agent", () => {
  const two = spec({ apiKeyEnv: "SECOND" });

  test("are its own, and then those of fallback, each as the agent with what it names", () => {
    expect(allAccounts(spec({ apiKeyEnv: "SECOND" }, { model: "claude-haiku-4-5" }))).toMatchObject([
      { apiKeyEnv: "FIRST", model: "claude-sonnet-4-5" },
      { apiKeyEnv: "SECOND", model: "claude-sonnet-4-5" },
      { apiKeyEnv: "FIRST", model: "claude-haiku-4-5" },
    ]);
  });

  test("are named by what differs between them", () => {
    expect([0, 1].map((n) => accountName(allAccounts(two), n))).toEqual(["the key in FIRST", "the key in SECOND"]);
    const models = allAccounts(spec({ model: "claude-haiku-4-5", baseUrl: "https://llm.corp.example/v1" }));
    expect(accountName(models, 1)).toBe("claude-haiku-4-5, llm.corp.example");
    expect(accountName(models, 0)).toBe("claude-sonnet-4-5, its vendor's API");
  });

  test("the first one is used again as soon as its limit is over", () => {
    const limited = turnedAway(stateWith(two), 0, 10);
    expect(accountAt(limited, "agent", AT)).toBe(1);
    expect(accountAt(limited, "agent", AT + 10 * MINUTE - 1)).toBe(1);
    expect(accountAt(limited, "agent", AT + 10 * MINUTE)).toBe(0);
  });

  test("nothing waits while one is free; all limited, agents wait for the first that recovers", () => {
    const one = turnedAway(stateWith(two), 0, 10);
    expect([one.backoffDue, firstToRecover(one, "agent", AT)]).toEqual([undefined, undefined]);
    const both = turnedAway(one, 1, 3, AT + MINUTE);
    expect(both.backoffDue?.until).toBe(AT + 4 * MINUTE);
    expect(both.halted).toBeUndefined();
  });

  test("a limit of many hours halts nothing while another one is free", () => {
    const hours = turnedAway(stateWith(two), 0, 8 * 60);
    expect(hours.halted).toBeUndefined();
    expect(turnedAway(hours, 1, 8 * 60).halted).toMatchObject({ kind: "rate-limited" });
    expect(turnedAway(stateWith(spec()), 0, 8 * 60).halted).toMatchObject({ kind: "rate-limited" });
  });

  test("a good answer ends the limit of its own account alone", () => {
    const both = turnedAway(turnedAway(stateWith(two), 0, 10), 1, 20);
    const well = afterAgent(both, { ...ended(AT + MINUTE), account: 1 });
    expect(Object.keys(well.rateLimited?.agent ?? {})).toEqual(["0"]);
    expect(accountAt(well, "agent", AT + MINUTE)).toBe(1);
  });

  test("a good answer of one under way ends the wait of all, but not of a party with a single account", () => {
    const begin = (state: RunState): RunState => {
      const due = state.backoffDue ?? { until: 0, reason: "" };
      return backOff(state, { type: "backoff-started", ...due, seq: 10, at: AT });
    };
    const both = turnedAway(turnedAway(stateWith(two), 0, 10), 1, 20);
    for (const waiting of [both, begin(both)]) {
      const well = afterAgent(waiting, { ...ended(AT + MINUTE), account: 1 });
      expect([isBackingOff(well, AT + MINUTE), well.backoffDue]).toEqual([false, undefined]);
    }
    const single = afterAgent(begin(turnedAway(stateWith(spec()), 0, 10)), ended(AT + MINUTE));
    expect(isBackingOff(single, AT + MINUTE)).toBe(true);
  });

  test("a wait for the reviewer stays when an agent's account recovers", () => {
    const rateLimited = { reviewer: { 0: { since: AT, times: 1, until: AT + 5 * MINUTE } } };
    const both = turnedAway(turnedAway({ ...stateWith(two), rateLimited }, 0, 10), 1, 20);
    expect(afterAgent(both, { ...ended(AT + MINUTE), account: 1 }).backoffDue).toBeDefined();
  });
});
