import { describe, expect, test } from "vitest";
import { eventsOf, Stage } from "../e2e/stage.ts";
import type { ForeignPackage } from "./package.ts";
import { pathOf, writeBatch } from "./package-batch.ts";

/**
 * The packages that a test file plays: all, or with a commit in `.ci/run` one half of them. `LOOPDASH_TEST_HOLES` is one of eight shares there;
 * the commit's quarter of the long tests takes the share modulo four, so that only the rest of it is free to choose a half.
 */
function shareOf(packages: readonly ForeignPackage[]): readonly ForeignPackage[] {
  const holes = process.env["LOOPDASH_TEST_HOLES"];
  const half = (Number.parseInt(holes ?? "", 10) || 1) <= 4 ? 0 : 1;
  return holes === undefined ? packages : packages.filter((_, i) => i % 2 === half);
}

/** Plays packages, each in a whole run. */
export function playPackages(packages: readonly ForeignPackage[]): void {
  describe("a package that nobody here wrote, by the batch that `init --yes` writes", { timeout: 1_200_000 }, () => {
    test.each(shareOf(packages))("$name ($runner): the honest change lands, and no other", async (each) => {
      using stage = new Stage();
      await each.arrange(stage);
      const ids = await writeBatch(stage, each);
      const { code, stdout, stderr } = await stage.run(["batch.json", "--json"], { PATH: pathOf(stage) });
      const ended = eventsOf(stdout).filter((event) => event.type === "attempt-ended");
      const told = `${ended.map((event) => JSON.stringify(event)).join("\n")}\n${stderr}`;
      // An agent that failed by itself would prove nothing: each change came to what judges it.
      const steps = ended.map(({ ticket, ...of }) => [ticket, "evidence" in of ? of.evidence?.step : of.outcome]);
      expect(["done", "gates", "check"], told).toEqual(expect.arrayContaining(steps.map(([, step]) => step)));
      expect(steps.map(([ticket]) => ticket).toSorted(), told).toEqual(ids.toSorted());
      expect(
        steps.filter(([, step]) => step === "done").map(([ticket]) => ticket),
        told,
      ).toEqual(["honest"]);
      expect(stage.landed()).toEqual(["honest"]);
      expect(code).toBe(1);
      if (each.cheat !== undefined) expect(told).toContain(each.cheat.refusal);
    });
  });
}
