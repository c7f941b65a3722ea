import type { Defence } from "../suite.ts";

/** The proof passes at once, and the last word is not borne out by copies. */
const UNPROVEN = [
  { in: "firstProblem", from: "if (!options.canaries) return undefined;", to: "return undefined;" },
  { in: "createCrossCheckedOracle", from: 'if (how === "background")', to: "if (true)" },
] as const;
const UNFROZEN = { in: "firstProblem", from: "if (changed !== undefined)", to: "if (false)" };

const READ_ALL = "{ exitCode: 0, stdout: result.stdout, stderr: result.stderr }";

/** What each attack of this family meets. */
export const DEFENCES = {
  proof: {
    name: "an oracle is believed only once it has judged canaries right, and its last word only where copies bear it out",
    holes: UNPROVEN,
  },
  frozenSet: {
    name: "what must not change in a run is hashed at its start, and each engine compares it before it believes a verdict",
    holes: [UNFROZEN],
  },
  runOracle: {
    name: "a run goes on only with the oracle's bytes that it began with (their hash; the frozen set; the proof)",
    holes: [{ in: "resumeRun", from: "if (shaOf(oracleBytes) !== state.oracleSha)", to: "if (false)" }, UNFROZEN, ...UNPROVEN],
  },
  batchFile: {
    name: "a run does not go on under a batch file that was changed since it began",
    holes: [
      {
        in: "changesSince",
        from: "if (loaded.sha === row.batchFileSha && state.isBatchChanged !== true) return",
        to: "if (true) return",
      },
    ],
  },
  chain: {
    name: "each row of the journal is held against the hash of the one before, up to the last that was written",
    holes: [
      { in: "checkRow", from: "if (row.seq !== place)", to: "if (false)" },
      { in: "checkRow", from: "if (row.prev !== tip.hash)", to: "if (false)" },
      { in: "checkRow", from: "if (row.hash !== link(", to: "if (false && row.hash !== link(" },
      { in: "checkRow", from: "if (fact.type !== row.type || ticket !== row.ticket)", to: "if (false)" },
      { in: "JournalTable.tip", from: "if (last !== tip.seq)", to: "if (false)" },
      { in: "reduce", from: "if (event.seq !== state.seq + 1)", to: "if (false)" },
      { in: "JournalTable.events", from: "if (tip.hash !== end.hash)", to: "if (false)" },
    ],
  },
  keptBytes: {
    name: "each judgement runs the bytes that were kept at the start, and what cannot be kept is compared (the proof; copies)",
    holes: [
      {
        in: "oracleLaunch",
        from: 'placeFrozen(join(folder, "oracle.cjs"), frozen.bytes)',
        to: 'placeFrozen(join(folder, "oracle.cjs"), await bytesOnDisk(frozen))',
      },
      {
        in: "Read",
        from: "interface Read { readonly reading",
        to: `async function bytesOnDisk({ scratch, bytes }: Frozen): Promise<Uint8Array> {
          const beside = [join(scratch, "..", "oracle.cjs"), join(process.argv[1] as string, "..", "oracle.cjs")];
          const { readFile } = await import("node:fs/promises");
          const read = await Promise.all(beside.map((file) => readFile(file)));
          return read.find((each) => oracleSha(each) !== oracleSha(bytes)) ?? bytes;
        }
        interface Read { readonly reading`,
      },
      {
        in: "argument",
        from: 'return !word.startsWith("-") && (await isFile(path)) ? frozenFile(path, 0o400) : { kind: "text", text: word };',
        to: 'return { kind: "text", text: !word.startsWith("-") && (await isFile(path)) ? path : word };',
      },
      { in: "findFrozen", from: "if ((await fileSha(path)) !== sha)", to: "if (false)" },
      { in: "refuseChanged", from: "if (now !== stamp)", to: "if (false)" },
      ...UNPROVEN,
    ],
  },
  evidence: {
    name: "an exit code counts only with evidence for each ticket of the batch that bears it out",
    holes: [
      {
        in: "judgeOnce",
        from: "return { reading: read({ ...exit, tickets: asked.batch.tickets }), exitCode: exit.exitCode };",
        to: `const claimed = exit.exitCode === 0 || exit.stdout.includes('"verdict":"done"');
        const counts = { done: 1, gated: 0, open: 0 };
        return { reading: claimed ? { verdict: "done", counts, open: [] } : read({ ...exit, tickets: [] }), exitCode: 0 };`,
      },
    ],
  },
  bounds: {
    name: "an oracle is heard only where it ended by itself, in time and within its bounds",
    holes: [
      {
        in: "oracleExit",
        from: "if (result.timedOut) return",
        to: `if (result.timedOut) return ${READ_ALL};\n  if (result.timedOut) return`,
      },
      {
        in: "oracleExit",
        from: "if (result.signal !== undefined) return",
        to: `if (result.signal !== undefined) return ${READ_ALL};\n  if (result.signal !== undefined) return`,
      },
      { in: "runOnce", from: "maxBuffer: MAX_OUTPUT", to: "maxBuffer: 64 * MAX_OUTPUT" },
      { in: "freezeProgram", from: "? DEADLINE_MS :", to: "? 1_000 :" },
    ],
  },
  permission: {
    name: "the oracle runs under Node's permission model, with nothing in its environment",
    holes: [
      {
        in: "oracleLaunch",
        from: "node, ...flags];",
        to: "node];",
      },
      { in: "oracleLaunch", from: "env: {}, family: false", to: "env: process.env as Record<string, string>, family: false" },
    ],
  },
  debuggerShut: {
    name: "no signal opens the debugger of a process of loopdash",
    holes: [{ file: "main.ts", from: 'process.on("SIGUSR1"', to: 'process.on("SIGUSR2"' }],
  },
  words: {
    name: "a state counts as the exact word alone, and a gate only with a step",
    holes: [
      { in: "judge", from: "if (!STATES.has(ticket.state))", to: "if (false)" },
      { in: "evidenceOf", from: 'if (ticket.state === "done")', to: 'if (!["open", "human-gated"].includes(ticket.state))' },
      {
        in: "evidenceOf",
        from: 'if (ticket.state === "human-gated" && step.replace(INVISIBLE, "") !== "")',
        to: 'if (ticket.state === "human-gated")',
      },
      { in: "evidenceOf", from: 'state: "human-gated", step }', to: 'state: "human-gated", step: step || "?" }' },
    ],
  },
  exactlyOnce: {
    name: "every ticket of the batch is in the tracker exactly once, or nothing is judged",
    holes: [
      { in: "judge", from: "if (tickets.has(ticket.id))", to: "if (false)" },
      {
        in: "judge",
        from: "if (ticket === undefined) return unjudged(",
        to: 'if (ticket === undefined) evidence.push({ id, state: "done" });\n    if (ticket === undefined) continue;\n    if (ticket === undefined) return unjudged(',
      },
    ],
  },
  hiddenDoor: {
    name: "an oracle does not know where its engine listens",
    holes: [{ in: "newSocketPath", from: 'randomBytes(8).toString("hex")', to: '"00"' }],
  },
  notEmpty: {
    name: "an empty batch is never done (the batch's check; the definition; the exit; who reads it)",
    holes: [
      {
        in: "checkTracker",
        from: "if (file.tickets.length === 0) report(at, message, hint);",
        to: "if (file.tickets.length < 0) report(at, message, hint);",
      },
      {
        in: "beginRun",
        from: "if (loaded.batch.tickets.length === 0) throw",
        to: "if (loaded.batch.tickets.length < 0) throw",
      },
      { in: "judge", from: "if (batch.length === 0)", to: "if (false)" },
      { in: "main", from: "verdict.open === 0 && verdict.evidence.length > 0", to: "verdict.open === 0" },
      {
        in: "weigh",
        from: `if (tickets.length === 0) return unjudged("the batch is empty: there is nothing that could be done"); const same =`,
        to: "const same =",
      },
    ],
  },
  sandbox: {
    name: "an agent's processes see and write its worktree and its own scratch, and end with it",
    holes: [
      {
        in: "executorOf",
        from: "world.sandbox === undefined ? plain : await confined(plain, world.sandbox, { folder: gates, secrets })",
        to: "plain",
      },
    ],
  },
} as const satisfies Record<string, Defence>;
