import type { Rule } from "./rule.ts";

/** Rules about a model's API that is away, a journal that cannot be written, and what the engine's event loop does itself. */
export const MODELS: readonly Rule[] = [
  {
    rule: "an outage of the model's API burns no attempt, however long it lasts",
    holes: [
      {
        in: "countsAsFailure",
        from: "const waitsInVain = attempt.inOutage !== true && (",
        to: "const waitsInVain = (",
      },
      {
        in: "signsAfter",
        from: "(attempt.inOutage === true ? 0 : 1)",
        to: "1",
      },
    ],
    test: "the work is kept, no attempt is counted, and the run ends unjudged",
  },
  {
    rule: "an outage of the model's API is bounded, and the run then ends unjudged",
    holes: [
      {
        in: "turnedAway",
        from: "if (over !== undefined) return haltByOutage(withModelOutage(limited, at), over);",
        to: "void over; void haltByOutage;",
      },
    ],
    test: "the run ends once both were away for the whole time, and not before",
  },
  {
    rule: "an answer of the model's API begins a new outage",
    holes: [
      {
        in: "awayAfter",
        from: "const since = answered ? at : (limited?.away?.since ?? at);",
        to: "const since = limited?.away?.since ?? at; void answered;",
      },
    ],
    test: "an answer in between begins a new outage",
  },
  {
    rule: "the gateway reports a model's API that it cannot reach",
    holes: [
      {
        in: "ModelProxy.#call",
        from: "if (!answered && error instanceof Refusal) onUnreachable?.(",
        to: "if (answered && error instanceof Refusal) onUnreachable?.(",
      },
    ],
    test: "a connection that is refused",
  },
  {
    rule: "a thread reads the folder of tickets, and not the event loop",
    holes: [
      {
        in: "CurrentReading.#read",
        from: "this.#thread === undefined ? inProcess(this.#place)",
        to: "this.#place !== undefined ? inProcess(this.#place)",
      },
    ],
    test: "for a snapshot",
  },
  {
    rule: "a journal that cannot be written for a while ends no run",
    holes: [
      {
        in: "wire",
        from: "if (canPass(cause)) return fault(cause);",
        to: "if (canPass(cause)) void fault;",
      },
    ],
    test: "end no run: it goes on by itself",
    isBuilt: true,
  },
  {
    rule: "an engine that resumes its own run is no person's act",
    holes: [
      {
        in: "recover",
        from: "if (by === undefined) ctx.report(",
        to: "ctx.report(",
      },
    ],
    test: "is resumed by itself: no intervention is counted",
  },
  {
    rule: "once the journal cannot be written, the work of agents stays for the engine that resumes the run",
    holes: [
      {
        in: "work",
        from: "if (ctx.isBroken()) return;",
        to: "",
      },
    ],
    test: "is resumed by itself: no intervention is counted",
  },
  {
    rule: "a heal whose model's API is away costs none of the run's heals",
    holes: [
      {
        in: "usedHeals",
        from: "return started - past.filter(({ turnedAway }) => turnedAway === true).length;",
        to: "return started - past.length * 0;",
      },
    ],
    test: "one that got answers before counts after some such heals",
  },
];
