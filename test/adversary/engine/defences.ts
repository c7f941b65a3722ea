import type { Hole } from "../holes/locate.ts";
import type { Defence } from "../suite.ts";

const UNCONFINED: Hole = {
  in: "findEnvironment",
  from: "const sandbox = await sandboxOf(",
  to: "const sandbox = undefined; void (",
};

/** What each attack of this family meets. Design laws 5 (intent before effect), 8 (everything is bounded) and 4 (fail closed). */
export const DEFENCES = {
  sandbox: {
    name: "the sandbox ends with its agent, and shows it no process, no secret and no checkout but its own",
    holes: [UNCONFINED],
  },
  sandboxOfChecks: {
    name: "nothing but its command writes to a checkout that is being checked, or that is seen",
    holes: [UNCONFINED, { in: "overwrittenFindings", from: "if (overwritten.length === 0) return [];", to: "return [];" }],
  },
  environment: {
    name: "what an agent's environment holds is on a list",
    holes: [
      {
        in: "allowedEnvironment",
        from: "const copied = COPIED.flatMap(",
        to: "const copied = Object.keys(from).flatMap(",
      },
    ],
  },
  sweep: {
    name: "what an agent left running is hunted down when it ends",
    holes: [
      {
        in: "runOne",
        from: "const swept = await sweep(prey, workshop.read);",
        to: "const swept = { killed: 0, survivors: [] };",
      },
    ],
  },
  log: {
    name: "a log is cut where it grows too long",
    holes: [
      {
        in: "openLogFile",
        from: "const room = ROOM - used;",
        to: "const room = Number.MAX_SAFE_INTEGER;",
      },
    ],
  },
  attempts: {
    name: "a ticket has so many attempts and no more, whatever each failed by",
    holes: [{ in: "requeue", from: "ticket.failures >= attemptsAt(state, index)", to: "false" }],
  },
  limits: {
    name: "an agent that runs out of time, or prints nothing for too long, is ended",
    holes: [
      {
        in: "runAgent",
        from: "timeoutMs: agentLimitMs(ctx.batch, ticket, ticketById(ctx.state(), ticket.id)),",
        to: "timeoutMs: 3_600_000,",
      },
      { in: "runAgent", from: "silenceMs: limits.silenceMinutes * 60_000,", to: "silenceMs: 3_600_000," },
    ],
  },
  dayShared: {
    name: "the day's money is set aside in one place for all engines before an attempt starts",
    holes: [{ in: "dayBudgetOf", from: "if (usd === 0 ||", to: "if (true ||" }],
  },
  ended: {
    name: "an agent that was ended has delivered nothing, whatever it says on its way out",
    holes: [
      {
        in: "stoppedByItself",
        from: 'return ending === "exited" && exitCode === 0 && stop === undefined;',
        to: "return exitCode === 0 && stop === undefined;",
      },
    ],
  },
  perTicket: {
    name: "the attempts of a ticket together cost no more than it may",
    holes: [
      {
        in: "capReached",
        from: "ticket.costUsd + setAside(ticket.attempt) + next > usdFor(state.batch, plannedTicket(state.plan, ticket.id), ticket)",
        to: "false",
      },
    ],
  },
  reserved: {
    name: "money that is set aside for one start is not there for the next",
    holes: [{ in: "schedule", from: "reserved += reservedUsd;", to: "" }],
  },
  unknownCost: {
    name: "an attempt whose end nobody saw costs all that was set aside for it",
    holes: [
      {
        in: "lostUsd",
        from: "return attempt.agent === undefined ? (attempt.asked?.reservedUsd ?? 0) : setAside(attempt);",
        to: "return 0;",
      },
    ],
  },
  locks: {
    name: "one engine at a time for a batch file, and for a base on this machine",
    holes: [{ in: "startEngine", from: "locks ??= takeLocks(loaded, home);", to: "locks ??= [];" }],
  },
  startTime: {
    name: "a process is known by its start time beside its number",
    holes: [
      {
        in: "isAlive",
        from: "&& !now.dead && now.startTime === id.startTime;",
        to: "&& !now.dead;",
      },
      {
        in: "findProcessTree",
        from: "if (now === undefined || now.startTime === main.startTime) sessions",
        to: "sessions",
      },
    ],
  },
  strays: {
    name: "what a lost engine left running is ended before a ticket is tried again",
    holes: [
      {
        in: "recover",
        from: "const orphansKilled = await ctx.executor.killStrays(findStrays(state));",
        to: "const orphansKilled = 0;",
      },
    ],
  },
  landedOnce: {
    name: "a landing that was announced is looked for before it is done again",
    holes: [
      {
        in: "recover",
        from: "if (merge !== undefined && !merge.landed && (await repo.contains(merge.to)))",
        to: "if (false)",
      },
    ],
  },
  goesOn: {
    name: "work that an agent has finished is gone on with, and its agent not paid again",
    holes: [
      {
        in: "attempt",
        from: "const pendingWork = await workToContinue(ctx.state(), repo, scope.ticket.id);",
        to: "const pendingWork = undefined;",
      },
    ],
  },
  disk: {
    name: "no agent fills the disk of a run: it is ended, what it left is removed, and the others go on",
    holes: [
      {
        in: "executorOf",
        from: "return quotaExecutor(executor, { roots: [open.folder, worktrees], bytes });",
        to: "return (void quotaExecutor, void bytes, executor);",
      },
      { in: "sizeAt", from: "Math.floor(blocks * bsize * SHARE)", to: "0" },
    ],
  },
  outboxEntries: {
    name: "an outbox holds so many files and folders and no more",
    holes: [
      { in: "OUTBOX", from: "entries: 2_000 }", to: "entries: 2_000_000_000 }" },
      { in: "namesIn", from: "if (names.length === most)", to: "if (names.length < 0)" },
    ],
  },
  objectEntries: {
    name: "the files among a worker's objects are counted before git lists them",
    holes: [{ in: "refuseOddFiles", from: "if (entries > MAX_ENTRIES)", to: "if (entries < 0)" }],
  },
  scans: {
    name: "what a worker wrote is searched off the event loop",
    holes: [{ in: "createTextScans", from: "if (size > AT_ONCE) return", to: "if (false) return" }],
  },
  chain: {
    name: "each row of the journal is bound to the one before, and the last is written down twice",
    holes: [
      { in: "checkRow", from: "if (row.prev !== tip.hash) throw", to: "if (false) throw" },
      { in: "checkRow", from: "if (row.hash !== link(tip.hash, run, row.seq, row.at, row.data)) throw", to: "if (false) throw" },
      {
        in: "JournalTable.constructor",
        from: "`SELECT head_seq AS seq, head_hash AS hash,",
        to: `\`SELECT (SELECT coalesce(max(seq), 0) FROM journal WHERE run = runs.run) AS seq,
        coalesce((SELECT hash FROM journal WHERE run = runs.run ORDER BY seq DESC LIMIT 1), head_hash) AS hash,`,
      },
      { in: "JournalTable.constructor", from: "WHERE run = ? AND head_hash = ?", to: "WHERE run = ? AND ? <> ''" },
    ],
  },
  strayKeys: {
    name: "a key that changes who pays refuses the start",
    holes: [{ in: "startEngine", from: "options.allowApiKey ? [] : findApiKeys(options.env, loaded),", to: "[]," }],
  },
  ids: {
    name: "an id is let in only where it is fit for a branch, a folder and a command line",
    holes: [
      { in: "unfitForBranch", from: "if (!SAFE_NAME.test(name)) {", to: "if (false) {" },
      { in: "ticketIdOf", from: "if (!fits ||", to: "if (false &&" },
    ],
  },
  graph: {
    name: "a batch whose tickets wait for each other, or for nobody, is refused, and no plan is made of one",
    holes: [
      { in: "checkGraph", from: "of findCycles(edges))", to: "of [] as number[][])" },
      { in: "topologicalOrder", from: "if (order.length !== tickets.length) throw", to: "if (false) throw" },
      { in: "checkGraph", from: "else report(path, `unknown ticket", to: "else void (path, `unknown ticket" },
    ],
  },
  noShell: {
    name: "no shell reads what a batch says",
    holes: [
      {
        in: "launch",
        from: "killDescendants: true,",
        to: "killDescendants: true, shell: true,",
      },
    ],
  },
  bundledFiles: {
    name: "a bundle lists and packs plain files of its run alone, and follows no link",
    holes: [
      {
        in: "openNoLink",
        from: "constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK",
        to: "constants.O_RDONLY",
      },
      {
        in: "withPlainFile",
        from: 'if (real !== file) return refused("a link leads to it");',
        to: "void real;",
      },
    ],
  },
  bundleSums: {
    name: "each listed file is compared with its list",
    holes: [
      {
        in: "checkAttempts",
        from: "const checked = await checkFiles(source, listed,",
        to: "const checked = await checkFiles(source, [] as typeof listed,",
      },
    ],
  },
  bundleListSums: {
    name: "each list is compared with its sum in the journal",
    holes: [
      {
        in: "checkAttempts",
        from: 'const problem = compareFile(path, sha256, found, "when the attempt ended: what it lists is not checked");',
        to: 'const problem = compareFile(path, found?.ok === true ? found.sha256 : sha256, found, "");',
      },
    ],
  },
  plainText: {
    name: "text from outside is made plain before a terminal sees it",
    holes: [
      { in: "plainText", from: "const cleaned = cleanLine(text);", to: "const cleaned = text;" },
      { in: "displayText", from: 'return plainText(text).replace(UNSTEADY, "")', to: "return text" },
    ],
  },
} as const satisfies Record<string, Defence>;
