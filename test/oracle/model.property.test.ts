import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { judge, type SnapshotTicket } from "../../oracle/definition.ts";
import { bundleOracle } from "../helpers/bundle-oracle.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const folder = scratchFolder();

/** What the issue says done is, word by word and the slow way: 0 done, 1 not done, 2 cannot be judged. */
function model(
  snapshot: readonly SnapshotTicket[],
  batch: readonly string[],
): { exit: 0 | 1 | 2; open: string[]; gated: string[] } {
  const nothing = { open: [], gated: [] };
  const known = (word: string) => word === "open" || word === "done" || word === "human-gated";
  if (batch.length < 1) return { exit: 2, ...nothing };
  for (let a = 0; a < batch.length; a += 1)
    for (let b = a + 1; b < batch.length; b += 1) if (batch[a] === batch[b]) return { exit: 2, ...nothing };
  for (let a = 0; a < snapshot.length; a += 1) {
    if (!known(snapshot[a]?.state ?? "")) return { exit: 2, ...nothing };
    for (let b = a + 1; b < snapshot.length; b += 1) if (snapshot[a]?.id === snapshot[b]?.id) return { exit: 2, ...nothing };
  }
  const open: string[] = [];
  const gated: string[] = [];
  for (const id of batch) {
    const found = snapshot.filter((ticket) => ticket.id === id);
    if (found.length !== 1) return { exit: 2, ...nothing };
    const { state, step } = found[0] as SnapshotTicket;
    if (state === "done") continue;
    if (state === "human-gated" && step !== undefined && /\S/.test(step)) gated.push(id);
    else open.push(id);
  }
  return { exit: open.length === 0 ? 0 : 1, open, gated };
}

const id = fc.integer({ min: 1, max: 6 }).map((n) => `T-${n}`);
const state = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom("open", "done", "done", "done", "human-gated") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "Done",
      "done ",
      " done",
      "DONE",
      "d\u043ene",
      "closed",
      "",
      "human_gated",
      "Human-gated",
      "__proto__",
    ),
  },
);
const step = fc.option(fc.constantFrom("press it", "x", "", " ", "\t", "\u00a0", "  y "), { nil: undefined, freq: 3 });
const ticket = fc
  .record({ id, state, step })
  .map(({ step: s, ...rest }): SnapshotTicket => (s === undefined ? rest : { ...rest, step: s }));
/** Mostly a tracker without a ticket twice, and a batch of ids that it holds: else nearly all could not be judged. */
const world = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.uniqueArray(ticket, { maxLength: 6, selector: (t) => t.id }) },
      { weight: 1, arbitrary: fc.array(ticket, { maxLength: 7 }) },
    ),
    fc.infiniteStream(fc.boolean()),
    fc.option(fc.array(id, { maxLength: 6 }), { freq: 6, nil: undefined }),
  )
  .map(([snapshot, take, other]) => ({ snapshot, batch: other ?? snapshot.flatMap((t) => (take.next().value ? [t.id] : [])) }));

const EXITS = { done: 0, "not-done": 1, unjudged: 2 } as const;

test("over 10,000 random snapshots the definition says what an independent model says", () => {
  const seen = { 0: 0, 1: 0, 2: 0 };
  fc.assert(
    fc.property(world, ({ snapshot, batch }) => {
      const said = judge(snapshot, batch);
      const expected = model(snapshot, batch);
      seen[expected.exit] += 1;
      expect(EXITS[said.verdict]).toBe(expected.exit);
      if (said.verdict === "unjudged") return;
      expect(said.evidence.map((e) => e.id)).toEqual(batch);
      expect(said.evidence.flatMap((e) => (e.state === "open" ? [e.id] : []))).toEqual(expected.open);
      expect(said.evidence.flatMap((e) => (e.state === "human-gated" ? [e.id] : []))).toEqual(expected.gated);
      const { done, gated, open } = said;
      expect([done, gated, open]).toEqual([
        batch.length - expected.gated.length - expected.open.length,
        expected.gated.length,
        expected.open.length,
      ]);
    }),
    { numRuns: 10_000 },
  );
  // Each verdict has to come often, or the others were not looked at.
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(500);
});

test("300 of them through the real process, with evidence on stdout", { timeout: 180_000 }, async () => {
  const program = join(folder(), "oracle.cjs");
  writeFileSync(program, await bundleOracle());
  const worlds = fc.sample(world, 300);
  const queue = worlds.map((options, at) => ({ ...options, at }));
  const seen = new Set<number>();
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      // An embedded tracker takes no control characters in a step.
      const snapshot = next.snapshot.map((t) => (t.step === "\t" ? { ...t, step: " " } : t));
      const expected = model(snapshot, next.batch);
      const { code, lines } = await ask(program, next.at, snapshot, next.batch);
      seen.add(expected.exit);
      expect({ code, world: next }).toEqual({ code: expected.exit, world: next });
      if (expected.exit === 2) expect(lines.filter((line) => line.verdict !== "unjudged")).toEqual([]);
      else {
        expect(lines.slice(0, -1).map((line) => line.id)).toEqual(next.batch);
        expect(lines.slice(0, -1).flatMap((line) => (line.state === "open" ? [line.id] : []))).toEqual(expected.open);
        expect(lines.at(-1)).toMatchObject({ verdict: expected.exit === 0 ? "done" : "not-done", open: expected.open.length });
      }
    }
  };
  await Promise.all([worker(), worker()]);
  expect([...seen].sort()).toEqual([0, 1, 2]);
});

interface Line {
  readonly id?: string;
  readonly state?: string;
  readonly verdict?: string;
}

async function ask(program: string, at: number, snapshot: readonly SnapshotTicket[], batch: readonly string[]) {
  const file = join(folder(), `tracker-${at}.json`);
  const tickets = snapshot.map(({ step: humanStep, ...t }) => ({
    ...t,
    title: "t",
    body: "",
    ...(humanStep === undefined ? {} : { humanStep }),
  }));
  writeFileSync(file, JSON.stringify({ version: 1, tickets }));
  const asked = join(folder(), `batch-${at}.json`);
  writeFileSync(asked, JSON.stringify({ version: 1, tracker: { kind: "embedded", file }, tickets: batch }));
  const child = spawn(process.execPath, [program, asked], { env: {}, stdio: ["ignore", "pipe", "ignore"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  await once(child, "close");
  const lines = stdout.split("\n").slice(0, -1);
  return { code: child.exitCode, lines: lines.map((line) => JSON.parse(line) as Line) };
}
