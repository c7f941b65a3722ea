import type { AttemptRef } from "../values/ids.ts";

/**
 * Facts about the command guard of an attempt. All but `guard-dead` repeat what the guard reported from within the sandbox, where an
 * agent can write the same: they are claims, and decide nothing. Texts are one line each, masked, bounded and safe for a terminal.
 */
export type GuardFact =
  | ({
      readonly type: "guard-blocked";
      readonly rule: string;
      readonly command: string;
      /** A command that the guard allows instead. */
      readonly alternative: string;
      /** Times that the rule blocked since its last report; absent: once. */
      readonly times?: number;
    } & AttemptRef)
  /** The guard does not judge the agent's commands, or not all of them: one line. Reported once in an attempt. */
  | ({ readonly type: "guard-dead"; readonly why: string } & AttemptRef)
  /** The agent stopped, and was told what is unmet. */
  | ({
      readonly type: "stop-guard-told";
      readonly unmet: string;
      readonly n: number;
      readonly of: number;
    } & AttemptRef);

/** What is known of the guard of one attempt; absent while there is nothing to tell. */
export interface GuardResult {
  readonly guard?: {
    readonly blocked: number;
    /** Its last block. */
    readonly last?: { readonly rule: string; readonly command: string; readonly alternative: string };
    /** The reason why it is dead. */
    readonly dead?: string;
    /** What its stop guard told last. */
    readonly stop?: { readonly unmet: string; readonly n: number; readonly of: number };
  };
}

/** The numbers of the guard in a run. */
export interface GuardCounts {
  readonly blocked: number;
  readonly byRule: Readonly<Record<string, number>>;
  /** Attempts whose guard was dead. */
  readonly dead: number;
  /** Times that a stopping agent was told what is unmet. */
  readonly stopsTold: number;
}

export const NO_GUARD_COUNTS: GuardCounts = { blocked: 0, byRule: {}, dead: 0, stopsTold: 0 };

/** The counts after one more fact. */
export function countGuard(counts: GuardCounts, fact: GuardFact): GuardCounts {
  switch (fact.type) {
    case "guard-blocked": {
      const { rule, times = 1 } = fact;
      const byRule = { ...counts.byRule, [rule]: (counts.byRule[rule] ?? 0) + times };
      return { ...counts, blocked: counts.blocked + times, byRule };
    }
    case "guard-dead":
      return { ...counts, dead: counts.dead + 1 };
    case "stop-guard-told":
      return { ...counts, stopsTold: counts.stopsTold + 1 };
  }
}

/** The guard of an attempt after one more fact. */
export function withGuard({ guard = { blocked: 0 } }: GuardResult, fact: GuardFact): Required<GuardResult> {
  switch (fact.type) {
    case "guard-blocked": {
      const { rule, command, alternative, times = 1 } = fact;
      return { guard: { ...guard, blocked: guard.blocked + times, last: { rule, command, alternative } } };
    }
    case "guard-dead":
      return { guard: { ...guard, dead: fact.why } };
    case "stop-guard-told":
      return { guard: { ...guard, stop: { unmet: fact.unmet, n: fact.n, of: fact.of } } };
  }
}
