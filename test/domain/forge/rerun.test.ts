import type { Finding } from "@loopdash/triage";
import { describe, expect, it } from "vitest";
import { planRerun, startedAgain } from "../../../src/domain/forge/rerun.ts";

const NONE: ReadonlySet<string> = new Set();
const finding = (job: string, category: Finding["category"] = "infrastructure") => ({ job, category }) as Finding;
const lost = (...jobs: readonly string[]) => ({ findings: jobs.map((job) => finding(job)), stopReason: null });
const flaky = { findings: [finding("test", "flaky")], stopReason: "flaky" } as const;

describe("planRerun", () => {
  it("starts lost jobs again once, those of one name by that name", () => {
    expect(planRerun(["test", "test"], lost("test", "test"), NONE)).toEqual({ names: ["test"], category: "infrastructure" });
    expect(planRerun(["test"], lost("test"), new Set(["test"]))).toBeUndefined();
  });

  it("starts none again if an agent has to look at another one, or at one that was started again", () => {
    expect(planRerun(["build", "test"], { ...lost("build"), findings: [finding("build"), finding("test", "test")] }, NONE)).toBe(
      undefined,
    );
    expect(planRerun(["build", "test"], lost("build", "test"), new Set(["build"]))).toBeUndefined();
  });

  it("starts each flaky one again once, also after others", () => {
    expect(planRerun(["test", "unit"], flaky, new Set(["test"]))).toEqual({ names: ["unit"], category: "flaky" });
    expect(planRerun(["test"], flaky, new Set(["test"]))).toBeUndefined();
  });
});

describe("startedAgain", () => {
  it("leaves out what an engine before may not have asked for", () => {
    const known = { rerun: ["a", "b", "c"], unseenReruns: ["b", "c"] };
    expect(startedAgain(known, ["c"])).toEqual(new Set(["a", "c"]));
    expect(startedAgain(undefined, ["c"])).toEqual(NONE);
  });
});
