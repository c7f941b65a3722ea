import type { Rule } from "./rule.ts";

/** Rules about what people do in the tracker, the repository, the batch file and the dashboard. */
export const PEOPLE: readonly Rule[] = [
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
      {
        file: "src/domain/run/reconcile-tracker.ts",
        from: "tracked.revision === now.revision && isSameState(now.state, tracked.state) && isSameWords(tracked.words, now);",
        to: "tracked.revision === now.revision;",
      },
    ],
    file: "test/loop/people.property.test.ts",
    test: "no act lost or counted twice",
  },
  {
    rule: "a ticket that a person closed is not counted as shipped",
    holes: [
      {
        file: "src/domain/results/settlement.ts",
        from: 'if (closedByPerson === "closed") return "by-person";',
        to: "void closedByPerson;",
      },
    ],
    file: "test/loop/drift.test.ts",
    test: "it is settled without a commit of ours",
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
    rule: "a person's commit on the branch of a ticket is not overwritten",
    holes: [
      {
        file: "src/loop/attempt/kept-work.ts",
        from: "await observeBranch(ctx, repo, { ticket: id, branch, isAtRest, ours });",
        to: "void [isAtRest, ours];",
      },
    ],
    file: "test/loop/peoples-commits.test.ts",
    test: "right before the engine takes the agent's work over",
  },
  {
    rule: "a write of loopdash that did not persist is repeated",
    holes: [
      {
        file: "src/loop/run/tracker-watch.ts",
        from: "else await this.#write(now.id, next, `asserted again by run",
        to: "else void (now.id, next, `asserted again by run",
      },
    ],
    file: "test/loop/own-writes.test.ts",
    test: "that did not persist are repeated, and are nobody's act",
  },
  {
    rule: "a commit that loopdash landed is no act of a person",
    holes: [
      {
        file: "src/loop/run/people-watch.ts",
        from: "const landed = landingsOf(state, repo.id)?.commits ?? [];",
        to: "const landed = landingsOf(state, repo.id)?.commits.slice(0, 0) ?? [];",
      },
    ],
    file: "test/loop/people.test.ts",
    test: "two landings of one ticket on top of a person's commit",
  },
  {
    rule: "a person's commit on a base is counted (I4)",
    holes: [
      {
        file: "src/loop/run/people-watch.ts",
        from: "if (theirs?.length === 0)",
        to: "if (theirs !== undefined)",
      },
    ],
    file: "test/loop/people.test.ts",
    test: "a person's commit on the base is an intervention, once",
  },
  {
    rule: "a person's edit of the batch file (I2) or of the harness (I3) is counted",
    holes: [
      {
        file: "src/loop/run/people-watch.ts",
        from: "else if (seen !== value)",
        to: 'else if (seen === "")',
      },
    ],
    file: "test/loop/people.test.ts",
    test: "an edit of the batch file and of the harness in use",
  },
  {
    rule: "--fresh over an unfinished run is counted (I5)",
    holes: [
      {
        file: "src/domain/run/reduce-start.ts",
        from: "if (gaveUp === undefined) return { interventions: []",
        to: "if (gaveUp !== null) return { interventions: []",
      },
    ],
    file: "test/e2e/people.test.ts",
    test: "--fresh over an unfinished run is an intervention (I5)",
    isBuilt: true,
  },
  {
    rule: "a raised limit is counted (I6)",
    holes: [
      {
        file: "src/domain/run/batch-changes.ts",
        from: 'class: isTighter ? "I2" : "I6"',
        to: 'class: isTighter ? "I2" : "I2"',
      },
    ],
    file: "test/e2e/add.test.ts",
    test: "what loosens needs the flag",
    isBuilt: true,
  },
  {
    rule: "a ticket with rules of its own is counted as a waiver (I8)",
    holes: [
      {
        file: "src/domain/run/added-ticket.ts",
        from: "...(isWaiver ? [waiver] : [])",
        to: "...(isWaiver ? [waiver].slice(1) : [])",
      },
    ],
    file: "test/e2e/add.test.ts",
    test: "a ticket with a finish line of its own counts as a waiver too",
    isBuilt: true,
  },
  {
    rule: "a kill by a person (x) loses no work",
    holes: [
      {
        file: "src/loop/attempt/worker.ts",
        from: "(await keepWork(ctx, scope, repo, end.outcome));",
        to: "(void keepWork, void repo, end.outcome === undefined);",
      },
    ],
    file: "test/loop/attempt/kept-work.test.ts",
    test: "killed by a person (x): it is on a branch",
  },
  {
    rule: "a gate by a person (g) loses no work",
    holes: [
      {
        file: "src/loop/attempt/worker.ts",
        from: "(await keepWork(ctx, scope, repo, end.outcome));",
        to: "(void keepWork, void repo, end.outcome === undefined);",
      },
    ],
    file: "test/loop/attempt/kept-work.test.ts",
    test: "gated by a person (g): the tracker's note names the branch",
  },
  {
    rule: "a person's act in the tracker is counted (I7)",
    holes: [
      {
        file: "src/domain/run/reduce-drift.ts",
        from: ": countIntervention(state.interventions, { ...act, at, target: id, observed: true });",
        to: ": (void act, void countIntervention, state.interventions);",
      },
    ],
    file: "test/loop/drift.test.ts",
    test: "that waits: it is settled without a commit of ours",
  },
  {
    rule: "an attempt at a ticket that a person closed stops, and nothing of it lands",
    holes: [
      {
        file: "src/domain/run/reduce-drift.ts",
        from: "return closed(state, index, at);",
        to: "return (void closed, state);",
      },
    ],
    file: "test/loop/drift.test.ts",
    test: "that is worked on: the attempt stops, its work stays on a branch, and nothing of it lands",
  },
  {
    rule: "a shipped ticket that a person reopened is open again",
    holes: [
      {
        file: "src/domain/run/reduce-drift.ts",
        from: "return reopened(state, index, { before: ticket, at });",
        to: "return (void reopened, void ticket, state);",
      },
    ],
    file: "test/loop/drift.test.ts",
    test: "that was shipped: it is worked on afresh",
  },
  {
    rule: "a ticket that a person gated is left to that person",
    holes: [
      {
        file: "src/domain/run/reduce-drift.ts",
        from: "return gated(state, index, { step: change.step, at });",
        to: "return (void gated, state);",
      },
    ],
    file: "test/loop/drift.test.ts",
    test: "a ticket that a person gates in the tracker",
  },
  {
    rule: "the next prompt has what a person wrote",
    holes: [
      {
        file: "src/domain/run/reduce-drift.ts",
        from: "{ ...spec, title, body }) }",
        to: "{ ...spec, ...(title === body && { title }) }) }",
      },
    ],
    file: "test/loop/drift.test.ts",
    test: "a ticket that a person rewrites",
  },
  {
    rule: "dependencies that a person changed are followed",
    holes: [
      {
        file: "src/domain/run/reduce-drift.ts",
        from: "? changeDependencies(state, index, change.dependsOn) : state;",
        to: "? (void changeDependencies, state) : state;",
      },
    ],
    file: "test/loop/drift.test.ts",
    test: "are followed by the plan",
  },
  {
    rule: "a ticket that vanished is not worked on",
    holes: [
      {
        file: "src/domain/run/reduce-drift.ts",
        from: "return dequeue(state, index);",
        to: "return (void dequeue, state);",
      },
    ],
    file: "test/loop/drift.test.ts",
    test: "a ticket that vanishes waits and says so",
  },
];
