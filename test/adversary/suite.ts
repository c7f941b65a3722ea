import { afterAll, describe, expect, test } from "vitest";
import { PROGRAM } from "../e2e/stage.ts";
import { holedBuild, removeHoledBuilds, WITHOUT_OPEN_TICKETS, WITHOUT_PROOF } from "./holed-build.ts";
import type { Hole } from "./holes/locate.ts";
import { isTriedWithout } from "./holes-share.ts";

/** A defence of loopdash, in words, and what is taken out of the program to switch it off. */
export interface Defence {
  readonly name: string;
  readonly holes: readonly Hole[];
}

/** One attack, which the defence must stop and which must get through without it. */
export interface Attack {
  /** The family and number, and a word for the variant: "A1", "A1-renamed". */
  readonly id: string;
  /** What is tried, in one line. */
  readonly what: string;
  readonly defence: Defence;
  /** Tries it against the program at this path and says whether it got what it wanted. Throws where it could not be tried. */
  readonly succeeds: (program: string) => Promise<boolean>;
}

/** Only ends what hangs: the first test of a campaign waits for the run of all its attacks, on a shared machine. */
const TIMEOUT_MS = 2_400_000;

/**
 * Registers a test per attack: stopped by the program as it ships, and successful against it with the defence taken out.
 * `proof` keeps the proof of the oracle in the latter, for attacks that it may stop; what a run does with an oracle that says done
 * while a ticket is open is taken out instead.
 */
export function proveEach(attacks: readonly Attack[], { proof = false }: { readonly proof?: boolean } = {}): void {
  afterAll(removeHoledBuilds);
  const byDefence = Map.groupBy(attacks, (attack) => attack.defence);
  describe.each([...byDefence].map(([defence, each]) => ({ name: defence.name, defence, each })))(
    "$name",
    ({ defence, each }) => {
      test.each(each)("$id: $what", { timeout: TIMEOUT_MS }, async ({ succeeds }) => {
        expect(await succeeds(PROGRAM), "it gets through").toBe(false);
        if (!isTriedWithout(defence.name)) return;
        expect(
          await succeeds(await holedBuild([...defence.holes, proof ? WITHOUT_OPEN_TICKETS : WITHOUT_PROOF])),
          "it gets through with the defence taken out",
        ).toBe(true);
      });
    },
  );
}
