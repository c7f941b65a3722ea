import { BASES } from "./bases.ts";
import { BRANCHES } from "./branches.ts";
import { LIVE } from "./live.ts";
import { MODELS } from "./models.ts";
import { PEOPLE } from "./people.ts";
import { RESULTS } from "./results.ts";
import type { Rule } from "./rule.ts";
import { SERVICES } from "./services.ts";
import { TRACKER } from "./tracker.ts";

/** Rules about what the engine itself calls: the reviewer, the healer, the tracker, the machine. */
const CALLED: readonly Rule[] = [
  {
    rule: "what a heal wrote for one repository reaches no other",
    holes: [
      {
        in: "withKept",
        from: 'if (change.state === "kept" && change.repository.key !== key) continue;',
        to: "void key;",
      },
    ],
    test: "is in later runs on the same repository, and in no other's",
  },
  {
    rule: "a heal without a valid answer changes nothing",
    holes: [
      {
        in: "answerIn",
        from: "return wrong === undefined ? parsed : { ok: false, why: wrong };",
        to: "return (void wrong, parsed);",
      },
    ],
    test: "names a foreign ticket",
  },
  {
    rule: "an outage that lasts ends the run unjudged, never done",
    holes: [
      {
        in: "decide",
        from: "unjudged(describeFatalOutage(state.fatalOutage))",
        to: '({ do: "end", kind: "oracle-done", verdict: "done", exitCode: 0, reason: describeFatalOutage(state.fatalOutage) })',
      },
    ],
    test: "for good: the run ends unjudged and names it",
  },
  {
    rule: "the answer of a reviewer that crashed is no review",
    holes: [
      {
        in: "readAnswer",
        from: 'if (answer.ending !== "exited" || answer.exitCode !== 0)',
        to: "if (answer.exitCode === -1)",
      },
    ],
    test: "dies after its answer",
  },
  {
    rule: "a second review is answered by the second reviewer, and by no other",
    holes: [{ in: "askReviewer", from: "const reviewer = ctx[party];", to: "const reviewer = ctx.reviewer;" }],
    test: "are both asked, each once and in order",
  },
  {
    rule: "of two readings for a class, one is by the second reviewer",
    holes: [
      {
        in: "lacks",
        from: "if (of === 1 || !hasSecondReviewer) return",
        to: "if (true) return",
      },
    ],
    test: "has a reading by the second although two of its own are by the first",
  },
  {
    rule: "a change that was reviewed by an old text does not land",
    holes: [
      {
        in: "CandidateChecks.isOutdated",
        from: ".some(({ text }) => text !== this.#text);",
        to: ".some(() => false);",
      },
    ],
    test: "if the reviewer has passed the change, and it has not landed",
  },
  {
    rule: "an agent whose key cannot be fetched is not started",
    holes: [
      {
        in: "runAgent",
        from: 'await withSecrets(ctx, open, () => fetchKey(ctx, "agent", { signal, ticket: ticket.id }));',
        to: "await withSecrets(ctx, open, async () => void fetchKey);",
      },
    ],
    test: "before an agent starts is an outage",
    isBuilt: true,
  },
  {
    rule: "exclusive names hold for all runs of the machine",
    holes: [
      {
        in: "ExclusiveNames.take",
        from: "if (!taken.ok) {",
        to: "if (!taken.ok) return undefined;\n    if (!taken.ok) {",
      },
    ],
    test: "gives a name to one run at a time",
  },
];

export const RULES: readonly Rule[] = [
  ...PEOPLE,
  ...TRACKER,
  ...SERVICES,
  ...LIVE,
  ...BASES,
  ...BRANCHES,
  ...CALLED,
  ...MODELS,
  ...RESULTS,
];
