import type { Rule } from "./rule.ts";

/** Rules about a model's API that is away, a journal that cannot be written, and what the engine's event loop does itself. */
export const MODELS: readonly Rule[] = [
  {
    rule: "an outage of the model's API burns no attempt, however long it lasts",
    holes: [
      {
        file: "src/domain/schedule/breaker.ts",
        from: "const waitsInVain = attempt.inOutage !== true && (",
        to: "const waitsInVain = (",
      },
      {
        file: "src/domain/schedule/breaker.ts",
        from: "(attempt.inOutage === true ? 0 : 1)",
        to: "1",
      },
    ],
    file: "test/domain/schedule/model-outage.test.ts",
    test: "the work is kept, no attempt is counted, and the run ends unjudged",
  },
  {
    rule: "an outage of the model's API is bounded, and the run then ends unjudged",
    holes: [
      {
        file: "src/domain/schedule/backoff.ts",
        from: "if (over !== undefined) return haltByOutage(withModelOutage(limited, at), over);",
        to: "void over; void haltByOutage;",
      },
    ],
    file: "test/domain/schedule/model-outage.test.ts",
    test: "the run ends once both were away for the whole time, and not before",
  },
  {
    rule: "an answer of the model's API begins a new outage",
    holes: [
      {
        file: "src/domain/schedule/backoff.ts",
        from: "const since = answered ? at : (limited?.away?.since ?? at);",
        to: "const since = limited?.away?.since ?? at; void answered;",
      },
    ],
    file: "test/domain/schedule/model-outage.test.ts",
    test: "an answer in between begins a new outage",
  },
  {
    rule: "the gateway reports a model's API that it cannot reach",
    holes: [
      {
        file: "src/adapters/gateway/models/model-proxy.ts",
        from: "if (!answered && error instanceof Refusal) onUnreachable?.(",
        to: "if (answered && error instanceof Refusal) onUnreachable?.(",
      },
    ],
    file: "test/adapters/gateway/unreachable.test.ts",
    test: "a connection that is refused",
  },
  {
    rule: "a thread reads the folder of tickets, and not the event loop",
    holes: [
      {
        file: "src/adapters/tracker/reading-thread.ts",
        from: "this.#thread === undefined ? inProcess(this.#place)",
        to: "this.#place !== undefined ? inProcess(this.#place)",
      },
    ],
    file: "test/adapters/tracker/folder.thread.test.ts",
    test: "for a snapshot",
  },
  {
    rule: "a journal that cannot be written for a while ends no run",
    holes: [
      {
        file: "src/cli/engine/start-engine.ts",
        from: "if (canPass(cause)) return fault(cause);",
        to: "if (canPass(cause)) void fault;",
      },
    ],
    file: "test/e2e/journal-outage.test.ts",
    test: "end no run: it goes on by itself",
    isBuilt: true,
  },
  {
    rule: "an engine that resumes its own run is no person's act",
    holes: [
      {
        file: "src/loop/run/recover.ts",
        from: "if (by === undefined) ctx.report(",
        to: "ctx.report(",
      },
    ],
    file: "test/loop/run/recover.test.ts",
    test: "is resumed by itself: no intervention is counted",
  },
  {
    rule: "once the journal cannot be written, the work of agents stays for the engine that resumes the run",
    holes: [
      {
        file: "src/loop/attempt/worker.ts",
        from: "if (ctx.isBroken()) return;",
        to: "",
      },
    ],
    file: "test/loop/run/recover.test.ts",
    test: "is resumed by itself: no intervention is counted",
  },
  {
    rule: "a heal whose model's API is away costs none of the run's heals",
    holes: [
      {
        file: "src/domain/run/heals-state.ts",
        from: "return started - past.filter(({ turnedAway }) => turnedAway === true).length;",
        to: "return started - past.length * 0;",
      },
    ],
    file: "test/domain/schedule/heal.outage.test.ts",
    test: "one that got answers before counts after some such heals",
  },
];
