import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { peoplesBranch } from "../../src/domain/run/branch-fact.ts";
import { keptBranch, ticketBranch } from "../../src/domain/run/kept-work.ts";
import { renderSummaryText } from "../../src/store/results/summary.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Adjudicator, claim, leave, WALL } from "./blocker-stage.ts";
import { commitOnBranch, open, T1 } from "./drift-stage.ts";
import { oneFile, RUN, type Stage } from "./stage.ts";

cleanUp();

const own = ticketBranch(RUN, T1);
const acts = ({ state }: Stage) => state.interventions.map((i) => [i.class, i.target, i.note, i.observed]);
const theirs = (sha: string, branch = own) => [
  "I4",
  T1,
  expect.stringMatching(`^${branch}: 1 commit on ${branch}: ${sha.slice(0, 7)} by Jo at .* UTC "mine"$`),
  true,
];
/** What is on the base in the end. */
const files = (stage: Stage) => stage.git("ls-tree", "--name-only", "main").split("\n");

describe("a person's commit on the branch of a ticket (I4)", () => {
  test("whose agent works in the sandbox: it is counted once, kept on a branch of its own, and does not land", async () => {
    const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] }, () => ({ confined: true }));
    using _ = stage;
    stage.start();
    await stage.until("agent-launching");
    const sha = commitOnBranch(stage, own, "mine");
    await stage.engine.performer.pollPeople();
    await stage.engine.performer.pollPeople();
    expect(acts(stage)).toEqual([theirs(sha)]);
    go(T1);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(acts(stage)).toEqual([theirs(sha)]);
    expect(stage.git("rev-parse", peoplesBranch(RUN, T1, sha))).toBe(sha);
    expect(files(stage)).not.toContain("byJo.txt");
    expect(renderSummaryText(stage.state)).toContain(`stay on ${peoplesBranch(RUN, T1, sha)}`);
  });

  test("right before the engine takes the agent's work over: it is not overwritten unseen", async () => {
    const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] }, () => ({ confined: true }));
    using _ = stage;
    stage.start();
    await stage.until("agent-launching");
    const sha = commitOnBranch(stage, own, "mine");
    go(T1);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(acts(stage)).toEqual([theirs(sha)]);
    expect(stage.git("rev-parse", peoplesBranch(RUN, T1, sha))).toBe(sha);
  });

  test("between two attempts: the next one starts from the base, and its agent is told", async () => {
    const finish = [{ step: "gates" }, { step: "merge" }, { step: "assert" }] as const;
    const hold = Promise.withResolvers<undefined>();
    const { stage } = await open({
      tickets: [ticketOf("T-1", { finish }), ticketOf("T-2")],
      limits: { attempts: 1 },
      work: async (task) => {
        if (task.ticket !== T1) await hold.promise;
        return task.ticket === T1 && task.attempt === 1 ? {} : oneFile(task);
      },
    });
    using _ = stage;
    stage.start();
    await stage.until("ticket-stalled");
    const sha = commitOnBranch(stage, own, "mine");
    stage.engine.orchestrator.command({ type: "retry", ticket: T1 });
    await stage.until("attempt-ended", (e) => e.type === "attempt-ended" && e.outcome === "done");
    hold.resolve(undefined);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(acts(stage).filter(([c]) => c === "I4")).toEqual([theirs(sha)]);
    expect(stage.git("rev-parse", peoplesBranch(RUN, T1, sha))).toBe(sha);
    expect(files(stage)).not.toContain("byJo.txt");
    const prompt = readFileSync(stage.tasks.findLast(({ ticket }) => ticket === T1)?.promptFile ?? "", "utf8");
    expect(prompt).toContain(`git show ${sha}`);
    expect(prompt).not.toContain('person "person" failed');
  });

  test("is not what the engine took over from an agent whose claimed blocker was rejected", async () => {
    const { stage } = await open(
      {
        tickets: [ticketOf("T-1")],
        work: (task) => {
          if (task.attempt === 1) leave(task, "blocker.json", claim({ evidence: [{ ...WALL, exitCode: 4 }] }));
          return oneFile(task);
        },
      },
      () => new Adjudicator().context,
    );
    using _ = stage;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(stage.tasks.length).toBe(2);
    await stage.engine.performer.pollPeople();
    expect(acts(stage)).toEqual([]);
  });

  test("with kept work (@n): it stays there, and is counted once, whatever is killed when", async () => {
    const { stage, go } = await open({
      tickets: [ticketOf("T-1")],
      limits: { attempts: 2 },
      held: [T1],
      work: async (task) => {
        await oneFile(task);
        await new Promise((off) => task.signal.addEventListener("abort", off));
        return { ending: "aborted", exitCode: null, signal: "SIGKILL" };
      },
    });
    using _ = stage;
    const branch = keptBranch(RUN, T1, 1);
    stage.start();
    await stage.until("agent-launching");
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    await stage.until("agent-launching", (e) => e.seq > (stage.of("work-kept")[0]?.seq ?? Number.POSITIVE_INFINITY));
    await stage.crashAndReopen();
    const sha = commitOnBranch(stage, branch, "mine");
    await stage.crashAt((event) => event.type === "branch-commits-observed", "resume");
    await stage.crashAndReopen();
    await stage.resume();
    await stage.engine.performer.pollPeople();
    go(T1);
    expect(acts(stage).filter(([c]) => c === "I4")).toEqual([theirs(sha, branch)]);
    expect(stage.git("rev-parse", branch)).toBe(sha);
  });

  test("that the engine was lost upon before it put it aside: the next engine does", async () => {
    const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] }, () => ({ confined: true }));
    using _ = stage;
    stage.start();
    await stage.until("agent-launching");
    const sha = commitOnBranch(stage, own, "mine");
    const kept = peoplesBranch(RUN, T1, sha);
    stage.engine.repo.keepBranch = () => Promise.reject(new Error("the machine went down"));
    await stage.engine.performer.pollPeople();
    expect(() => stage.git("rev-parse", "--verify", "-q", kept)).toThrow();
    await stage.crashAndReopen(() => ({ confined: true }));
    await stage.resume();
    go(T1);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(stage.git("rev-parse", kept)).toBe(sha);
    expect(acts(stage).filter(([c]) => c === "I4")).toEqual([theirs(sha)]);
  });

  test("of a working agent without a sandbox: nobody can tell it from the agent's own, so it is the agent's", async () => {
    const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] });
    using _ = stage;
    stage.start();
    await stage.until("agent-launching");
    commitOnBranch(stage, own, "mine");
    await stage.engine.performer.pollPeople();
    go(T1);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0 });
    expect(acts(stage)).toEqual([]);
  });
});
