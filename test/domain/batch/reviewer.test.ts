import { describe, expect, it } from "vitest";
import { resolveBatch } from "../../../src/domain/batch/resolve.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { batchValue, words } from "./sample.ts";

const reviewer = { kind: "command", command: ["./review"] };
const frozen = (part: Readonly<Record<string, unknown>> = {}) =>
  resolveBatch(BatchFile.parse(batchValue(part)), { folder: "/b" });
const steps = (part: Readonly<Record<string, unknown>>) => frozen(part).tickets[0]?.finish.map(({ step }) => step);

describe("a batch with a reviewer", () => {
  it("has it as its run freezes it, and without one there is none", () => {
    expect(frozen({ reviewer }).reviewer).toMatchObject(reviewer);
    expect(frozen()).not.toHaveProperty("reviewer");
  });

  it("is reviewed before it merges, where it names no finish line", () => {
    expect(steps({ reviewer })).toEqual(["gates", "review", "merge", "assert"]);
    expect(frozen({ reviewer }).finish?.[1]).toEqual({ step: "review", name: "review" });
    expect(steps({})).toEqual(["gates", "merge", "assert"]);
    expect(steps({ reviewer, finish: [{ step: "merge" }] })).toEqual(["merge", "assert"]);
  });

  it("is held to what the two may be together", () => {
    const agent = { kind: "claude", model: "claude-sonnet-4-5", apiKeyEnv: "K" };
    expect(words({ agent, reviewer: agent })).toEqual([
      "reviewer.model is the agent's own model: it would review itself; name another model",
    ]);
  });

  it("attacks before the merge, and not what has landed", () => {
    const told = words({ reviewer, finish: [{ step: "merge" }, { step: "adversary" }] });
    expect(told).toContain("finish[1]: adversary must come before merge, for it decides what may land");
  });
});

describe("a step's command, as a run freezes it", () => {
  const first = (...finish: object[]) => frozen({ reviewer, finish }).tickets[0]?.finish;
  const command = ["{batch}/look"];

  it("has the batch file's folder in a verification and in an attack's normal work too", () => {
    expect(first({ step: "merge" }, { step: "verify", name: "live", command })?.[1]).toMatchObject({ command: ["/b/look"] });
    expect(first({ step: "adversary", smoke: command }, { step: "merge" })?.[0]).toMatchObject({ smoke: ["/b/look"] });
  });

  it("is none where the attack has none", () => {
    expect(first({ step: "adversary" }, { step: "merge" })?.[0]).not.toHaveProperty("smoke");
  });
});

describe("transients of a batch", () => {
  it("are its run's, where it names any", () => {
    const transient = { name: "registry", pattern: "ECONNRESET", steps: ["check"], waitSeconds: 1 };
    expect(frozen({ transients: [transient] }).transients).toEqual([transient]);
    expect(frozen()).not.toHaveProperty("transients");
  });
});
