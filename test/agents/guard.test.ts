import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { AgentProgram } from "../../src/adapters/agent/agent-program.ts";
import type { GuardProgram } from "../../src/adapters/agent/guard-files.ts";
import { loadProgram } from "../../src/adapters/agent/registry.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createRunFiles } from "../../src/adapters/run-files/run-files.ts";
import type { RunFact } from "../../src/domain/run/event.ts";
import type { GuardFact } from "../../src/domain/run/guard-fact.ts";
import { Fence } from "../../src/domain/values/ids.ts";
import { watchGuard } from "../../src/loop/attempt/guard.ts";
import { guardLabel } from "../../src/store/labels/guard-label.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { CALLS } from "./behaviours.ts";
import { bundleGuard } from "./guard-bundle.ts";
import { GUARD_MATRIX, type GuardClaim } from "./guard-matrix.ts";
import { KIND_NAMES, KINDS, type KindName } from "./kinds.ts";
import { PLANTED, PLANTED_WORD } from "./planted.ts";
import { whyWithout } from "./programs.ts";
import { type AgentRun, runAgent } from "./stage.ts";
import type { Script, Turn } from "./stand-in.ts";

const folder = scratchFolder();
const SECRET_TEXT = "text-of-the-env-file";
const ALTERNATIVE = "git stash push --include-untracked";

interface GuardedRun extends AgentRun {
  readonly facts: readonly RunFact[];
  /** What the model was sent, all of it. */
  readonly asked: readonly string[];
  readonly log: string;
}

interface Guarded {
  readonly turns: readonly Turn[];
  readonly program?: Partial<GuardProgram>;
  readonly kind?: (kind: AgentProgram) => AgentProgram;
}

/** Runs a real program with the guard of a batch, in a worktree with one commit and one uncommitted change. */
async function guarded(name: KindName, { turns, program = {}, kind = (same) => same }: Guarded): Promise<GuardedRun> {
  const root = folder();
  const worktree = join(root, "worktree");
  mkdirSync(worktree, { recursive: true });
  const git = (...args: string[]) => execFileSync("git", ["-C", worktree, ...args], { encoding: "utf8" }).trim();
  git("init", "-q");
  writeFileSync(join(worktree, "kept.txt"), "committed\n");
  writeFileSync(join(worktree, "id_ed25519"), `${SECRET_TEXT}\n`);
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "start");
  const script: Script = (turn) => turns[turn] ?? { say: "Done." };
  const api = await KINDS[name].standIn(script);
  const facts: RunFact[] = [];
  const own = await bundleGuard(join(root, "guard-program"));
  const batch = { ...batchOf([ticketOf("T-1")]), agent: { kind: name } as never };
  const ctx = { batch, clock: systemClock, confined: true, report: (fact: RunFact) => facts.push(fact) > 0 };
  const files = { guard: join(root, "session/guard"), guardReport: join(root, "session/guard-report.jsonl") };
  const runFiles = createRunFiles({ folder: root, worktrees: root });
  const open = { ticket: ticketOf("T-1"), fence: Fence.parse(1), files } as never;
  const options = { baseSha: git("rev-parse", "HEAD"), onBlocked: () => undefined, onFault: () => undefined };
  const guard = watchGuard({ ...ctx, files: runFiles }, open, options);
  const run = await runAgent(root, kind(await loadProgram(name)), api.port, {
    guardProgram: { ...own, ...program },
    ...(guard.task && { guard: guard.task }),
    onEvent: (event) => guard.event(event),
  });
  await guard.end();
  return { ...run, facts, asked: api.seen.map(({ body }) => body), log: readFileSync(join(root, "agent.log"), "utf8") };
}

const shell = (name: KindName, command: string): Turn => ({ tool: KINDS[name].shell(command) });
const of = (facts: readonly RunFact[], type: RunFact["type"]) => facts.filter((fact) => fact.type === type);

/** Tries to change everything that the guard is made of, and writes down what it could change. */
const TAMPER = `import fs from "node:fs";
import { dirname, join } from "node:path";
const [, , session, program] = process.argv;
const inIt = (folder) => fs.readdirSync(folder).map((name) => join(folder, name));
const files = [...inIt(join(session, "guard")), ...inIt(program), join(session, ".gemini/settings.json")].filter(fs.existsSync);
const folders = [join(session, "guard"), program, session];
const acts = {
  write: (path) => fs.writeFileSync(path, "TAMPERED"),
  append: (path) => fs.appendFileSync(path, "TAMPERED"),
  remove: (path) => fs.rmSync(path, { recursive: true }),
  move: (path) => fs.renameSync(path, join(dirname(path), "moved")),
  add: (path) => fs.writeFileSync(join(path, "added"), "TAMPERED"),
};
const done = [];
const attempt = (act, path) => {
  try {
    acts[act](path);
    done.push(act + " " + path);
  } catch {}
};
for (const path of files) for (const act of ["write", "append", "remove", "move"]) attempt(act, path);
for (const path of folders) for (const act of ["remove", "move"]) if (path !== session || act === "move") attempt(act, path);
for (const path of folders) if (path !== session) attempt("add", path);
attempt("move", join(session, ".gemini"));
fs.writeFileSync("tampered.json", JSON.stringify(done));
`;

/** Measures one claim. Vendors' programs take seconds to start, so three claims share a run. */
const MEASURES: Readonly<Record<string, (name: KindName) => Promise<Partial<Record<GuardClaim, boolean>>>>> = {
  "blocks a command": async (name) => {
    const turns = [
      shell(name, "echo changed > kept.txt"),
      shell(name, "git reset --hard"),
      { tool: CALLS[name]({ read: "id_ed25519" }, join(folder(), "worktree")) },
      shell(name, "cat kept.txt > copy.txt"),
    ];
    const run = await guarded(name, { turns });
    expect([run.exitCode, run.stop], run.log).toEqual([0, undefined]);
    expect(of(run.facts, "guard-dead")).toEqual([]);
    const blocked = of(run.facts, "guard-blocked").map((fact) => guardLabel(fact as GuardFact)[1]);
    return {
      notRun: readFileSync(join(run.worktree, "copy.txt"), "utf8") === "changed\n",
      alternative: run.asked.at(-1)?.includes(ALTERNATIVE) === true,
      feed: blocked[0] === `guard blocked git-reset: git reset --hard; instead: ${ALTERNATIVE}`,
      files:
        blocked[1]?.startsWith("guard blocked read-secret") === true && !run.asked.some((body) => body.includes(SECRET_TEXT)),
    };
  },
  "reminds at a stop": async (name) => {
    const run = await guarded(name, { turns: [{ say: "Done." }, { say: "Really done." }, { say: "I stay with it." }] });
    expect([run.exitCode, run.stop], run.log).toEqual([0, undefined]);
    const told = of(run.facts, "stop-guard-told").map((fact) => guardLabel(fact as GuardFact)[1]);
    const isTold = run.asked.some((body) => body.includes("Nothing is changed in the worktree"));
    if (told.length > 0) expect(told).toEqual([1, 2].map((n) => `stop guard: nothing changed, told ${n} of 2`));
    return { stop: told.length === 2 && isTold };
  },
  "notices that it is dead": async (name) => {
    const run = await guarded(name, {
      turns: [shell(name, "echo ran > ran.txt")],
      program: { argv: [process.execPath, "/nowhere/guard.cjs"] },
    });
    const [dead] = of(run.facts, "guard-dead");
    return { dead: dead !== undefined && "why" in dead && /did not block a test command: exit \d/.test(String(dead.why)) };
  },
  "notices that it is skipped": async (name) => {
    const run = await guarded(name, {
      turns: [shell(name, "echo ran > ran.txt")],
      kind: (kind) => ({ ...kind, prepare: ({ session, worktree }, options) => kind.prepare({ session, worktree }, options) }),
    });
    const [dead] = of(run.facts, "guard-dead");
    return { skipped: dead !== undefined && "why" in dead && /start of the session/.test(String(dead.why)) };
  },
  "is served": async (name) => {
    const [, outfile = ""] = (await bundleGuard(join(folder(), "guard-program"))).argv;
    // Counts the starts of Node by the events that they answer.
    const starts = join(folder(), "session/starts");
    const counted = join(folder(), "guard-program/node");
    writeFileSync(counted, `#!/bin/sh\necho "$3" >> ${starts}\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
    const turns = [shell(name, "echo ran > ran.txt"), shell(name, "git reset --hard")];
    const run = await guarded(name, { turns, program: { argv: [counted, outfile] } });
    expect(readFileSync(join(run.worktree, "ran.txt"), "utf8"), run.log).toBe("ran\n");
    expect([of(run.facts, "guard-dead"), of(run.facts, "guard-blocked").length]).toEqual([[], 1]);
    const before = readFileSync(starts, "utf8")
      .split("\n")
      .filter((event) => event === "before-tool");
    // The try before the start has no gateway, and with it no server.
    return { served: before.length === 1 };
  },
  "cannot be changed": async (name) => {
    const root = folder();
    mkdirSync(join(root, "worktree"));
    writeFileSync(join(root, "worktree/tamper.mjs"), TAMPER);
    const turns = [
      shell(name, `node tamper.mjs ${join(root, "session")} ${join(root, "guard-program")}`),
      shell(name, "git reset --hard"),
    ];
    const run = await guarded(name, { turns });
    const done = readFileSync(join(run.worktree, "tampered.json"), "utf8");
    expect(done, run.log).toBe("[]");
    expect(of(run.facts, "guard-dead")).toEqual([]);
    return { frozen: of(run.facts, "guard-blocked").length === 1 };
  },
  "lets nothing in that a repository plants": async (name) => {
    for (const [path, text] of Object.entries(PLANTED[name])) {
      const file = join(folder(), "worktree", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const run = await guarded(name, { turns: [shell(name, 'echo "done$PLANTED" > made.txt'), shell(name, "git reset --hard")] });
    expect(readFileSync(join(run.worktree, "made.txt"), "utf8"), run.log).toBe("done\n");
    const made = readdirSync(run.worktree).filter((file) => file.startsWith("planted") && !(file in PLANTED[name]));
    const isTold = run.asked.some((body) => body.includes(PLANTED_WORD));
    return { planted: made.length === 0 && !isTold && of(run.facts, "guard-blocked").length === 1 };
  },
};

describe.each(KIND_NAMES)("the guard of %s", { timeout: 300_000 }, (name) => {
  const missing = whyWithout(name);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test.each(Object.keys(MEASURES))("%s", async (what) => {
    const measured = await MEASURES[what]?.(name);
    expect(measured).toBeDefined();
    expect(measured).toEqual(pick(GUARD_MATRIX[name], Object.keys(measured ?? {}) as GuardClaim[]));
  });
});

function pick(row: Readonly<Record<GuardClaim, boolean>>, claims: readonly GuardClaim[]): Partial<Record<GuardClaim, boolean>> {
  return Object.fromEntries(claims.map((claim) => [claim, row[claim]]));
}
