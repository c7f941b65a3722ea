import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { keepsEvidence, readEvidence } from "../../../src/adapters/oracle/evidence-file.ts";
import { freezeProgram } from "../../../src/adapters/oracle/frozen-oracle.ts";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../../src/adapters/tracker/embedded.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { FrozenProgram, OracleBatch } from "../../../src/ports/oracle.ts";
import { bundleOracle } from "../../helpers/bundle-oracle.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const ids = ["T-1", "T-2", "T-3"].map((id) => TicketId.parse(id));

interface Kept {
  readonly run: string;
  readonly batch: OracleBatch;
  readonly bare: FrozenProgram;
  readonly program: FrozenProgram;
}

/** The real oracle over a real tracker in which T-1 is done and T-2 is left to a person. */
async function kept(): Promise<Kept> {
  const run = join(folder(), "run");
  const scratch = join(folder(), "scratch");
  for (const each of [run, scratch]) mkdirSync(each);
  const tracker = { kind: "embedded", file: join(folder(), "tracker.json") } as const;
  await seedEmbeddedTracker(
    tracker.file,
    ids.map((id) => ({ id, title: id, body: "" })),
  );
  const embedded = createEmbeddedTracker({ file: tracker.file, ids });
  await embedded.set(TicketId.parse("T-1"), { as: "done" }, "");
  await embedded.set(TicketId.parse("T-2"), { as: "human-gated", step: "press it" }, "");
  const bare = freezeProgram({ bytes: await bundleOracle(), scratch });
  return { run, batch: { version: 1, tracker, tickets: ids }, bare, program: keepsEvidence(bare, { folder: run, tracker }) };
}

const SAID = [
  { id: "T-1", state: "done" },
  { id: "T-2", state: "human-gated", step: "press it" },
  { id: "T-3", state: "open" },
];

describe("what the oracle said of each ticket", () => {
  test("is kept for this user alone, and read back", async () => {
    const { run, batch, program } = await kept();
    const before = Date.now();
    const { judgement } = await program.judge(batch);
    expect(judgement).toMatchObject({ verdict: "not-done", counts: { done: 1, gated: 1, open: 1 } });
    const evidence = await readEvidence(run);
    expect(evidence).toMatchObject({ tickets: SAID, more: 0 });
    expect(evidence?.askedAt).toBeGreaterThanOrEqual(before);
    expect(evidence?.judgedAt).toBeGreaterThanOrEqual(evidence?.askedAt ?? 0);
    expect(statSync(join(run, "evidence.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(run)).toEqual(["evidence.json"]);
  });

  test("is no part of the judgement, which goes into the journal", async () => {
    const { batch, program } = await kept();
    const { judgement } = await program.judge(batch);
    expect(Object.keys(judgement).toSorted()).toEqual(["counts", "durationMs", "open", "verdict"]);
  });

  test("of a copy of the tracker is not kept, nor is anything of what could not be judged", async () => {
    const { run, batch, program } = await kept();
    await program.judge({ ...batch, tracker: { ...batch.tracker } });
    expect(readdirSync(run)).toEqual([]);
    writeFileSync((batch.tracker as { file: string }).file, "{");
    expect((await program.judge(batch)).judgement.verdict).toBe("unjudged");
    expect(readdirSync(run)).toEqual([]);
  });

  test("changes no judgement where it cannot be written", async () => {
    const { run, batch, bare, program } = await kept();
    const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const without = async (frozenProgram: FrozenProgram) => {
      const { judgement, exitCode } = await frozenProgram.judge(batch);
      return { ...judgement, durationMs: 0, exitCode };
    };
    const honest = await without(bare);
    mkdirSync(join(run, "evidence.json"));
    expect(await without(program)).toEqual(honest);
    rmSync(run, { recursive: true });
    expect(await without(program)).toEqual(honest);
    expect(warnings).toHaveBeenCalledTimes(2);
    warnings.mockRestore();
  });

  test("changes no judgement by what lies there already, and a link there is not written through", async () => {
    const { run, batch, bare, program } = await kept();
    const elsewhere = join(folder(), "elsewhere");
    writeFileSync(elsewhere, "mine");
    symlinkSync(elsewhere, join(run, "evidence.json"));
    symlinkSync(elsewhere, join(run, "evidence.json.new"));
    const lie = { version: 1, askedAt: 1, judgedAt: 2, more: 0, tickets: ids.map((id) => ({ id, state: "done" })) };
    expect(await readEvidence(run)).toBeUndefined();
    const { judgement } = await program.judge(batch);
    expect({ ...judgement, durationMs: 0 }).toEqual({ ...(await bare.judge(batch)).judgement, durationMs: 0 });
    expect(readFileSync(elsewhere, "utf8")).toBe("mine");
    writeFileSync(join(run, "evidence.json"), JSON.stringify(lie));
    expect((await program.judge(batch)).judgement.verdict).toBe("not-done");
    expect(await readEvidence(run)).toMatchObject({ tickets: SAID });
  });

  test("is bounded: tickets beyond are counted", async () => {
    const { run, batch } = await kept();
    const many = Array.from({ length: 2_005 }, (_, i) => ({ id: TicketId.parse(`M-${i}`), state: "open" as const }));
    const judgement = { verdict: "not-done", counts: { done: 0, gated: 0, open: 2_005 }, open: [], durationMs: 1 } as const;
    const fixed: FrozenProgram = { sha: "", judge: () => Promise.resolve({ judgement, exitCode: 1, evidence: many }) };
    await keepsEvidence(fixed, { folder: run, tracker: batch.tracker }).judge(batch);
    const evidence = await readEvidence(run);
    expect(evidence?.tickets).toHaveLength(2_000);
    expect(evidence?.more).toBe(5);
  });

  test.each([
    ["nothing", undefined],
    ["half of it", '{"version":1,"askedAt":1'],
    ["another form", '{"version":2}'],
    ["a word that is none", '{"version":1,"askedAt":1,"judgedAt":2,"more":0,"tickets":[{"id":"T-1","state":"Done"}]}'],
    ["more than it may be", " ".repeat(8 * 1024 * 1024 + 1)],
  ])("is unknown where there is %s", async (_, text) => {
    const { run } = await kept();
    if (text !== undefined) writeFileSync(join(run, "evidence.json"), text);
    expect(await readEvidence(run)).toBeUndefined();
    expect(await readEvidence(join(run, "gone"))).toBeUndefined();
  });

  test("is unknown where a folder lies in its place", async () => {
    const { run } = await kept();
    mkdirSync(join(run, "evidence.json"));
    expect(await readEvidence(run)).toBeUndefined();
  });
});
