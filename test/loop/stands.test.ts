import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { cleanUp, git } from "../adapters/vcs/real-repo.ts";
import { opened, REVIEW, T1 } from "./review-stage.ts";
import type { Stage } from "./stage.ts";

cleanUp();

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i}`);
const BASE = { "work.js": `${LINES.join("\n")}\n` };
const WORK = { "work.js": `${LINES.with(0, "line 0, mended").join("\n")}\n` };
const MOVED = { "work.js": `${LINES.with(29, "line 29, by others").join("\n")}\n` };

/** A stage whose base is moved by somebody else while the reviewer reads for the first time. */
async function movedMeanwhile(files: Readonly<Record<string, string>>, step: StepSpec = REVIEW) {
  const held: { stage?: Stage } = {};
  const asked: string[] = [];
  const stage = await opened({
    base: BASE,
    work: [WORK],
    step,
    model: {
      name: "scripted",
      reserveUsd: 0,
      ask: ({ promptFile }) => {
        const prompt = readFileSync(promptFile, "utf8");
        const nonce = /^LOOPDASH ANSWER BEGIN (\w+)$/m.exec(prompt)?.[1];
        const tree = /It is commit (\w+)/.exec(prompt)?.[1];
        asked.push(tree ?? "");
        if (asked.length === 1 && held.stage !== undefined) {
          for (const [name, text] of Object.entries(files)) writeFileSync(join(held.stage.user, name), text);
          git(held.stage.user, "add", "-A");
          git(held.stage.user, "commit", "-q", "-m", "by others");
        }
        const said = step.step === "review" ? { findings: [], verdict: "pass" } : { tried: ["it all"], broken: false };
        const text = `LOOPDASH ANSWER BEGIN ${nonce}\n${JSON.stringify({ nonce, tree, ...said })}\nLOOPDASH ANSWER END ${nonce}\n`;
        return Promise.resolve({ ending: "exited", exitCode: 0, text, costUsd: 0 });
      },
    },
  });
  held.stage = stage;
  stage.start();
  await stage.ended();
  return { stage, asked };
}

describe("what the reviewer has passed", () => {
  test("stands on a base that moved elsewhere, and is not asked about again", async () => {
    const { stage, asked } = await movedMeanwhile({ "other.js": "1\n" });
    using _ = stage;
    expect(asked).toHaveLength(1);
    expect(stage.ticket(T1).phase).toBe("done");
    const [first, again] = stage.of("step-ended").filter(({ step }) => step === 0);
    expect(again?.summary).toBe(`stands: its files are as they were in ${first?.judged?.slice(0, 7)}, which passed`);
    expect(again?.judged).toBe(stage.of("merge-landed")[0]?.to);
  });

  test("is asked about again where a file that the change touches is another now", async () => {
    const { stage, asked } = await movedMeanwhile(MOVED);
    using _ = stage;
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBe(stage.of("merge-landed")[0]?.to);
    expect(stage.git("show", "main:work.js")).toContain("line 0, mended");
  });

  test("of an attack stands as well, but normal work is tried on the new base", async () => {
    // The smoke test fails once somebody else's file is there.
    const smoke = ["sh", "-c", "test ! -e other.js"] as const;
    const { stage, asked } = await movedMeanwhile({ "other.js": "1\n" }, { step: "adversary", name: "red team", smoke });
    using _ = stage;
    expect(asked).toHaveLength(1);
    const [first, again] = stage.of("step-ended").filter(({ step }) => step === 0);
    expect(first?.ok).toBe(true);
    expect(again).toMatchObject({ ok: false, summary: expect.stringContaining("normal work no longer works") });
    expect(stage.of("merge-landed")).toEqual([]);
  });
});
