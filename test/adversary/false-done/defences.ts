import type { Defence } from "../suite.ts";

/** The world is looked at without the sandbox around agents and commands. */
const UNCONFINED = {
  in: "findEnvironment",
  from: "const sandbox = await sandboxOf(",
  to: "const sandbox = undefined; void (",
} as const;

/** What each attack of this family meets. Design law 2: a worker's word is never evidence; laws 1 and 3: nor is what it writes. */
export const DEFENCES = {
  word: {
    name: "what an agent prints is shown and never taken for a fact",
    holes: [
      {
        in: "reportLive",
        from: "onActivity: activity.line,",
        to: `onActivity: (text) => {
          activity.line(text);
          if (text.startsWith("{")) ctx.report(JSON.parse(text));
        },`,
      },
    ],
  },
  empty: {
    name: "a change that is none lands nothing, whatever is said of it",
    holes: [{ in: "gates", from: "if (change.paths.length === 0) return refuseNothing(change, inside);", to: "" }],
  },
  check: {
    name: "a check that fails refuses the change",
    holes: [
      {
        in: "byExitCode",
        from: 'const failed = result.ending !== "exited" || result.exitCode !== wanted;',
        to: "const failed = false;",
      },
    ],
  },
  base: {
    name: "the base alone says which tests failed before",
    holes: [
      { in: "sortOut", from: "if (tally.failed > (old?.failed ?? 0)) sorted", to: "if (false) sorted" },
      { in: "exitFinding", from: "if (newlyFailing === 0 && exitCode !== base?.exitCode)", to: "if (false)" },
    ],
  },
  again: {
    name: "a candidate that is built again is judged again",
    holes: [
      {
        in: "Lane.#build",
        from: "const at = (built.at(-1) ?? onto)?.candidate?.commit;",
        to: "const at = undefined as string | undefined;\n      void onto;",
      },
      {
        in: "Car.turn",
        from: "const isFresh = !this.isLost && this.candidate?.base === (await this.options.baseTip());",
        to: "const isFresh = !this.isLost;",
      },
      {
        in: "landByTrain",
        from: "checkAgain: () => checks.checkInTrain(car) },",
        to: "checkAgain: () => checks.build() as never },",
      },
    ],
  },
  ownCommit: {
    name: "what lands is a commit of the engine's own on top of the base, whatever the worker's history looks like",
    holes: [
      {
        in: "buildCandidate",
        from: "commit: await writeCandidate(store, { tree, parent: base, ...options }) }; }",
        to: "commit: tip };\n  }",
      },
      {
        in: "captureGuarded",
        from: 'history === "replaces" ? from : start.commit',
        to: "start.commit",
      },
    ],
  },
  noDeref: {
    name: "a ticket's branch is moved itself, wherever it was made to point",
    holes: [{ in: "tryMoveRef", from: '"option no-deref\\n"', to: '""' }],
  },
  lastLook: {
    name: "before the oracle is asked, commits, live checks and the tracker are looked at again",
    holes: [
      {
        in: "Performer.#reverify",
        from: 'this.#note("reverify", await reverify(this.#ctx, { signal, pollPeople: () => this.#people.poll() }));',
        to: 'this.#ctx.report({ type: "reverify-ended", reopened: 0 });',
      },
      // What only loopdash writes is also taken back as soon as it is seen.
      {
        in: "TrackerWatch.#ticket",
        from: "const isOursAlone = !isKeptOutside(batch.tracker) && !confined;",
        to: "const isOursAlone = false;",
      },
    ],
  },
  ended: {
    name: "an agent that was ended has delivered nothing, whatever it says on its way out",
    holes: [
      { in: "cutShort", from: 'if (result.ending === "aborted") return abortedEnd(open);', to: "" },
      {
        in: "attemptFrom",
        from: "if (cut !== undefined) return cut;",
        to: `if ("exitCode" in result && result.exitCode === 0) {
          const calm = { ...open, signal: new AbortController().signal };
          const change = await captureWork(ctx, calm, repo, { ...tree, from: baseSha, begun });
          return finishFrom(ctx, calm, { baseSha, change });
        }
        if (cut !== undefined) return cut;`,
      },
    ],
  },
  readBack: {
    name: "what the tracker was told is read back before it is believed",
    holes: [
      {
        in: "set",
        from: "if (isSameState(after.state, state)) return {",
        to: "return {",
      },
    ],
  },
  sandbox: {
    name: "the sandbox keeps agents from the tracker, the batch file, the repository's refs and the engine's socket",
    holes: [UNCONFINED],
  },
  frozenBatch: {
    name: "a run goes on with the batch that it began with, or not at all",
    holes: [
      {
        in: "changesSince",
        from: "if (loaded.sha === row.batchFileSha && state.isBatchChanged !== true) return",
        to: "if (true) return",
      },
      {
        in: "openRun",
        from: "await resumeRun({ run: unfinished.run, home, store, outside: loaded.outside });",
        to: "await resumeRun({ run: unfinished.run, home, store, loaded });",
      },
      {
        in: "resumeRun",
        from: "const tickets = state.batch.tickets.map((t) => t.id);",
        to: "const tickets = options.loaded.batch.tickets.map((t) => t.id);",
      },
      {
        in: "resumeRun",
        from: "if (shaOf(oracleBatchBytes(oracleBatch)) !== state.batchSha)",
        to: "if (false)",
      },
      // What the run has beyond the oracle's list counts as found on the way, and is judged as well.
      {
        in: "judgesOf",
        from: "options.tickets().slice(frozen.length);",
        to: "options.tickets().slice(0, 0);",
      },
      // The engine's own state, which ends no run as done with an open ticket.
      {
        in: "endAsDone",
        from: "if (open !== undefined) return unjudged(",
        to: "if (false) return unjudged(",
      },
    ],
  },
} as const satisfies Record<string, Defence>;
