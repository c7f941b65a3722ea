import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ComplexitySpec, resolveRoutes } from "../../src/domain/batch/complexity-spec.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { lineWithReviews } from "../../src/domain/complexity/review-steps.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import type { Files } from "./evidence-stage.ts";
import { ended, finding, opened, PASSES, REVIEW, type Reviewed, says, T1 } from "./review-stage.ts";

cleanUp();

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i}\n`).join("");
const SMALL: Files = { "lines.txt": lines(30) };
const MIDDLE: Files = { "lines.txt": lines(200) };
const LARGE: Files = { "lines.txt": lines(600) };
const READINGS: ComplexitySpec = { complex: { reviewers: 2 }, architectural: { reviewers: 2 } };

function routed(spec: ComplexitySpec, over: Reviewed & { readonly body?: string } = {}) {
  const routes = resolveRoutes(spec);
  const finish: readonly StepSpec[] = lineWithReviews([REVIEW, { step: "merge" }], routes);
  const tickets = [ticketOf("T-1", { title: "Add lines", body: over.body ?? "", finish })];
  return opened({ ...over, stage: { tickets, ...(routes && { complexity: routes }), limits: { attempts: 1 }, ...over.stage } });
}

describe("reviews by class", () => {
  test("a change as large as its class has one, and says why there is no second", async () => {
    using stage = await routed(READINGS, { work: [SMALL] });
    const { landed, asked } = await ended(stage);
    expect({ landed, asked: asked.length }).toEqual({ landed: true, asked: 1 });
    expect(stage.of("complexity-changed")).toEqual([]);
    expect(stage.of("step-ended")[1]).toMatchObject({ ok: true, summary: "not needed: the ticket is simple", notNeeded: true });
    expect(stage.of("step-ended")[0]).not.toHaveProperty("notNeeded", expect.anything());
    expect(stage.of("step-ended")[1]).not.toHaveProperty("judged", expect.anything());
  });

  test("a larger one moves up before its finish line begins, and is read twice", async () => {
    using stage = await routed(READINGS, { work: [MIDDLE] });
    const { landed, asked } = await ended(stage);
    expect({ landed, asked: asked.length }).toEqual({ landed: true, asked: 2 });
    expect(stage.of("complexity-changed")).toMatchObject([{ from: "simple", to: "complex", why: "200 lines in 1 file" }]);
    const order = stage.types();
    expect(order.indexOf("complexity-changed")).toBeLessThan(order.indexOf("step-started"));
    expect(stage.ticket(T1).complexity).toEqual({ class: "complex", why: "200 lines in 1 file" });
  });

  test("what the second reading finds stops it, though the first passed", async () => {
    using stage = await routed(READINGS, {
      work: [MIDDLE],
      reviewer: `asked === 1 ? ${PASSES} : ${says({ findings: [finding()], verdict: "fail" })}`,
    });
    const { landed, evidence } = await ended(stage);
    expect(landed).toBe(false);
    expect(evidence).toMatchObject({ step: "review", name: "second-review" });
  });
});

describe("a worker cannot lower the class of its ticket", () => {
  test("by commits: all that differs from the base counts", async () => {
    using stage = await routed(READINGS, {
      stage: {
        work: ({ worktree }) => {
          for (const count of [60, 120, 200]) {
            writeFileSync(join(worktree, "lines.txt"), lines(count));
            for (const args of [
              ["add", "-A"],
              ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "part"],
            ])
              execFileSync("git", args, { cwd: worktree });
          }
          return undefined;
        },
      },
    });
    expect((await ended(stage)).asked).toHaveLength(2);
  });

  test.each([
    ["one line of 100,000 bytes", { "lines.txt": "x".repeat(100_000) }, "complex"],
    ["a text by the name of a picture", { "icon.png": "x".repeat(100_000) }, "complex"],
    ["a line of 200,000 bytes", { "lines.txt": "x".repeat(200_000) }, "architectural"],
  ] as const)("by line breaks: %s", async (_, work, to) => {
    using stage = await routed(READINGS, { work: [work] });
    expect((await ended(stage)).asked).toHaveLength(2);
    expect(stage.of("complexity-changed")).toMatchObject([{ to, why: expect.stringMatching(/ \(long lines add \d+\)$/) }]);
  });

  test("by a folder that has the name of a picture which it replaces", async () => {
    const work = { "icon.png": null, "icon.png/lines.txt": "x".repeat(200_000) };
    using stage = await routed(READINGS, { base: { "icon.png": "\u0000" }, work: [work] });
    expect((await ended(stage)).asked).toHaveLength(2);
    expect(stage.ticket(T1).complexity).toMatchObject({ class: "architectural" });
  });

  test("and the bytes of a picture are no lines", async () => {
    const work = { "icon.png": `\u0000${"x".repeat(200_000)}` };
    using stage = await routed(READINGS, { work: [work] });
    await ended(stage);
    expect(stage.of("complexity-changed")).toMatchObject([
      { to: "complex", why: "has lines that cannot be counted in icon.png" },
    ]);
  });

  test("by a smaller change in the next attempt", async () => {
    using stage = await routed(READINGS, {
      work: [MIDDLE, SMALL],
      reviewer: `asked === 1 ? ${says({ findings: [finding()], verdict: "fail" })} : ${PASSES}`,
      stage: { limits: { attempts: 2 } },
    });
    const { landed, asked } = await ended(stage);
    expect({ landed, asked: asked.length }).toEqual({ landed: true, asked: 3 });
    expect(stage.ticket(T1).complexity?.class).toBe("complex");
    expect(stage.of("complexity-changed")).toHaveLength(1);
  });

  test.each([
    ["a NUL in it", { "lines.txt": `\u0000${lines(600)}` }, "600 lines in 1 file"],
    ["an attribute", { ".gitattributes": "*.txt binary\n", "lines.txt": lines(600) }, "601 lines in 2 files"],
    ["an archive that holds it", { "lines.zip": `\u0000${lines(600)}` }, "has lines that cannot be counted in lines.zip"],
  ])("by %s", async (_, work, why) => {
    using stage = await routed(READINGS, { work: [work] });
    expect((await ended(stage)).asked).toHaveLength(2);
    expect(stage.ticket(T1).complexity).toEqual({ class: "architectural", why });
  });

  test("by words: a body that says trivial is no class", async () => {
    using stage = await routed({ trivial: { attempts: 1 }, ...READINGS }, { work: [SMALL], body: "complexity: trivial" });
    expect(stage.ticket(T1).complexity).toMatchObject({ class: "simple" });
  });
});

describe("a person's gate by class", () => {
  const GATED: ComplexitySpec = { complex: {}, architectural: { gate: "step" } };

  test("the change waits for the approval of exactly it, and is left to a person without one", async () => {
    using stage = await routed(GATED, { work: [LARGE] });
    const { landed } = await ended(stage);
    expect(landed).toBe(false);
    expect(stage.of("approval-awaited")).toMatchObject([
      {
        ...{ zones: [], files: 1, complexity: "architectural" },
        why: [expect.stringMatching(/^it is architectural, a class that waits for a person in this batch: \d+ lines in 1 file$/)],
      },
    ]);
    expect(stage.of("ticket-gated")).toMatchObject([
      { step: expect.stringMatching(/^look at the architectural change \(1 file\): loopdash bound approve \S+ T-1; approve it/) },
    ]);
  });

  test("an engine that is lost right after the class rose asks for it all the same, also if what may wait is gone", async () => {
    using stage = await routed(GATED, { work: [LARGE, SMALL] });
    await stage.crashAt(({ type }) => type === "complexity-changed", "start");
    await stage.crashAndReopen(
      ({ reviewer: _, ...ctx }) =>
        stage.engine.ctx.reviewer ? { reviewer: stage.engine.ctx.reviewer, templates: stage.engine.ctx.templates } : ctx,
      "lose",
    );
    await stage.resume();
    await stage.ended();
    expect(stage.ticket(T1).complexity?.class).toBe("architectural");
    expect(stage.of("approval-awaited").at(-1)).toMatchObject({ complexity: "architectural" });
    expect(stage.of("merge-landed")).toEqual([]);
    expect(stage.of("complexity-changed")).toHaveLength(1);
  });
});

test("a class tightens the bounds of its tickets", async () => {
  using stage = await routed(
    { simple: { attempts: 1 }, complex: {}, architectural: {} },
    { work: [SMALL], reviewer: says({ findings: [finding()], verdict: "fail" }), stage: { limits: { attempts: 3 } } },
  );
  await ended(stage);
  expect(stage.of("attempt-ended")).toHaveLength(1);
});

test("without routing there are no classes", async () => {
  using stage = await opened({ work: [LARGE] });
  const { landed, asked } = await ended(stage);
  expect({ landed, asked: asked.length }).toEqual({ landed: true, asked: 1 });
  expect(stage.ticket(T1)).not.toHaveProperty("complexity");
  expect(stage.of("complexity-changed")).toEqual([]);
});
