import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bundleOracle } from "../../helpers/bundle-oracle.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { EDITS, editedOracle } from "./edited-oracle.ts";
import { FROZEN, proofOf } from "./proof.ts";

const folder = scratchFolder();
const never = () => new AbortController().signal;

describe("the oracle that ships", () => {
  test.each(["embedded", "folder"] as const)("judges every canary right: %s", { timeout: 120_000 }, async (kind) => {
    const proof = await proofOf(folder(), await bundleOracle(), kind);
    for (let again = 0; again < 2; again += 1) {
      const result = await proof.tripwire().check(never());
      expect(result).toEqual({ ok: true, canaries: 21, ms: expect.any(Number) as number });
    }
    expect(readdirSync(join(proof.run, ".."))).toEqual(["test-20260504-a3f9"]);
    expect(readdirSync(proof.run)).not.toContain("canaries");
  });

  test("also while the real tracker is done, and while it changes", { timeout: 120_000 }, async () => {
    const proof = await proofOf(folder(), await bundleOracle(), "embedded");
    for (const id of ["T-1", "T-2", "T-3"] as const) await proof.tracker.set(id as never, { as: "done" }, "");
    expect(await proof.tripwire().check(never())).toMatchObject({ ok: true });
    let over = false;
    const changing = (async () => {
      for (let n = 0; !over; n += 1) await proof.tracker.set("T-1" as never, { as: n % 2 === 0 ? "open" : "done" }, "");
    })();
    const result = await proof.tripwire().check(never());
    over = true;
    await changing;
    expect(result).toMatchObject({ ok: true });
  });

  test("edited so that it never lies, it passes: the edits below are caught for their lies", { timeout: 60_000 }, async () => {
    const proof = await proofOf(folder(), editedOracle(await bundleOracle(), { lies: "return false;" }), "embedded");
    expect(await proof.tripwire().check(never())).toMatchObject({ ok: true });
  });
});

/** Those that look at what differs between the two kinds. All edits against the real program: test/adversary/verifier. */
const OF_BOTH_KINDS = [
  "says yes where the tracker is gone",
  "says yes on a tracker it cannot parse",
  "takes Done for done",
  "ignores a ticket that is there twice",
  "knows canaries by a young mtime",
];

/** Behind a program, what is gone is never read, and what is read is always young. */
const OF_FILES: readonly string[] = ["says yes where the tracker is gone", "knows canaries by a young mtime"];
const kindsOf = (name: string) =>
  ["embedded", "folder", ...(OF_FILES.includes(name) ? [] : ["command"])] as const as readonly (
    | "embedded"
    | "folder"
    | "command"
  )[];

describe("an oracle that", () => {
  test.each(OF_BOTH_KINDS)("%s is caught", { timeout: 120_000 }, async (name) => {
    const bytes = editedOracle(await bundleOracle(), { lies: EDITS[name] as string });
    for (const kind of kindsOf(name)) {
      const proof = await proofOf(join(folder(), kind), bytes, kind);
      const result = await proof.tripwire().check(never());
      expect(result).toMatchObject({ ok: false, problem: expect.stringMatching(/with exit code 0|is judged done/) as string });
    }
  });
});

describe("the frozen set", () => {
  test.each(Object.keys(FROZEN))("another %s fires, before anything is judged", async (part) => {
    const proof = await proofOf(folder(), await bundleOracle(), "embedded");
    const changed = proof.tripwire({ frozen: () => ({ ...FROZEN, [part]: "x" }) });
    const problem = `what must not change has changed since the run began: the ${part}`;
    expect(await changed.check(never())).toMatchObject({ ok: false, problem, canaries: 0 });
  });

  test("a run that recorded none is not believed", async () => {
    const proof = await proofOf(folder(), await bundleOracle(), "embedded");
    const result = await proof.tripwire({ recorded: undefined }).check(never());
    expect(result).toMatchObject({ ok: false, problem: "the journal holds no record of what must not change" });
  });
});

describe("the proof", () => {
  test("that is cancelled says nothing and leaves nothing", { timeout: 60_000 }, async () => {
    const proof = await proofOf(folder(), await bundleOracle(), "embedded");
    const stop = new AbortController();
    const result = proof.tripwire().check(stop.signal);
    stop.abort();
    expect(await result).toBeUndefined();
    expect(await proof.tripwire().check(AbortSignal.timeout(600))).toBeUndefined();
    expect(readdirSync(join(proof.run, ".."))).toEqual(["test-20260504-a3f9"]);
  });

  test.each([
    ["for a fault of the machine leaves the oracle unproven", { syscall: "mkdir", code: "ENOSPC" }, true],
    ["for a defect fires", {}, undefined],
  ] as const)("that cannot be made %s", { timeout: 60_000 }, async (_, system, unproven) => {
    const proof = await proofOf(folder(), await bundleOracle(), "embedded");
    const hides = {
      make: () => Promise.reject(Object.assign(new Error("ENOSPC: no space left"), system)),
      remove: () => Promise.resolve(),
      sweep: () => Promise.resolve(),
    };
    const problem = "the canaries could not be judged: ENOSPC: no space left";
    const result = await proof.tripwire({ hides }).check(never());
    expect(result).toMatchObject({ ok: false, problem });
    expect(result?.unproven).toBe(unproven);
  });

  test("whose judge cannot be run leaves the oracle unproven", { timeout: 60_000 }, async () => {
    const proof = await proofOf(folder(), await bundleOracle(), "embedded");
    const problem = "the oracle could not be started: EAGAIN";
    const counts = { done: 0, gated: 0, open: 0 };
    const judgement = { verdict: "unjudged", counts, open: [], problem, durationMs: 1 } as const;
    const program = { sha: "x", judge: () => Promise.resolve({ judgement, exitCode: undefined }) };
    const result = await proof.tripwire({ program }).check(never());
    expect(result).toMatchObject({ ok: false, unproven: true, problem: `the canaries could not be judged: ${problem}` });
  });
});
