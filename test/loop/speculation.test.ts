import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Stage } from "./stage.ts";

cleanUp();

/**
 * A check that leaves a mark named after the tickets whose files its checkout has ("T-1+T-2"), and goes on once `until` says so of
 * all marks. It gives up after half a minute, which is a failure.
 */
function checkThat(until: string): { readonly finish: readonly StepSpec[]; readonly marks: string } {
  const folder = tempDir();
  const marks = join(folder, "marks");
  mkdirSync(marks);
  const script = join(folder, "check.mjs");
  writeFileSync(
    script,
    `import { readdirSync, writeFileSync } from "node:fs";
    const mine = readdirSync(".").filter((name) => /^T-.*txt$/.test(name)).map((name) => name.slice(0, -4)).sort();
    // As a test runner may, it does not end at once where it is asked to.
    process.on("SIGTERM", () => undefined);
    writeFileSync(${JSON.stringify(marks)} + "/" + mine.join("+"), "");
    const give = setTimeout(() => { console.log("nobody came"); process.exit(1); }, 30_000);
    const look = setInterval(() => {
      const marks = readdirSync(${JSON.stringify(marks)});
      const says = (${until})(mine, marks);
      if (says === undefined) return;
      clearTimeout(give);
      clearInterval(look);
      process.exitCode = says;
    }, 10);`,
  );
  const check: StepSpec = { step: "check", name: "unit", command: [process.execPath, script] };
  return { finish: [check, { step: "merge" }, { step: "assert" }], marks };
}

/** Every commit that landed, and those that a check has passed. */
function landed(stage: Stage) {
  const commits = stage.of("merge-landed").map(({ to }) => to);
  const judged = new Set(
    stage.of("step-ended").flatMap((event) => (event.ok && event.judged !== undefined ? [event.judged] : [])),
  );
  return { commits, unjudged: commits.filter((commit) => !judged.has(commit)) };
}

describe("who waits for its turn", () => {
  test("is judged on what the one before is about to land, while that is judged itself", async () => {
    // Alone, each waits for the others; on another's change, for somebody who is on two others' changes.
    const { finish } = checkThat(`(mine, marks) => {
      const of = (n) => marks.filter((mark) => mark.split("+").length === n).length;
      return (mine.length === 1 ? of(1) === 3 : of(2) > 0 && of(3) > 0) ? 0 : undefined;
    }`);
    using stage = await Stage.open({
      tickets: ["T-1", "T-2", "T-3"].map((id) => ticketOf(id, { finish })),
      limits: { workers: 3, attempts: 1 },
    });
    stage.start();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    const { commits, unjudged } = landed(stage);
    expect(commits).toHaveLength(3);
    expect(unjudged).toEqual([]);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).toEqual(
      expect.arrayContaining(["T-1.txt", "T-2.txt", "T-3.txt"]),
    );
  });

  test("loses nothing where the one before does not land: what was judged on it is cancelled, and counts for nothing", async () => {
    // T-1 lands. T-2 is refused on it, once T-3 is at work on T-2's candidate, where it would never end.
    const { finish, marks } = checkThat(`(mine, marks) => {
      const me = mine.join("+");
      if (me === "T-1") return 0;
      if (me === "T-2") return marks.includes("T-1.landed") ? 0 : undefined;
      if (me === "T-3") return marks.includes("T-1+T-2") ? 0 : undefined;
      if (me === "T-1+T-2") return marks.includes("T-1+T-2+T-3") ? 1 : undefined;
      return me === "T-1+T-3" ? 0 : undefined;
    }`);
    using stage = await Stage.open({
      tickets: ["T-1", "T-2", "T-3"].map((id) => ticketOf(id, { finish })),
      limits: { workers: 3, attempts: 1 },
    });
    void stage.until("merge-landed").then(() => writeFileSync(join(marks, "T-1.landed"), ""));
    stage.start();
    const state = await stage.ended();
    expect(state.end).toMatchObject({ kind: "not-done" });
    expect(stage.ticket(TicketId.parse("T-2"))).toMatchObject({ phase: "stalled" });
    expect(stage.ticket(TicketId.parse("T-3"))).toMatchObject({ phase: "done", failures: 0 });
    expect(stage.of("step-ended").filter((event) => !event.ok && event.ticket === "T-3")).toEqual([]);
    expect(landed(stage).unjudged).toEqual([]);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).not.toContain("T-2.txt");
  });
});
