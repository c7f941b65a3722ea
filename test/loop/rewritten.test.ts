import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { commitOnBase, drift, edit } from "./drift-stage.ts";
import { put } from "./evidence-stage.ts";
import { ended, opened, questions, T1 } from "./review-stage.ts";
import type { Stage } from "./stage.ts";

cleanUp();

/** Passes a change only if the ticket asks for a sum. */
const WANTS_SUM = `answer(/add\\(1, 2\\) is 3/.test(prompt)
  ? { findings: [], verdict: "pass" }
  : { findings: [{ file: "work.js", line: 2, severity: "high", title: "not what the ticket asks for", scenario: "it subtracts" }], verdict: "fail" })`;

const rewrite = (stage: Stage) => edit(stage, T1, (text) => text.replace("add(1, 2) is 3", "sub(1, 2) is -1"));
const inFolder = { inFolder: true } as const;
const prompt = (stage: Stage, name = "review-review") =>
  readFileSync(join(stage.root, `run/tickets/T-1/attempt-1/${name}.md`), "utf8");

describe("a ticket that a person rewrites while an attempt runs is reviewed as the person wrote it last", () => {
  test("if its agent is still at work", async () => {
    const go = Promise.withResolvers<undefined>();
    using stage = await opened({
      reviewer: WANTS_SUM,
      stage: { ...inFolder, work: () => go.promise.then(() => undefined) },
    });
    const end = ended(stage);
    await stage.until("agent-launching");
    rewrite(stage);
    await stage.until("tracker-drifted", drift(T1, "rewritten"));
    go.resolve(undefined);
    expect(await end).toMatchObject({ landed: false });
    expect(prompt(stage)).toContain("sub(1, 2) is -1");
    expect(prompt(stage)).not.toContain("add(1, 2) is 3");
  });

  test("if the reviewer is reading: its answer is about another ticket, and it is asked again", async () => {
    using stage = await opened({
      // The person rewrites the ticket during the first question.
      reviewer: `if (asked === 1) {
        const file = checkout.replace(/\\/run\\/.*/, "/tickets/T-1.md");
        fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("add(1, 2) is 3", "sub(1, 2) is -1"));
        while (!fs.existsSync(file + ".seen")) await new Promise((done) => setTimeout(done, 10));
      }
      ${WANTS_SUM}`,
      stage: inFolder,
      ctx: (ctx) => ({
        report: (fact) => {
          const isTaken = ctx.report(fact);
          if (fact.type === "tracker-drifted") writeFileSync(join(stage.root, "tickets", "T-1.md.seen"), "");
          return isTaken;
        },
      }),
    });
    expect(await ended(stage)).toMatchObject({ landed: false });
    expect(questions(stage)).toEqual(["review", "review"]);
    expect(prompt(stage)).toContain("sub(1, 2) is -1");
  });

  test("if the reviewer has passed the change, and it has not landed: it is asked again", async () => {
    using stage = await opened({ reviewer: WANTS_SUM, stage: inFolder });
    // The person rewrites it while a dirty checkout keeps the change from landing.
    put(stage.user, { "base.txt": "dirty" });
    const end = ended(stage);
    await stage.until("merge-waiting");
    rewrite(stage);
    await stage.until("tracker-drifted", drift(T1, "rewritten"));
    expect(await end).toMatchObject({
      landed: false,
      summaries: ["no findings", expect.stringContaining("not what the ticket asks for")],
    });
    expect(stage.of("steps-repeated").map(({ why }) => why)).toEqual(["since its ticket was rewritten"]);
  });
});

test("steps that run again because the base moved say so once, and to which commit", async () => {
  using stage = await opened({ reviewer: WANTS_SUM, stage: inFolder });
  put(stage.user, { "base.txt": "dirty" });
  const end = ended(stage);
  await stage.until("merge-waiting");
  const tip = commitOnBase(stage, "a person's commit");
  put(stage.user, { "base.txt": "" });
  expect(await end).toMatchObject({ landed: true });
  expect(stage.of("steps-repeated").map(({ why }) => why)).toEqual([`since main is at ${tip.slice(0, 7)}`]);
});
