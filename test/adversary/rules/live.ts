import type { Rule } from "./rule.ts";

/** Rules about live checks. */
export const LIVE: readonly Rule[] = [
  {
    rule: "a live check that failed is repeated",
    holes: [
      {
        in: "dueChecks",
        from: "live?.nextAt !== undefined && live.nextAt <= now && gate",
        to: "live?.nextAt !== undefined && live.nextAt < 0 && now > 0 && gate",
      },
    ],
    test: "once, and then passes, is repeated without an agent",
  },
  {
    rule: "a ticket whose live check was not run is not done",
    holes: [
      {
        in: "runAfter",
        from: 'if (spec.step === "verify") return runVerifyStep(',
        to: 'if (spec.step === "verify") return { ok: true, summary: "skipped" }; void (() => ',
      },
    ],
    test: "once, and then passes, is repeated without an agent",
  },
  {
    rule: "the last re-verification covers landed tickets that are not live",
    holes: [
      {
        in: "isCheckedLast",
        from: "return !isBeingReverted(live) && live.checking === undefined && live.reopened <= batch.limits.attempts;",
        to: "return batch.limits.attempts < 0;",
      },
    ],
    test: "that was given up, and passes at the last look, is done",
  },
  {
    rule: "an agent starts only after the live check was repeated",
    holes: [{ in: "afterFailure", from: "if (repeated <= spec.repeats)", to: "if (repeated <= 0)" }],
    test: "for long brings an agent after the repeats",
  },
  {
    rule: "an agent that changes nothing about a landed change leaves it to the live check",
    holes: [
      {
        in: "finishFrom",
        from: "if (paths.length === 0 && ticketById(ctx.state(), open.ticket.id).live !== undefined)",
        to: "if (paths.length < 0)",
      },
    ],
    test: "whose agent changes nothing is checked again",
  },
  {
    rule: "an agent is told what landed",
    holes: [
      {
        in: "writeAttemptPrompt",
        from: "landed: live && {",
        to: "landed: undefined && {",
      },
    ],
    test: "for long brings an agent after the repeats",
  },
  {
    rule: "a repair that only takes back what the ticket has landed does not land",
    holes: [
      {
        in: "refuseReversal",
        from: "if (!(await takesBackAllLanded(repo, live, { baseSha, tip }))) return;",
        to: "if (baseSha !== tip) return;",
      },
    ],
    test: "is not mended by a repair that only takes back what the ticket has landed",
  },
  {
    rule: "a base whose check passes is whole, although the tracker cannot be told",
    holes: [
      {
        in: "firstNotLive",
        from: "live.waitsFor !== undefined || live.untold) continue;",
        to: "live.waitsFor !== undefined) continue;",
      },
    ],
    test: "a check that passes makes the base whole, although the tracker cannot be told",
  },
  {
    rule: "what people commit while the last re-verification runs its commands needs another one",
    holes: [
      {
        in: "conclude",
        from: "state.reverifyProblem !== undefined || mustLookAgain(state)) return",
        to: "state.reverifyProblem !== undefined) return",
      },
    ],
    test: "while the last re-verification runs its commands is worked on again",
  },
  {
    rule: "what people commit during the last judgement needs another re-verification",
    holes: [
      {
        in: "Performer.#judge",
        from: 'if (final && judgement.verdict === "done") await this.#people.poll();',
        to: "void final;",
      },
    ],
    test: "while the oracle judges for the last time is worked on again",
  },
  {
    rule: "commits of people repeat the last re-verification only so often",
    holes: [
      {
        in: "mustLookAgain",
        from: "(state.lookedAt?.repeats ?? 0) < MOST_REPEATS &&",
        to: "",
      },
    ],
    test: "people who commit again and again do not keep a run from its end",
  },
  {
    rule: "the agent of a ticket that was rewritten while its change landed is told",
    holes: [
      {
        in: "isForOldText",
        from: "attempt.isOutdated === true || (earlier",
        to: "(earlier",
      },
    ],
    test: "a change that lands after the new text, and is not live, is known to be for the old one",
  },
  {
    rule: "what has landed is carried over to the next run, whatever the ticket says by then",
    holes: [
      {
        in: "carriedOverWork",
        from: "if (live !== undefined && isLandedNotLive({ live, phase })) {",
        to: "if (live !== undefined && isLandedNotLive({ live, phase }) && ticketTextKey(then) === ticketTextKey(ticket)) {",
      },
    ],
    test: "stays landed: the check is repeated first",
    isBuilt: true,
  },
  {
    rule: "the last re-verification covers what earlier runs landed",
    holes: [
      {
        in: "reverify",
        from: "const done = [...(await ticketsLandedEarlier(ctx, signal)), ...own];",
        to: "const done = [...(await ticketsLandedEarlier(ctx, signal)).slice(0, 0), ...own];",
      },
    ],
    test: "the last re-verification covers what earlier runs landed",
    isBuilt: true,
  },
];
