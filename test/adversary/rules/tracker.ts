import type { Rule } from "./rule.ts";

/** Rules about how the tracker is read, and what an attempt and its next agent owe to people's acts in it. */
export const TRACKER: readonly Rule[] = [
  {
    rule: "what an agent has built on a ticket that a person closed stays on a branch",
    holes: [
      {
        in: "workToKeep",
        from: 'if (agent === undefined || (outcome === "failed"',
        to: 'if (agent === undefined || outcome === "closed" || (outcome === "failed"',
      },
    ],
    test: "that is worked on: the attempt stops, its work stays on a branch, and nothing of it lands",
  },
  {
    rule: "an attempt at a ticket that vanished does not merge",
    holes: [
      {
        in: "isStoppedByMissing",
        from: 'return tracked.unreadable === undefined || phase === "finishing";',
        to: 'return phase === "stalled";',
      },
    ],
    test: "while its change is checked: nothing merges",
  },
  {
    rule: "a ticket that is unavailable is no outage of the tracker",
    holes: [
      {
        in: "TrackerWatch.#set",
        from: "if (unavailable !== undefined) throw new TicketConflict(",
        to: 'if (unavailable === "") throw new TicketConflict(',
      },
    ],
    test: "after its change has landed: it cannot be judged",
  },
  {
    rule: "the next agent at a reopened ticket is told",
    holes: [
      {
        in: "reopened",
        from: "const open = { ...withEvidence(renewed(rest), evidence),",
        to: "const open = { ...withEvidence(renewed(rest), [evidence][1]),",
      },
    ],
    test: "that was shipped: it is worked on afresh, and its next agent is told",
  },
  {
    rule: "the next agent at a ticket that was reopened between two runs is told",
    holes: [
      {
        in: "beginRun",
        from: "reopened: reopened.length > 0 ? reopened : undefined,",
        to: "reopened: reopened.length < 0 ? reopened : undefined,",
      },
    ],
    test: "the next agent is told by which run it had landed, and as what",
    isBuilt: true,
  },
  {
    rule: "the tracker is read when it changes",
    holes: [
      {
        in: "TrackerWatch.#rewatch",
        from: "this.#ctx.tracker.watch(() => this.#readSoon());",
        to: "this.#ctx.tracker.watch(() => undefined);",
      },
    ],
    test: "the tracker is read at once if it says that it has changed",
  },
  {
    rule: "the tracker is read every 30 s",
    holes: [{ in: "TrackerWatch.#later", from: "?? PERIOD_MS);", to: "?? 10 * PERIOD_MS);" }],
    test: "the tracker is read every 30 s, whatever it says",
  },
  {
    rule: "a tracker that is away costs no attempt",
    holes: [
      {
        in: "writeTracker",
        from: "isOutage: (error) => !isRefused(error)",
        to: "isOutage: (error) => void isRefused(error) !== undefined",
      },
    ],
    test: "a tracker that is down for a while costs no attempt",
  },
  {
    rule: "of two acts on one ticket, none is lost with an engine that has recorded the other",
    holes: [
      {
        in: "reconcileTicket",
        from: "isSameState(now.state, tracked.state) && isSameWords(tracked.words, now);",
        to: "isSameState(now.state, tracked.state) && (void isSameWords, true);",
      },
    ],
    test: "no act lost or counted twice",
  },
  {
    rule: "a write that the tracker does not show never happened, so that the same state, found later, is a person's act",
    holes: [
      {
        in: "reconcileTicket",
        from: "tracked.pendingWrite !== undefined && isSameState(now.state, tracked.state);",
        to: "tracked.pendingWrite === undefined && tracked.unavailable === now.id;",
      },
    ],
    test: "a write that was announced and is not found never happened",
  },
  {
    rule: "finished work that waits does not land for a ticket that a person has rewritten",
    holes: [
      {
        in: "rewritten",
        from: "const isSetAside = pendingWork !== undefined && !isLanded && attempt === undefined;",
        to: 'const isSetAside = pendingWork !== undefined && pendingWork.tip === "";',
      },
    ],
    test: "finished work that waits does not land for a ticket that a person has rewritten",
  },
  {
    rule: "work that is postponed after a person has rewritten its ticket does not land",
    holes: [
      {
        in: "leftWork",
        from: "return isRuling || (attempt.isOutdated && !isLanded) ?",
        to: "return isRuling || (isLanded && !isLanded) ?",
      },
    ],
    test: "nor does work that is postponed after the person has rewritten it",
  },
  {
    rule: "a person's note of a ticket stays, also one that a person has added to loopdash's",
    holes: [
      {
        in: "isPersonsNote",
        from: "const isOurs = signature !== null && signature[1] === noteSignature(note.slice(0, signature.index));",
        to: 'const isOurs = note.includes(" run ");',
      },
    ],
    test: "keeps a note that a person wrote, and replaces one of its own",
  },
  {
    rule: "a step that a person drafted beside another state stays",
    holes: [
      {
        in: "withState",
        from: "const unused = isDraft ? [] : remove(",
        to: "const unused = remove(",
      },
    ],
    test: "a step that a person drafted beside another state stays",
  },
];
