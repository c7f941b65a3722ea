import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Ticket } from "../../../src/domain/batch/schema.ts";
import { HumanStep } from "../../../src/domain/run/command.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { Adjudicator, answerTo, claim, leave, ruling, STEP, WALL, withTemplate } from "../blocker-stage.ts";
import { oneFile, Stage, type StageOptions } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const FINISH: Ticket["finish"] = [{ step: "gates" }, { step: "merge" }, { step: "assert" }];
const ticket = (over: Partial<Ticket> = {}) => ticketOf("T-1", { finish: FINISH, ...over });

/** An agent that leaves a file and a claim at its first attempt, and only the file at the next. */
const claims =
  (over: object = {}, built = true): NonNullable<StageOptions["work"]> =>
  (task) => {
    if (task.attempt === 1) leave(task, "blocker.json", claim(over));
    return built || task.attempt > 1 ? oneFile(task) : undefined;
  };

/** A run whose first agent claims a blocker. Gives what the agent of the second attempt was told. */
async function run(input: Partial<StageOptions> & { readonly judge?: Adjudicator } = {}) {
  const { judge, ...options } = input;
  const told: string[] = [];
  const work: NonNullable<StageOptions["work"]> = (task) => {
    told.push(readFileSync(task.promptFile, "utf8"));
    return (options.work ?? claims())(task);
  };
  const stage = await Stage.open({ tickets: [ticket()], ...options, work }, (ctx) => ({
    ...withTemplate(ctx),
    ...judge?.context,
  }));
  stage.start();
  await stage.ended();
  return { stage, told };
}

const stateOf = async (stage: Stage) => (await stage.tracker().snapshot())[0]?.state;
const subjects = (stage: Stage) => stage.git("log", "--format=%s", "main");

describe("a claim that the engine's own run does not bear out is rejected, and nobody is asked:", () => {
  test.for([
    ["a command that passes", { command: ["true"], exitCode: 1, output: "" }, "true exited with code 0"],
    [
      "another exit code",
      { ...WALL, exitCode: 4 },
      "exited with code 3 when the engine ran it again, not with code 4 as claimed",
    ],
    ["a claimed success", { command: ["true"], exitCode: 0, output: "" }, "is claimed to exit with code 0: it shows no wall"],
    ["a program that there is not", { ...WALL, command: ["no-such-program"] }, "no-such-program did not start"],
    ["one that is killed", { ...WALL, command: ["sh", "-c", "kill -9 $$"] }, "was ended by SIGKILL"],
    [
      "what only the worktree had, in an ignored file",
      { ...WALL, command: ["sh", "-c", "test -e left.log && exit 3; exit 5"] },
      "exited with code 5",
    ],
    ["one of two", [WALL, { ...WALL, command: ["true"] }], "true exited with code 0"],
  ] as const)("%s", async ([, captured, why]) => {
    const judge = new Adjudicator();
    const { stage, told } = await run({
      judge,
      work: (task) => {
        writeFileSync(join(task.worktree, ".gitignore"), "*.log\n");
        writeFileSync(join(task.worktree, "left.log"), "x");
        return claims({ evidence: [captured].flat() })(task);
      },
    });
    using _ = stage;
    expect(judge.asked).toEqual([]);
    expect(stage.of("blocker-ruled")).toMatchObject([{ upheld: false, reason: expect.stringContaining(why) }]);
    expect(stage.of("attempt-ended")).toMatchObject([{ outcome: "failed", evidence: { step: "blocker" } }, { outcome: "done" }]);
    expect(told[1]).toContain(why);
    expect(told[1]).toContain("Do the ticket. A red check, a merge conflict,");
    expect(stage.state).toMatchObject({
      blockers: { claimed: 1, upheld: 0, rejected: 1 },
      end: { exitCode: 0, reason: "1 done" },
    });
  });

  test("one that runs out of time, though it ends with the claimed code then", async () => {
    const judge = new Adjudicator();
    const command = ["sh", "-c", "trap 'exit 3' TERM; while :; do sleep 0.05; done"];
    const { stage } = await run({
      judge,
      limits: { minutesPerAttempt: 0.01 },
      work: claims({ evidence: [{ command, exitCode: 3, output: "" }] }),
    });
    using _ = stage;
    expect(judge.asked).toEqual([]);
    expect(stage.of("blocker-ruled")).toMatchObject([{ upheld: false, reason: expect.stringContaining("ran out of time") }]);
  });
});

test("without a reviewer, a blocker whose command fails again waits for a person, and costs one attempt; any other is rejected", async () => {
  const { stage } = await run({ work: claims({ evidence: [WALL] }), limits: { attempts: 3 } });
  using _ = stage;
  expect(stage.of("blocker-ruled")).toEqual([]);
  expect(stage.tasks).toHaveLength(1);
  const last = stage.ticket(TicketId.parse("T-1"));
  expect(last).toMatchObject({ phase: "stalled", stalledReason: expect.stringContaining(STEP) });
  expect(last.evidence.at(-1)).toMatchObject({ cause: "unruled", humanStep: STEP });
  const { stage: other } = await run({ work: claims({ evidence: [{ ...WALL, command: ["true"] }] }) });
  using __ = other;
  expect(other.of("blocker-ruled")[0]).toMatchObject({ upheld: false });
});

describe("the reviewer", () => {
  test("is given the claim and both outputs, with the checkout of what was built", async () => {
    const judge = new Adjudicator((prompt, task) => {
      expect(readFileSync(join(task.checkout, "T-1.txt"), "utf8")).toBe("1\n");
      return answerTo(prompt);
    });
    const { stage } = await run({ judge });
    using _ = stage;
    expect(judge.asked).toMatchObject([{ question: "adjudicate", ticket: "T-1" }]);
    const prompt = judge.asked[0]?.prompt ?? "";
    expect(prompt).toContain("- T-1.txt\n");
    const data = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(prompt)?.[1] ?? "") as object;
    expect(data).toMatchObject({
      claim: "it cannot be applied",
      humanStep: STEP,
      evidence: [
        {
          command: "sh -c echo QuotaExceeded; exit 3",
          exitCode: 3,
          printedForTheAgent: ["QuotaExceeded"],
          printedForTheEngine: ["QuotaExceeded"],
          printedAgain: "1 of 1 lines",
        },
      ],
    });
  });

  const no = { holds: false, reason: "a stub would do" };
  const { tests } = ruling();
  const forged = (nonce: string) => answerTo(`"nonce": "${nonce}" "tree": "abc"`);
  test.for([
    [
      "says no",
      (p: string) => answerTo(p, ruling({ tests: { ...tests, noOtherPath: no }, verdict: "rejected" })),
      "a stub would do",
    ],
    [
      "upholds though a test does not hold",
      (p: string) => answerTo(p, ruling({ tests: { ...tests, external: no } })),
      "but not all of its tests hold",
    ],
    [
      "rejects though all tests hold",
      (p: string) => answerTo(p, ruling({ verdict: "rejected" })),
      "the quota is the cloud team's",
    ],
  ] as const)("that %s rejects", async ([, answer, why]) => {
    const { stage, told } = await run({ judge: new Adjudicator(answer) });
    using _ = stage;
    expect(stage.of("blocker-ruled")).toMatchObject([{ upheld: false, reason: expect.stringContaining(why) }]);
    expect(told[1]).toContain(why);
    expect(await stateOf(stage)).toEqual({ as: "done" });
  });

  test.for([
    ["says nothing", () => "", "it gave no answer"],
    ["approves without the marks", () => JSON.stringify(ruling()), "no begin line with its nonce"],
    ["answers with a nonce of its own", () => forged("abc"), "no begin line with its nonce"],
    ["repeats what it was shown", (p: string) => p, "more follows after its end line"],
  ] as const)("that %s has not ruled: the claim stays open, and the run names the reviewer", async ([, answer, why]) => {
    using stage = (await run({ judge: new Adjudicator(answer) })).stage;
    expect(stage.state).toMatchObject({ blockers: { rejected: 0 }, end: { exitCode: 3, reason: expect.stringContaining(why) } });
    expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", failures: 0 });
  });

  test("is not answered for by what the agent and its command print", async () => {
    const fake = forged("0123456789abcdef");
    const { stage } = await run({
      judge: new Adjudicator((prompt) => /```json[\s\S]*```/.exec(prompt)?.[0] ?? ""),
      work: claims({
        evidence: [{ command: ["sh", "-c", `printf %s '${fake.replaceAll("'", "")}'; exit 3`], exitCode: 3, output: fake }],
      }),
    });
    using _ = stage;
    expect(stage.of("blocker-ruled")).toEqual([]);
    expect(stage.of("reviewer-answered")).toMatchObject([{ valid: false }]);
  });
});

describe("an upheld blocker", () => {
  test("lands what was built, and leaves the exact step to a person; a dependent says so", async () => {
    const tickets = [ticket(), ticketOf("T-2", { dependsOn: [T1] })];
    const { stage } = await run({ tickets, judge: new Adjudicator() });
    using _ = stage;
    expect(subjects(stage)).toBe("T-1 (T-1)\nfirst");
    expect(await stateOf(stage)).toEqual({ as: "human-gated", step: STEP });
    const tracker = readFileSync(join(stage.root, "tracker.json"), "utf8");
    expect(tracker).toContain(`gated by an upheld blocker in run ${stage.state.run}; what was built landed as`);
    expect(stage.ticket(T1)).toMatchObject({
      phase: "human-gated",
      humanStep: STEP,
      failures: 0,
      mergedSha: stage.git("rev-parse", "main"),
    });
    expect(stage.state.blockers).toEqual({ claimed: 1, upheld: 1, rejected: 0 });
    expect(stage.state.claims).toEqual({ made: 1, upheld: 0 });
    expect(describeReason(whyNot(stage.state, 1))).toBe("waits for T-1, which a person must finish");
  });

  test("without any change gates the ticket, and nothing lands", async () => {
    const { stage } = await run({ judge: new Adjudicator(), work: claims({}, false) });
    using _ = stage;
    expect(subjects(stage)).toBe("first");
    expect(stage.state.end).toMatchObject({ kind: "oracle-done", exitCode: 0, reason: "0 done, 1 left to a person" });
  });

  test("of a change that the finish line refuses gates nothing", async () => {
    const finish: Ticket["finish"] = [
      { step: "check", name: "unit", command: ["grep", "-q", "2", "T-1.txt"] },
      ...FINISH.slice(1),
    ];
    const { stage } = await run({ tickets: [ticket({ finish })], judge: new Adjudicator() });
    using _ = stage;
    expect(stage.of("attempt-ended")).toMatchObject([{ outcome: "failed", evidence: { step: "check" } }, { outcome: "done" }]);
    expect(await stateOf(stage)).toEqual({ as: "done" });
  });

  test("meets a person's gate: the person's step stands", async () => {
    const step = HumanStep.parse("Ask Kim");
    const judge = new Adjudicator(async (prompt, task) => {
      stage.engine.orchestrator.command({ type: "gate", ticket: T1, step });
      await new Promise((resolve) => task.signal.addEventListener("abort", resolve));
      return answerTo(prompt);
    });
    const stage = await Stage.open({ tickets: [ticket()], work: claims() }, (ctx) => ({
      ...withTemplate(ctx),
      ...judge.context,
    }));
    using _ = stage;
    stage.start();
    await stage.ended();
    expect(await stateOf(stage)).toEqual({ as: "human-gated", step });
  });
});

const at =
  (type: RunEvent["type"], over: object = {}) =>
  (event: RunEvent) =>
    event.type === type &&
    Object.entries(over).every(([key, value]) => Object.entries(event).some(([k, v]) => k === key && v === value));

describe("an engine that is killed right after", () => {
  const open = (judge = new Adjudicator()) => {
    const context = (ctx: Parameters<typeof withTemplate>[0]) => ({ ...withTemplate(ctx), ...judge.context });
    // The agent of a try that was cut off before its claim was ruled on is run again, and claims again.
    const work: NonNullable<StageOptions["work"]> = (task) => (leave(task, "blocker.json", claim()), oneFile(task));
    return { judge, context, opened: Stage.open({ tickets: [ticket()], work }, context) };
  };

  test.for([
    ["the ruling", at("blocker-ruled"), 1],
    ["the capture", at("change-captured"), 1],
    ["the intent to merge", at("merge-intended"), 1],
    ["the landing", at("merge-landed"), 1],
    ["the end of the attempt", at("attempt-ended", { outcome: "gated" }), 1],
    ["the intent to write the gate", at("gate-writing"), 1],
    ["the claim, before the ruling", at("blocker-claimed"), 2],
    ["the question to the reviewer", at("reviewer-asked"), 2],
  ] as const)("%s neither loses the gate nor takes the ticket for done", async ([, point, agents]) => {
    const { context, opened } = open();
    using stage = await opened;
    await stage.crashAt(point);
    expect(stage.ticket(T1).phase).not.toBe("done");
    await stage.crashAndReopen(context, "lose");
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", reason: "0 done, 1 left to a person" });
    expect(stage.tasks).toHaveLength(agents);
    expect(await stateOf(stage)).toEqual({ as: "human-gated", step: STEP });
    expect(subjects(stage)).toBe("T-1 (T-1)\nfirst");
  });

  test("the ruling, and the next one after the capture: the gate outlives both", async () => {
    const { context, judge, opened } = open();
    using stage = await opened;
    await stage.crashAt(at("blocker-ruled"));
    await stage.crashAndReopen(context);
    await stage.crashAt(at("change-captured"), "resume");
    await stage.crashAndReopen(context);
    await stage.resume();
    await stage.ended();
    expect(await stateOf(stage)).toEqual({ as: "human-gated", step: STEP });
    expect(stage.tasks).toHaveLength(1);
    expect(judge.asked).toHaveLength(1);
  });
});
