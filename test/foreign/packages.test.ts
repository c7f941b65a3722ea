import { describe, expect, test } from "vitest";
import { eventsOf, Stage } from "../e2e/stage.ts";
import { pathOf, writeBatch } from "./package-batch.ts";
import { FOREIGN_PACKAGES } from "./packages.ts";

/** All packages, or the share that `.ci/run` plays with a commit: `LOOPDASH_TEST_HOLES` is one of eight there. */
const holes = process.env["LOOPDASH_TEST_HOLES"];
const SHARE = FOREIGN_PACKAGES.filter((_, i) => holes === undefined || i % 8 === (Number.parseInt(holes, 10) || 1) - 1);
console.log(`foreign packages: ${SHARE.map(({ name }) => name).join(", ")}; npm run foreign plays all`);

describe("a package that nobody here wrote, by the batch that `init --yes` writes", { timeout: 1_200_000 }, () => {
  test.each(SHARE)("$name ($runner): the honest change lands, and no other", async (each) => {
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
