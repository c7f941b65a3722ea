import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openRunStore } from "../../src/adapters/journal/sqlite-run-store.ts";
import { openRepo } from "../../src/adapters/vcs/repository/git-repo.ts";
import { runToContinue } from "../../src/cli/engine/carry-over.ts";
import { hasBegun, stateFromJournal } from "../../src/cli/engine/journal-state.ts";
import { loadBatch } from "../../src/cli/engine/load-batch.ts";
import { beginRun, resumeRun } from "../../src/cli/engine/open-run.ts";
import { exitCodeOf } from "../../src/cli/exit-code.ts";
import { describeChoice, findRun, listRuns, lookUpRun } from "../../src/cli/find-run.ts";
import { prepareStateHome, runFolder, type StateHome, stateHome } from "../../src/cli/state-home.ts";
import type { RunFact } from "../../src/domain/run/event.ts";
import { ticketById } from "../../src/domain/run/state.ts";
import type { TicketState } from "../../src/domain/run/ticket-state.ts";
import { type Fence, RepoId, RunId, TicketId } from "../../src/domain/values/ids.ts";
import { UserError } from "../../src/domain/values/user-error.ts";
import type { RunStore } from "../../src/ports/run-store.ts";
import { APP, git, newRepo } from "../adapters/vcs/real-repo.ts";
import { batchFile, refusal } from "./support.ts";

const T1 = TicketId.parse("T-1");
const T2 = TicketId.parse("T-2");

let root = "";
let home: StateHome;
let store: RunStore;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "loopdash-")));
  home = stateHome({ LOOPDASH_HOME: join(root, "home") }, "/");
  prepareStateHome(home);
  store = openRunStore(home.db);
});
afterEach(() => {
  vi.unstubAllEnvs();
  store.close();
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, value: unknown): string {
  const file = join(root, name);
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  return file;
}

/** A run of the batch in `root`, begun. */
async function begin(run: RunId, over: { fresh?: boolean; batch?: object } = {}) {
  if (!existsSync(join(root, "user"))) newRepo(root);
  const loaded = await loadBatch(write("b.json", batchFile(over.batch)), { cwd: "/" });
  const world = {
    repos: new Map([["app", await openRepo({ id: APP, path: join(root, "user"), base: "main", scratch: root })]]),
    ...{
      commandEnv: {},
      sandbox: undefined,
      reviewerPrograms: {},
      agentProgram: "/bin/true",
      warnings: [],
      landings: [],
      ...{ pullRequests: new Map(), branchChecks: new Map() },
    },
    ...{ places: { folder: "/", hidden: [], repos: [], homes: [] }, carefulToolchains: new Map() },
    toolchainPaths: new Map<string, string>(),
  };
  const open = await beginRun({ loaded, world, home, store, run, now: Date.now(), fresh: over.fresh ?? false });
  return { loaded, world, open, append: (...facts: RunFact[]) => facts.map((fact) => open.journal.append(fact)) };
}

const [R1, R2, R3] = ["r-1", "r-2", "r-3"].map((name) => RunId.parse(name)) as [RunId, RunId, RunId];
const of = { ticket: T1, fence: 1 as Fence };
/** T-1 shipped as `sha`, T-2 left to a person. */
const shipped = (sha: string): RunFact[] => [
  { type: "attempt-claimed", ...of, attempt: 1, slot: 0, reservedUsd: 0 },
  { type: "merge-landed", ...of, repo: RepoId.parse("app"), from: "a", to: sha },
  { type: "attempt-ended", ...of, outcome: "done" },
  { type: "ticket-gated", ticket: T2, step: "press it" },
];
const ENDED = { at: 5, verdict: "not-done", exitCode: 1, reason: "x" } as const;

describe("a run on disk", () => {
  test("begins with the oracle's bytes, its batch and the tickets frozen, and goes on from them", async () => {
    const { open } = await begin(R1);
    expect(statSync(runFolder(home, R1)).mode & 0o777).toBe(0o700);
    expect(open.started).toMatchObject({ type: "run-started", seq: 1, run: "r-1", settled: [] });
    open.journal.close();
    const again = await resumeRun({ run: R1, home, store });
    expect(again.state).toEqual(open.state);
    expect(Buffer.compare(again.oracleBytes, open.oracleBytes)).toBe(0);
    expect(again.started).toBeUndefined();
  });

  test.for([
    [
      "a changed oracle",
      "is not the one it began with",
      () => writeFileSync(join(runFolder(home, R1), "oracle.cjs"), "process.exit(0)"),
    ],
    ["a missing oracle", "cannot be read", () => rmSync(join(runFolder(home, R1), "oracle.cjs"))],
  ] as const)("%s is not gone on with: exit 3", async ([, why, tamper]) => {
    (await begin(R1)).open.journal.close();
    tamper();
    const error = await refusal(resumeRun({ run: R1, home, store }));
    expect(error).toMatchObject({ exitCode: 3, what: "the run r-1 cannot be judged" });
    expect(error.why).toContain(why);
  });

  test("a journal with a row that was changed, and one without rows, are not gone on with: exit 3", async () => {
    (await begin(R1)).open.journal.close();
    const { DatabaseSync } = await import("node:sqlite");
    using db = new DatabaseSync(home.db);
    db.exec("UPDATE journal SET data = replace(data, 'night shift', 'day shift')");
    expect(await refusal(resumeRun({ run: R1, home, store }))).toMatchObject({
      exitCode: 3,
      why: expect.stringContaining("its journal is broken"),
    });
    expect(hasBegun(store, R1)).toBe(true);
    store.create({ run: R2, name: "x", batchPath: "/b", batchFileSha: "", startedAt: 1 }).close();
    expect(hasBegun(store, R2)).toBe(false);
    expect(() => stateFromJournal(store.openForReading(R2), R2)).toThrow("its journal is empty");
  });
});

describe("what a new run takes over from the last", () => {
  test("what was shipped and is still in the base, and what was left to a person", async () => {
    const first = await begin(R1);
    const tip = git(join(root, "user"), "rev-parse", "main");
    first.append(...shipped(tip));
    store.end(R1, ENDED);
    const { open } = await begin(R2);
    expect(open.state.counts).toMatchObject({ done: 1, "human-gated": 1, waiting: 0 });
    expect(await open.tracker.snapshot()).toMatchObject([
      { state: { as: "done" } },
      { state: { as: "human-gated", step: "press it" } },
    ]);
    const again = await begin(R3, { fresh: true });
    expect(again.open.state.counts).toMatchObject({ waiting: 2 });
  });

  test("nothing whose commit is gone from the base, and no ticket that is in the batch no more", async () => {
    const first = await begin(R1);
    const user = join(root, "user");
    git(user, "commit", "-q", "--allow-empty", "-m", "shipped");
    first.append(...shipped(git(user, "rev-parse", "main")));
    git(user, "reset", "-q", "--hard", "HEAD~1");
    store.end(R1, ENDED);
    const { open } = await begin(R2, { batch: { tickets: [{ id: "T-1", title: "One" }] } });
    expect(open.state.counts).toMatchObject({ waiting: 1, done: 0, "human-gated": 0 });
  });

  test("nothing from a run that the oracle called done, that has not ended, or that belongs to another batch", async () => {
    const { append, loaded } = await begin(R1);
    append(...shipped(git(join(root, "user"), "rev-parse", "main")));
    const last = (batchPath = loaded.path, checksOnly = false) => runToContinue(store, { batchPath, run: R2, checksOnly });
    expect(last()).toBeUndefined();
    store.end(R1, { ...ENDED, verdict: "done" });
    expect([last(), last(loaded.path, true)?.run]).toEqual([undefined, R1]);
    store.end(R1, ENDED);
    expect(last("/other.json")).toBeUndefined();
    expect(last()).toMatchObject({ run: R1, counts: { done: 1, "human-gated": 1 } });
  });

  describe("of what landed, and whose tracker was not told", () => {
    const CUT_OFF: RunFact[] = [{ type: "attempt-ended", ...of, outcome: "lost" }];
    const evidence = { step: "assert", name: "assert", summary: "it is gone", detail: "" } as const;
    const COULD_NOT: RunFact[] = [
      { type: "attempt-ended", ...of, outcome: "failed", evidence },
      { type: "ticket-stalled", ticket: T1, reason: "it is gone" },
    ];

    /** A run in which that happened to T-1; `since` is what a person did to the repository afterwards. */
    async function after(since: (user: string, landed: string) => void, end = CUT_OFF): Promise<TicketState> {
      const first = await begin(R1);
      const user = join(root, "user");
      const baseSha = git(user, "rev-parse", "main");
      git(user, "checkout", "-q", "-b", "work");
      writeFileSync(join(user, "one.txt"), "one\n");
      git(user, "add", "-A");
      git(user, "commit", "-q", "-m", "a worker's");
      const tip = git(user, "rev-parse", "work");
      git(user, "checkout", "-q", "main");
      git(user, "merge", "-q", "--squash", "work");
      git(user, "commit", "-q", "-m", "landed");
      const landed = git(user, "rev-parse", "main");
      first.append(
        { type: "attempt-claimed", ...of, attempt: 1, slot: 0, reservedUsd: 0 },
        { type: "worktree-ready", ...of, path: "/w", branch: "work", baseSha },
        { type: "change-captured", ...of, tip, files: 1, additions: 1, deletions: 0 },
        { type: "merge-landed", ...of, repo: RepoId.parse("app"), from: baseSha, to: landed },
        ...end,
      );
      store.end(R1, ENDED);
      since(user, landed);
      return ticketById((await begin(R2)).open.state, T1);
    }

    const more = (user: string): void => {
      writeFileSync(join(user, "two.txt"), "two\n");
      git(user, "add", "-A");
      git(user, "commit", "-q", "-m", "more");
    };

    test("the landing, whatever came upon it", async () => {
      const ticket = await after(more);
      expect(ticket).toMatchObject({ phase: "waiting", pendingWork: { claimed: false } });
      expect(ticket.pendingWork?.landed?.to).toMatch(/^[0-9a-f]{40}$/);
    });

    test("that it is done, where nothing but that was left and the tracker is this run's own", async () => {
      expect(await after(more, COULD_NOT)).toMatchObject({ phase: "done" });
    });

    test.for([
      ["was taken back", (user: string, landed: string) => git(user, "revert", "--no-edit", landed)],
      ["was taken out of the base", (user: string) => git(user, "reset", "-q", "--hard", "HEAD~1")],
      ["is there as another commit", (user: string) => git(user, "commit", "-q", "--amend", "-m", "a person's")],
    ] as const)("nothing where it %s", async ([, since]) => {
      const ticket = await after(since, CUT_OFF);
      expect([ticket.phase, ticket.pendingWork]).toEqual(["waiting", undefined]);
    });

    test("nothing where it was taken back, also where only the telling was left", async () => {
      const ticket = await after((user, landed) => git(user, "revert", "--no-edit", landed), COULD_NOT);
      expect([ticket.phase, ticket.pendingWork]).toEqual(["waiting", undefined]);
    });
  });

  test("a run whose engine was gone before its first event is passed over", async () => {
    const { append, loaded } = await begin(R1);
    append(...shipped(git(join(root, "user"), "rev-parse", "main")));
    store.end(R1, ENDED);
    store.create({ run: R2, name: "x", batchPath: loaded.path, batchFileSha: "", startedAt: Date.now() + 1 }).close();
    store.end(R2, { ...ENDED, reason: "it never began" });
    expect((await begin(R3)).open.state.counts).toMatchObject({ done: 1, "human-gated": 1 });
  });
});

describe("finding a run", () => {
  const row = (run: string, startedAt: number) => ({
    run: RunId.parse(run),
    name: "x",
    batchPath: `/${run}.json`,
    batchFileSha: "",
    startedAt,
  });

  test("by its name, by a beginning that fits one, or the newest; otherwise exit 2 with what to do", async () => {
    vi.stubEnv("LOOPDASH_HOME", home.root);
    const open = await begin(R1);
    open.open.journal.close();
    expect(findRun("r-1").row.run).toBe("r-1");
    expect(findRun("r").row.run).toBe("r-1");
    expect(findRun(undefined)).toMatchObject({ live: false, folder: runFolder(home, R1) });
    expect(exitCodeOf(findRun(undefined).state)).toBe(1);
    store.create(row("r-10", Date.now() + 1)).close();
    expect(findRun("r-1").row.run).toBe("r-1");
    expect(() => findRun("r")).toThrow(/could be any of 2 runs/);
    expect(() => findRun("zzz")).toThrow("no run has this name");
    expect(listRuns().map((r) => [r.run, r.live])).toEqual([
      ["r-10", false],
      ["r-1", false],
    ]);
  });

  test("by the name of its batch: the latest, which names the others", async () => {
    vi.stubEnv("LOOPDASH_HOME", home.root);
    (await begin(R1)).open.journal.close();
    const { name, batchPath } = findRun("r-1").row;
    expect(findRun(name)).toMatchObject({ row: { run: "r-1" }, others: [] });
    expect(describeChoice(findRun(name))).toBeUndefined();
    store.create({ ...row("of-another-file", Date.now() - 10_000), name, batchPath: "/elsewhere/batch.json" }).close();
    store.create({ ...row("night-shift-20261001-0a0b", Date.now() + 1), name, batchPath }).close();
    expect(lookUpRun(name)).toMatchObject({ row: { run: "night-shift-20261001-0a0b" }, others: [{ run: "r-1" }] });
    expect(describeChoice(lookUpRun(name))).toBe(`using night-shift-20261001-0a0b of the runs of "${name}"; the others: r-1`);
  });

  test("a pid file alone does not make a run live, and neither does nonsense in it", async () => {
    vi.stubEnv("LOOPDASH_HOME", home.root);
    (await begin(R1)).open.journal.close();
    writeFileSync(join(runFolder(home, R1), "engine.pid"), `${process.pid}\n`);
    expect(findRun("r-1").live).toBe(false);
  });

  test("where nothing was ever started nothing is made", () => {
    vi.stubEnv("LOOPDASH_HOME", join(root, "nowhere"));
    expect(() => findRun(undefined)).toThrow("nothing was started with the state folder");
    expect(() => listRuns()).toThrow(UserError);
    expect(existsSync(join(root, "nowhere"))).toBe(false);
  });
});

test("exit codes of a run are those of its end; a run without one is not done", async () => {
  const { open } = await begin(R1);
  expect(exitCodeOf(open.state)).toBe(1);
  expect(exitCodeOf({ ...open.state, end: { at: 1, kind: "interrupted", verdict: "not-done", exitCode: 130, reason: "" } })).toBe(
    130,
  );
  expect(readFileSync(join(open.folder, "oracle.cjs")).length).toBe(open.oracleBytes.length);
});
