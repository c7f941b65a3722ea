import type { Rule } from "./rule.ts";

/** Rules about what people do in the tracker, the repository, the batch file and the dashboard. */
export const PEOPLE: readonly Rule[] = [
  {
    rule: "loopdash never overwrites a state that a person wrote",
    holes: [
      {
        in: "TrackerWatch.#write",
        from: "const write = await tracker.set(id, state, note, from);",
        to: "const write = await tracker.set(id, state, note); void from;",
      },
    ],
    test: "do not undo what a person wrote meanwhile",
  },
  {
    rule: "a write of loopdash hides no act of a person",
    holes: [
      {
        in: "written",
        from: "const seen = isOurs ? { revision } : {};",
        to: "const seen = { revision }; void isOurs;",
      },
      {
        in: "reconcileTicket",
        from: "tracked.revision === now.revision && isSameState(now.state, tracked.state) && isSameWords(tracked.words, now);",
        to: "tracked.revision === now.revision;",
      },
    ],
    test: "no act lost or counted twice",
  },
  {
    rule: "a ticket that a person closed is not counted as shipped",
    holes: [
      {
        in: "ticketSettlement",
        from: 'if (closedByPerson === "closed") return "by-person";',
        to: "void closedByPerson;",
      },
    ],
    test: "it is settled without a commit of ours",
  },
  {
    rule: "what loosens a batch needs --accept-changes",
    holes: [
      {
        in: "changesSince",
        from: 'if (loosened.length > 0 && acceptChanges !== "all") {',
        to: "if (loosened.length < 0) {",
      },
    ],
    test: "what loosens needs the flag",
    isBuilt: true,
  },
  {
    rule: "the reviewer judges by the ticket as a person wrote it last",
    holes: [
      {
        in: "ticketNow",
        from: "=> plannedTicket(state().plan, ticket.id);",
        to: "=> (void state, void plannedTicket, ticket);",
      },
    ],
    test: "if its agent is still at work",
  },
  {
    rule: "a person's commit on the branch of a ticket is not overwritten",
    holes: [
      {
        in: "keepPeoplesCommits",
        from: "await observeBranch(ctx, repo, { ticket: id, branch, isAtRest, ours });",
        to: "void [isAtRest, ours];",
      },
    ],
    test: "right before the engine takes the agent's work over",
  },
  {
    rule: "a write of loopdash that did not persist is repeated",
    holes: [
      {
        in: "TrackerWatch.#ticket",
        from: "else await this.#write(now.id, next, `asserted again by run",
        to: "else void (now.id, next, `asserted again by run",
      },
    ],
    test: "that did not persist are repeated, and are nobody's act",
  },
  {
    rule: "a commit that loopdash landed is no act of a person",
    holes: [
      {
        in: "PeopleWatch.#ours",
        from: "const landed = repoLandings(state, repo.id)?.commits ?? [];",
        to: "const landed = repoLandings(state, repo.id)?.commits.slice(0, 0) ?? [];",
      },
    ],
    test: "two landings of one ticket on top of a person's commit",
  },
  {
    rule: "a person's commit on a base is counted (I4)",
    holes: [
      {
        in: "PeopleWatch.#base",
        from: "if (theirs?.length === 0)",
        to: "if (theirs !== undefined)",
      },
    ],
    test: "a person's commit on the base is an intervention, once",
  },
  {
    rule: "a person's edit of the batch file (I2) or of the harness (I3) is counted",
    holes: [
      {
        in: "PeopleWatch.#files",
        from: "else if (seen !== value)",
        to: 'else if (seen === "")',
      },
    ],
    test: "an edit of the batch file and of the harness in use",
  },
  {
    rule: "--fresh over an unfinished run is counted (I5)",
    holes: [
      {
        in: "interventionsAndTracker",
        from: "if (gaveUp === undefined) return { interventions: []",
        to: "if (gaveUp !== null) return { interventions: []",
      },
    ],
    test: "--fresh over an unfinished run is an intervention (I5)",
    isBuilt: true,
  },
  {
    rule: "a raised limit is counted (I6)",
    holes: [
      {
        in: "limitChanges",
        from: 'class: isTighter ? "I2" : "I6"',
        to: 'class: isTighter ? "I2" : "I2"',
      },
    ],
    test: "what loosens needs the flag",
    isBuilt: true,
  },
  {
    rule: "a ticket with rules of its own is counted as a waiver (I8)",
    holes: [
      {
        in: "addedFacts",
        from: "...(isWaiver ? [waiver] : [])",
        to: "...(isWaiver ? [waiver].slice(1) : [])",
      },
    ],
    test: "a ticket with a finish line of its own counts as a waiver too",
    isBuilt: true,
  },
  {
    rule: "a kill by a person (x) loses no work",
    holes: [
      {
        in: "work",
        from: "(await keepWork(ctx, scope, repo, end.outcome));",
        to: "(void keepWork, void repo, end.outcome === undefined);",
      },
    ],
    test: "killed by a person (x): it is on a branch",
  },
  {
    rule: "a gate by a person (g) loses no work",
    holes: [
      {
        in: "work",
        from: "(await keepWork(ctx, scope, repo, end.outcome));",
        to: "(void keepWork, void repo, end.outcome === undefined);",
      },
    ],
    test: "gated by a person (g): the tracker's note names the branch",
  },
  {
    rule: "a person's act in the tracker is counted (I7)",
    holes: [
      {
        in: "drifted",
        from: ": countIntervention(state.interventions, { ...act, at, target: id, observed: true });",
        to: ": (void act, void countIntervention, state.interventions);",
      },
    ],
    test: "that waits: it is settled without a commit of ours",
  },
  {
    rule: "an attempt at a ticket that a person closed stops, and nothing of it lands",
    holes: [
      {
        in: "takeEffect",
        from: "return closed(state, index, at);",
        to: "return (void closed, state);",
      },
    ],
    test: "that is worked on: the attempt stops, its work stays on a branch, and nothing of it lands",
  },
  {
    rule: "a shipped ticket that a person reopened is open again",
    holes: [
      {
        in: "takeEffect",
        from: "return reopened(state, index, { before: ticket, at });",
        to: "return (void reopened, void ticket, state);",
      },
    ],
    test: "that was shipped: it is worked on afresh",
  },
  {
    rule: "a ticket that a person gated is left to that person",
    holes: [
      {
        in: "takeEffect",
        from: "return gated(state, index, { step: change.step, at });",
        to: "return (void gated, state);",
      },
    ],
    test: "a ticket that a person gates in the tracker",
  },
  {
    rule: "the next prompt has what a person wrote",
    holes: [
      {
        in: "takeEffect",
        from: "{ ...spec, title, body }) }",
        to: "{ ...spec, ...(title === body && { title }) }) }",
      },
    ],
    test: "a ticket that a person rewrites: the running attempt goes on",
  },
  {
    rule: "dependencies that a person changed are followed",
    holes: [
      {
        in: "takeEffect",
        from: "? changeDependencies(state, index, change.dependsOn) : state;",
        to: "? (void changeDependencies, state) : state;",
      },
    ],
    test: "are followed by the plan",
  },
  {
    rule: "a ticket that vanished is not worked on",
    holes: [
      {
        in: "takeEffect",
        from: "return dequeue(state, index);",
        to: "return (void dequeue, state);",
      },
    ],
    test: "a ticket that vanishes waits and says so",
  },
];
