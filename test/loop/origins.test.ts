import { describe, expect, test } from "vitest";
import type { Landings } from "../../src/domain/run/landings.ts";
import { firstOrigin } from "../../src/loop/steps/origins.ts";
import type { PassedCheck } from "../../src/loop/steps/passed-check.ts";
import { TestCanaries } from "../../src/loop/steps/test-canaries.ts";

interface Given {
  readonly base: string;
  readonly landings?: Landings;
  /** Candidates that were built: the commit below, and whether a ticket may change how tests are run. */
  readonly built?: Readonly<Record<string, readonly [from: string, isTrusted: boolean]>>;
  readonly mayConfigure?: boolean;
}

function originOf({ base, landings, built = {}, mayConfigure = false }: Given) {
  const testCanaries = new TestCanaries();
  for (const [commit, [from, isTrusted]] of Object.entries(built)) testCanaries.noteBuilt(commit, { from, isTrusted });
  const state = () => ({ landings: landings === undefined ? {} : { app: landings } });
  return firstOrigin({
    ctx: { testCanaries, state },
    repo: { id: "app" },
    candidate: { ok: true, base, commit: "candidate" },
    allow: { testsRemoved: [], testsSkipped: [], suppressions: false, configuration: mayConfigure },
  } as unknown as PassedCheck);
}

const LANDED: Landings = { initial: "a", first: "a", trusted: [], last: "b", commits: [] };

describe("the first base below a candidate", () => {
  test.each<[string, Given, ReturnType<typeof firstOrigin>]>([
    ["nothing has landed", { base: "a" }, undefined],
    ["a ticket has landed", { base: "b", landings: LANDED }, { first: "a", trusted: [] }],
    ["it stands on that first base", { base: "a", landings: LANDED }, undefined],
    ["somebody else was there", { base: "c", landings: LANDED }, { first: "a", trusted: [{ from: "b", to: "c" }] }],
    [
      "it stands on candidates that have not landed",
      { base: "d", built: { d: ["c", false], c: ["a", false] } },
      { first: "a", trusted: [] },
    ],
    [
      "one of those may change how tests are run",
      { base: "d", landings: LANDED, built: { d: ["c", true], c: ["b", false], b: ["a", false] } },
      { first: "a", trusted: [{ from: "c", to: "d" }] },
    ],
    ["all of those may", { base: "c", built: { c: ["a", true] } }, undefined],
    [
      "its own ticket may",
      { base: "b", landings: LANDED, mayConfigure: true },
      { first: "a", trusted: [{ from: "b", to: "candidate" }] },
    ],
  ])("%s", (_, given, expected) => {
    expect(originOf(given)).toEqual(expected);
  });
});
