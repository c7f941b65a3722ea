import type { Rule } from "./rule.ts";

/** Rules about heals, about what the ledger says, and about what a batch has by default. */
export const RESULTS: readonly Rule[] = [
  {
    rule: "a fault of the machine during the tripwire is no verdict on the oracle",
    holes: [
      {
        in: "createCanaryTripwire",
        from: "unproven: isMachineFault(cause) || undefined,",
        to: "unproven: isMachineFault(undefined) || undefined,",
      },
    ],
    test: "for a fault of the machine leaves the oracle unproven",
  },
  {
    rule: "a reviewer that gives no answer is not booked on the worker",
    holes: [
      {
        in: "postponed",
        from: 'return new AttemptOver({ outcome: "stopped", evidence: { step: STEP[question]',
        to: 'return new AttemptOver({ outcome: "failed", evidence: { step: STEP[question]',
      },
    ],
    test: "for good: the run ends unjudged and names it",
  },
  {
    rule: "a heal is kept only if a ticket that had stalled landed after it",
    holes: [
      {
        in: "healToKeep",
        from: "reverted === undefined && moved.length > 0 && keep === undefined",
        to: "reverted === undefined && moved.length >= 0 && keep === undefined",
      },
    ],
    test: "what a heal added without moving anything is in no later heal's copy, and in no later run",
  },
  {
    rule: 'heals: {"keep": "ask"} waits for a person',
    holes: [
      {
        in: "keepHeal",
        from: 'const state = keep === "auto" && scripts.length === 0 ? "kept" : "waiting";',
        to: 'const state = keep === "auto" || keep === "ask" ? "kept" : "waiting";',
      },
    ],
    test: "waits for a person if the batch asks; keep, --everywhere and revert decide",
    isBuilt: true,
  },
  {
    rule: "a wall that a healer claims needs a ruling",
    holes: [
      {
        in: "admitWall",
        from: "if (ctx.reviewer === undefined) {",
        to: "if (ctx.reviewer === null) {",
      },
    ],
    test: "that claims a wall is rejected where no reviewer can rule on it",
  },
  {
    rule: "a heal that the tripwire rejects is undone, and the original reason is shown",
    holes: [
      {
        in: "afterProof",
        from: "versions: proving.before,",
        to: "versions: heals.versions,",
      },
    ],
    test: "is undone, no attempt saw it, and the run ends with its original reason",
  },
  {
    rule: "a script that a person adds to the harness, or edits there, is counted (I3)",
    holes: [
      {
        in: "harnessFiles",
        from: "...(await namesIn(folder)), ...tools]",
        to: "...(await namesIn(folder)), ...tools.slice(tools.length)]",
      },
    ],
    test: "a script of the harness that a person edits, adds or removes",
  },
  {
    rule: "a person who frees a ticket that waited for a person is counted (I1)",
    holes: [
      {
        in: "classifyIntervention",
        from: 'return { class: "I1", note: `',
        to: 'return { class: "I7", note: `',
      },
    ],
    test: "reopens for work: an obstacle is removed (I1), and it is worked on",
  },
  {
    rule: "an added ticket is counted (I2)",
    holes: [
      {
        in: "addedFacts",
        from: 'class: "I2", target, note',
        to: 'class: "I8", target, note',
      },
    ],
    test: "a ticket with a finish line of its own counts as a waiver too",
    isBuilt: true,
  },
  {
    rule: "an incident that lasts is counted once",
    holes: [
      {
        in: "withIncident",
        from: "return list.some((each) => isLasting(each, next)) ? list : [...list, next];",
        to: "return (void isLasting, [...list, next]);",
      },
    ],
    test: "counts the same incident once while it lasts",
  },
  {
    rule: "every judgement of the oracle is kept with its evidence",
    holes: [
      {
        in: "judgementRecords",
        from: "const given = evidence === undefined ? {} : { evidence };",
        to: "const given = evidence === undefined ? {} : {};",
      },
    ],
    test: "are all in the journal, with time, hash, verdict and evidence, and so in the report",
  },
  {
    rule: "a batch without a finish line runs the repository's own tests",
    holes: [
      {
        in: "withTests",
        from: "if (command === undefined) return finish;",
        to: "if (command !== null) return finish;",
      },
    ],
    test: "runs the repository's own tests, which the plan, the journal and a found ticket know",
    isBuilt: true,
  },
  {
    rule: "a start says in one line that nothing will be tested",
    holes: [
      {
        in: "isToldAtStart",
        from: "return atStart === true || message.startsWith(NO_CHECK);",
        to: "return atStart === true && message.startsWith(NO_CHECK);",
      },
    ],
    test: "says in one line at its start that nothing will be tested",
    isBuilt: true,
  },
  {
    rule: "a batch protects the configuration of tests and CI by default",
    holes: [
      {
        in: "protectedPaths",
        from: "(glob === PROTECT_DEFAULTS ? DEFAULTS : [glob])",
        to: '(glob === PROTECT_DEFAULTS ? DEFAULTS.filter((path) => path === "") : [glob])',
      },
    ],
    test: "are shown in groups, the batch's own last",
  },
  {
    rule: "the name of a batch is its latest run, and names the others",
    holes: [
      {
        in: "choose",
        from: "row.name === name || row.run.replace(RUN_SUFFIX",
        to: "row.run.replace(RUN_SUFFIX",
      },
    ],
    test: "by the name of its batch: the latest, which names the others",
  },
];
