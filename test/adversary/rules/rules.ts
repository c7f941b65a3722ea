import type { Hole } from "../holed-build.ts";

/** A rule about what people and live systems do, and the test that fails if nothing enforces it. */
export interface Rule {
  /** What always holds. */
  readonly rule: string;
  /** What is taken out of the source. */
  readonly holes: readonly Hole[];
  /** The test that then fails: its file, and a text that only its name contains. */
  readonly file: string;
  readonly test: string;
  /** True if the test runs the program, which is built with the holes. */
  readonly isBuilt?: true;
}

export const RULES: readonly Rule[] = [
  {
    rule: "loopdash never overwrites a state that a person wrote",
    holes: [
      {
        file: "src/loop/run/tracker-watch.ts",
        from: "const write = await tracker.set(id, state, note, from);",
        to: "const write = await tracker.set(id, state, note); void from;",
      },
    ],
    file: "test/loop/own-writes.test.ts",
    test: "do not undo what a person wrote meanwhile",
  },
  {
    rule: "a write of loopdash hides no act of a person",
    holes: [
      {
        file: "src/domain/run/reduce-drift.ts",
        from: "const seen = isOurs ? { revision } : {};",
        to: "const seen = { revision }; void isOurs;",
      },
    ],
    file: "test/loop/people.property.test.ts",
    test: "no act lost or counted twice",
  },
  {
    rule: "a ticket that a person closed is not counted as shipped",
    holes: [{ file: "src/store/results/summary.ts", from: "{done - closed} shipped", to: "{done} shipped" }],
    file: "test/loop/drift.test.ts",
    test: "it is settled without a commit of ours",
  },
  {
    rule: "a live check that failed is repeated",
    holes: [
      {
        file: "src/domain/schedule/live-checks.ts",
        from: "live?.nextAt !== undefined && live.nextAt <= now && gate",
        to: "live?.nextAt !== undefined && live.nextAt < 0 && now > 0 && gate",
      },
    ],
    file: "test/loop/live-check.test.ts",
    test: "once, and then passes, is repeated without an agent",
  },
  {
    rule: "a ticket whose live check was not run is not done",
    holes: [
      {
        file: "src/loop/attempt/finish-line.ts",
        from: 'if (spec.step === "verify") return runVerifyStep(',
        to: 'if (spec.step === "verify") return { ok: true, summary: "skipped" }; void (() => ',
      },
    ],
    file: "test/loop/live-check.test.ts",
    test: "once, and then passes, is repeated without an agent",
  },
  {
    rule: "the last re-verification covers landed tickets that are not live",
    holes: [
      {
        file: "src/loop/run/reverify.ts",
        from: "return live.checking === undefined && live.reopened <= batch.limits.attempts;",
        to: "return batch.limits.attempts < 0;",
      },
    ],
    file: "test/loop/live-check.test.ts",
    test: "that was given up, and passes at the last look, is done",
  },
  {
    rule: "what a heal wrote for one repository reaches no other",
    holes: [
      {
        file: "src/adapters/harness/run-harness.ts",
        from: 'if (change.state === "kept" && change.repository.key !== key) continue;',
        to: "void key;",
      },
    ],
    file: "test/loop/heal-kept.test.ts",
    test: "is in later runs on the same repository, and in no other's",
  },
  {
    rule: "a heal without a valid answer changes nothing",
    holes: [
      {
        file: "src/loop/heal/heal.ts",
        from: "return wrong === undefined ? parsed : { ok: false, why: wrong };",
        to: "return (void wrong, parsed);",
      },
    ],
    file: "test/loop/heal/heal.test.ts",
    test: "names a foreign ticket",
  },
  {
    rule: "what loosens a batch needs --accept-changes",
    holes: [
      {
        file: "src/cli/engine/changed-batch.ts",
        from: 'if (loosened.length > 0 && acceptChanges !== "all") {',
        to: "if (loosened.length < 0) {",
      },
    ],
    file: "test/e2e/add.test.ts",
    test: "what loosens needs the flag",
    isBuilt: true,
  },
  {
    rule: "an outage that lasts ends the run unjudged, never done",
    holes: [
      {
        file: "src/domain/schedule/decide.ts",
        from: 'kind: "unjudged", verdict: "unjudged", exitCode: EXIT.unjudged, reason: describeFatalOutage(over)',
        to: 'kind: "oracle-done", verdict: "done", exitCode: 0, reason: describeFatalOutage(over)',
      },
    ],
    file: "test/loop/reviewer-outage.test.ts",
    test: "for good: the run ends unjudged and names it",
  },
  {
    rule: "the answer of a reviewer that crashed is no review",
    holes: [
      {
        file: "src/loop/questions/ask.ts",
        from: 'if (answer.ending !== "exited" || answer.exitCode !== 0)',
        to: "if (answer.exitCode === -1)",
      },
    ],
    file: "test/loop/review.test.ts",
    test: "dies after its answer",
  },
  {
    rule: "the reviewer judges by the ticket as a person wrote it last",
    holes: [
      {
        file: "src/loop/questions/ask.ts",
        from: "=> specOf(state().plan, ticket.id);",
        to: "=> (void state, void specOf, ticket);",
      },
    ],
    file: "test/loop/rewritten.test.ts",
    test: "if its agent is still at work",
  },
  {
    rule: "a change that was reviewed by an old text does not land",
    holes: [
      {
        file: "src/loop/attempt/candidate-checks.ts",
        from: ".some(({ text }) => text !== this.#text);",
        to: ".some(() => false);",
      },
    ],
    file: "test/loop/rewritten.test.ts",
    test: "if the reviewer has passed the change, and it has not landed",
  },
  {
    rule: "exclusive names hold for all runs of the machine",
    holes: [
      {
        file: "src/loop/run/exclusive-names.ts",
        from: "if (!taken.ok) {",
        to: "if (!taken.ok) return undefined;\n    if (!taken.ok) {",
      },
    ],
    file: "test/loop/run/exclusive-names.test.ts",
    test: "gives a name to one run at a time",
  },
  {
    rule: "a person's commit on the branch of a ticket is not overwritten",
    holes: [
      {
        file: "src/loop/attempt/peoples-commits.ts",
        from: "await observeBranch(ctx, repo, { ticket: id, branch, isAtRest });",
        to: "void isAtRest;",
      },
    ],
    file: "test/loop/peoples-commits.test.ts",
    test: "right before the engine takes the agent's work over",
  },
  {
    rule: "while a landed change is not live, nothing else lands on its base",
    holes: [
      {
        file: "src/loop/steps/merge.ts",
        from: "|| freezeReason(ctx.state(), scope.ticket.id) !== undefined) continue;",
        to: ") continue;",
      },
      {
        file: "src/loop/steps/merge.ts",
        from: "const reason = scope.signal.aborted ? undefined : freezeReason(ctx.state(), scope.ticket.id);",
        to: "const reason = [undefined as string | undefined][0];",
      },
    ],
    file: "test/loop/broken-base.test.ts",
    test: "nothing else lands on its base, agents keep working",
  },
  {
    rule: "an attempt that a check on its base keeps back is not repeated until the base has moved",
    holes: [
      {
        file: "src/domain/schedule/freeze.ts",
        from: "if (waitsForCheck(state, index)) return known;",
        to: "void waitsForCheck;",
      },
    ],
    file: "test/loop/bases.property.test.ts",
    test: "whatever breaks a base",
  },
];
