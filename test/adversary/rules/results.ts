import type { Rule } from "./rule.ts";

/** Rules about heals, about what the ledger says, and about what a batch has by default. */
export const RESULTS: readonly Rule[] = [
  {
    rule: "a fault of the machine during the tripwire is no verdict on the oracle",
    holes: [
      {
        file: "src/adapters/tripwire/canary-tripwire.ts",
        from: "...(isMachineFault(cause) ? { unproven: true } : {}),",
        to: "...(isMachineFault(undefined) ? { unproven: true } : {}),",
      },
    ],
    file: "test/adapters/tripwire/tripwire.test.ts",
    test: "for a fault of the machine leaves the oracle unproven",
  },
  {
    rule: "a reviewer that gives no answer is not booked on the worker",
    holes: [
      {
        file: "src/loop/questions/ask.ts",
        from: 'return new AttemptOver({ outcome: "stopped", evidence: { step: STEP[question]',
        to: 'return new AttemptOver({ outcome: "failed", evidence: { step: STEP[question]',
      },
    ],
    file: "test/loop/reviewer-outage.test.ts",
    test: "for good: the run ends unjudged and names it",
  },
  {
    rule: "a heal is kept only if a ticket that had stalled landed after it",
    holes: [
      {
        file: "src/domain/schedule/heal.ts",
        from: "reverted === undefined && moved.length > 0 && keep === undefined",
        to: "reverted === undefined && moved.length >= 0 && keep === undefined",
      },
    ],
    file: "test/loop/heal-kept.test.ts",
    test: "what a heal added without moving anything is in no later heal's copy, and in no later run",
  },
  {
    rule: 'heals: {"keep": "ask"} waits for a person',
    holes: [
      {
        file: "src/loop/heal/heal.ts",
        from: 'const state = keep === "auto" && scripts.length === 0 ? "kept" : "waiting";',
        to: 'const state = keep === "auto" || keep === "ask" ? "kept" : "waiting";',
      },
    ],
    file: "test/e2e/heal.test.ts",
    test: "waits for a person if the batch asks; keep, --everywhere and revert decide",
    isBuilt: true,
  },
  {
    rule: "a wall that a healer claims needs a ruling",
    holes: [
      {
        file: "src/loop/heal/heal.ts",
        from: "if (ctx.reviewer === undefined) {",
        to: "if (ctx.reviewer === null) {",
      },
    ],
    file: "test/loop/heal/heal.test.ts",
    test: "that claims a wall is rejected where no reviewer can rule on it",
  },
  {
    rule: "a heal that the tripwire rejects is undone, and the original reason is shown",
    holes: [
      {
        file: "src/domain/run/reduce-heal.ts",
        from: "      versions: proving.before,",
        to: "      versions: heals.versions,",
      },
    ],
    file: "test/loop/heal-kept.test.ts",
    test: "is undone, no attempt saw it, and the run ends with its original reason",
  },
  {
    rule: "a script that a person adds to the harness, or edits there, is counted (I3)",
    holes: [
      {
        file: "src/adapters/run-files/watched-files.ts",
        from: "...(await namesIn(folder)), ...tools]",
        to: "...(await namesIn(folder)), ...tools.slice(tools.length)]",
      },
    ],
    file: "test/loop/people.test.ts",
    test: "a script of the harness that a person edits, adds or removes",
  },
  {
    rule: "a person who frees a ticket that waited for a person is counted (I1)",
    holes: [
      {
        file: "src/domain/run/drift-after.ts",
        from: 'return { class: "I1", note: `',
        to: 'return { class: "I7", note: `',
      },
    ],
    file: "test/loop/people.test.ts",
    test: "reopens for work: an obstacle is removed (I1), and it is worked on",
  },
  {
    rule: "an added ticket is counted (I2)",
    holes: [
      {
        file: "src/domain/run/added-ticket.ts",
        from: 'class: "I2", target, note',
        to: 'class: "I8", target, note',
      },
    ],
    file: "test/e2e/add.test.ts",
    test: "a ticket with a finish line of its own counts as a waiver too",
    isBuilt: true,
  },
  {
    rule: "an incident that lasts is counted once",
    holes: [
      {
        file: "src/domain/results/incident.ts",
        from: "return list.some((each) => isLasting(each, next)) ? list : [...list, next];",
        to: "return (void isLasting, [...list, next]);",
      },
    ],
    file: "test/domain/results/incident.test.ts",
    test: "counts the same incident once while it lasts",
  },
  {
    rule: "every judgement of the oracle is kept with its evidence",
    holes: [
      {
        file: "src/domain/results/judgements.ts",
        from: "const given = evidence === undefined ? {} : { evidence };",
        to: "const given = evidence === undefined ? {} : {};",
      },
    ],
    file: "test/domain/results/judgements.test.ts",
    test: "are all in the journal, with time, hash, verdict and evidence, and so in the report",
  },
  {
    rule: "a batch without a finish line runs the repository's own tests",
    holes: [
      {
        file: "src/domain/batch/default-finish.ts",
        from: "if (command === undefined) return finish;",
        to: "if (command !== null) return finish;",
      },
    ],
    file: "test/e2e/defaults.test.ts",
    test: "runs the repository's own tests, which the plan, the journal and a found ticket know",
    isBuilt: true,
  },
  {
    rule: "a start says in one line that nothing will be tested",
    holes: [
      {
        file: "src/domain/batch/warn.ts",
        from: "return atStart === true || message.startsWith(NO_CHECK);",
        to: "return atStart === true && message.startsWith(NO_CHECK);",
      },
    ],
    file: "test/e2e/defaults.test.ts",
    test: "says in one line at its start that nothing will be tested",
    isBuilt: true,
  },
  {
    rule: "a batch protects the configuration of tests and CI by default",
    holes: [
      {
        file: "src/domain/batch/default-protect.ts",
        from: "(glob === PROTECT_DEFAULTS ? DEFAULTS : [glob])",
        to: '(glob === PROTECT_DEFAULTS ? DEFAULTS.filter((path) => path === "") : [glob])',
      },
    ],
    file: "test/domain/batch/default-protect.test.ts",
    test: "are shown in groups, the batch's own last",
  },
  {
    rule: "the name of a batch is its latest run, and names the others",
    holes: [
      {
        file: "src/cli/find-run.ts",
        from: "row.name === name || row.run.replace(RUN_SUFFIX",
        to: "row.run.replace(RUN_SUFFIX",
      },
    ],
    file: "test/cli/engine.test.ts",
    test: "by the name of its batch: the latest, which names the others",
  },
];
