import { describe, expect, test } from "vitest";
import type { Landings } from "../../src/domain/run/landings.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { RepoId } from "../../src/domain/values/ids.ts";
import { originBelow } from "../../src/loop/steps/origins.ts";
import { Proofs } from "../../src/loop/steps/proofs.ts";

interface Given {
  readonly base: string;
  readonly landings?: Landings;
  /** Candidates that were built: the commit below, and whether a ticket may change how tests are run. */
  readonly built?: Readonly<Record<string, readonly [from: string, mayConfigure: boolean]>>;
}

const NOTHING = { testsRemoved: [], testsSkipped: [], suppressions: false };
const MAY = { ...NOTHING, configuration: true };

function origin({ base, landings, built = {} }: Given) {
  const proofs = new Proofs();
  for (const [commit, [from, may]] of Object.entries(built)) proofs.noteBuilt(commit, { from, allow: may ? MAY : NOTHING });
  const state = () => ({ landings: landings === undefined ? {} : { app: landings } }) as unknown as RunState;
  return originBelow({ proofs, state }, { id: RepoId.parse("app") }, { base });
}

const LANDED: Landings = { initial: "a", first: "a", trusted: [], last: "b", commits: [] };

describe("the origin of trust below a candidate", () => {
  test.each<[string, Given, ReturnType<typeof origin>]>([
    ["is its base if nothing has landed", { base: "a" }, { first: "a", trusted: [] }],
    ["is below what has landed", { base: "b", landings: LANDED }, { first: "a", trusted: [] }],
    ["is the first base if it stands there", { base: "a", landings: LANDED }, { first: "a", trusted: [] }],
    ["has what somebody else did", { base: "c", landings: LANDED }, { first: "a", trusted: [{ from: "b", to: "c" }] }],
    [
      "is below candidates that have not landed",
      { base: "d", built: { d: ["c", false], c: ["a", false] } },
      { first: "a", trusted: [] },
    ],
    [
      "has what one of those may change",
      { base: "d", landings: LANDED, built: { d: ["c", true], c: ["b", false], b: ["a", false] } },
      { first: "a", trusted: [{ from: "c", to: "d", only: MAY }] },
    ],
  ])("%s", (_, given, expected) => {
    expect(origin(given)).toEqual(expected);
  });
});
