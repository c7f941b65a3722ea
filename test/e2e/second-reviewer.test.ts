import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { finding, PASSES, reviewer, says } from "../loop/review-stage.ts";
import { HONEST, Stage } from "./stage.ts";

/** Writes into one file, in order, that the reviewer of this name was asked, and about what. */
const signed = (stage: Stage, name: string) =>
  `fs.appendFileSync(${JSON.stringify(stage.path("asked.log"))}, ${JSON.stringify(name)} + " " + question + " " + ticket + "\\n");`;
const asked = (stage: Stage): readonly string[] =>
  existsSync(stage.path("asked.log")) ? readFileSync(stage.path("asked.log"), "utf8").trim().split("\n") : [];

interface Bodies {
  readonly first?: string;
  readonly second?: string;
}

/** A batch with a complex ticket and a trivial one, and two reviewers that sign what they were asked. */
function batch(stage: Stage, { first = PASSES, second = PASSES }: Bodies = {}, over: Record<string, unknown> = {}): string {
  stage.repo("app");
  const program = (name: string, body: string) => ({
    kind: "command",
    command: reviewer(stage.path(name), `${signed(stage, name)}\n${body}`),
  });
  const tickets = [
    { id: "T-1", title: "Hard", complexity: "complex" },
    { id: "T-2", title: "Easy", complexity: "trivial", dependsOn: ["T-1"] },
  ];
  return stage.batch(tickets, {
    reviewer: program("first", first),
    secondReviewer: program("second", second),
    complexity: true,
    ...over,
  });
}

describe("a batch with two reviewers", () => {
  test("has a complex change read by both, in order, and a trivial one by the first alone", async () => {
    using stage = new Stage();
    stage.agent(HONEST);
    const { code, events, stderr } = await stage.events(batch(stage));
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(asked(stage)).toEqual(["first review T-1", "second review T-1", "first review T-2"]);
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
    const answers = events.flatMap((e) => (e.type === "reviewer-answered" ? [[e.ticket, e.by ?? "first", e.valid]] : []));
    expect(answers).toEqual([
      ["T-1", "first", true],
      ["T-1", "second", true],
      ["T-2", "first", true],
    ]);
    expect(events.find((e) => e.type === "step-ended" && e.ticket === "T-2" && e.step === 2)).toMatchObject({
      ok: true,
      summary: "not needed: the ticket is trivial",
    });
    const report = await stage.report();
    expect(report.reviewer).toMatchObject({ questions: 2, valid: 2 });
    expect(report.secondReviewer).toMatchObject({ questions: 1, valid: 1 });
  });

  test("lands nothing that the second refuses; its finding is in the next prompt, and the report says whose it is", async () => {
    using stage = new Stage();
    stage.agent(`if (attempt === 2 && !prompt.includes("only the second sees this")) process.exit(1); ${HONEST}`);
    const found = finding({ file: "T-1.txt", line: 1, title: "only the second sees this" });
    const second = `asked === 1 ? ${says({ findings: [found], verdict: "fail" })} : ${PASSES}`;
    const { code, events } = await stage.events(batch(stage, { second }));
    expect(code).toBe(0);
    expect(events.find((e) => e.type === "attempt-ended")?.evidence).toMatchObject({ step: "review", name: "second-review" });
    expect(asked(stage).slice(0, 4)).toEqual(["first review T-1", "second review T-1", "first review T-1", "second review T-1"]);
    const report = await stage.report();
    expect(report.reviewer.findings).toEqual({ critical: 0, high: 0, medium: 0, low: 0 });
    expect(report.secondReviewer?.findings).toEqual({ critical: 0, high: 1, medium: 0, low: 0 });
    expect(report.tickets[0]).toMatchObject({ state: "done", attempts: 2 });
    const { stdout } = await stage.run(["report", "--md"]);
    expect(stdout).toContain("second reviewer asked");
  });

  test("does not ask the second about what the first has refused", async () => {
    using stage = new Stage();
    stage.agent(HONEST);
    const first = says({ findings: [finding({ file: "T-1.txt", line: 1 })], verdict: "fail" });
    const { code } = await stage.events(batch(stage, { first }, { limits: { attempts: 1 } }));
    expect(code).toBe(1);
    expect(new Set(asked(stage))).toEqual(new Set(["first review T-1"]));
    expect(stage.landed()).toEqual([]);
  });

  test("tells in a dry run which classes two reviewers read", async () => {
    using stage = new Stage();
    stage.agent(HONEST);
    const { code, stdout } = await stage.run([batch(stage), "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain("complex: 2 reviews by two reviewers");
    expect(asked(stage)).toEqual([]);
  });

  test("killed between the two: the next engine keeps the second reviewer, and nothing lands without it", async () => {
    using stage = new Stage();
    stage.agent(HONEST);
    const go = JSON.stringify(stage.path("go"));
    const file = batch(stage, {
      second: `if (!fs.existsSync(${go})) await new Promise((over) => setTimeout(over, 600_000)); ${PASSES}`,
    });
    const started = stage.start([file, "--json"]);
    await started.until(/"type":"reviewer-asked"[^\n]*"by":"second"/);
    started.child.kill("SIGKILL");
    await started.ended;
    expect(stage.landed()).toEqual([]);
    stage.write("go", "");
    const { code, events } = await stage.events(file);
    expect(code).toBe(0);
    expect(events.flatMap((e) => (e.type === "agent-launching" ? [e.ticket] : []))).toEqual(["T-2"]);
    const answers = events.flatMap((e) => (e.type === "reviewer-answered" && e.ticket === "T-1" ? [e.by ?? "first"] : []));
    expect(answers.at(-1)).toBe("second");
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
  });
});

describe("a batch whose second reviewer is none", () => {
  test.for([
    ["the first again", ["FIRST"], "secondReviewer.command is the first reviewer's own command"],
    ["the agent", [process.execPath, "agent.mjs"], "secondReviewer.command is the agent's own command: it would review itself"],
  ] as const)("does not start: %s", async ([, command, message]) => {
    using stage = new Stage();
    stage.repo("app");
    const first = { kind: "command", command: ["FIRST"] };
    const over = { reviewer: first, secondReviewer: { kind: "command", command }, complexity: true };
    const { code, stderr } = await stage.run([stage.batch(["T-1"], over)]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test("does not start: a program that is not there", async () => {
    using stage = new Stage();
    stage.agent(HONEST);
    const file = batch(stage, {}, { secondReviewer: { kind: "command", command: ["./nobody"] } });
    const { code, stderr } = await stage.run([file]);
    expect(code).toBe(4);
    expect(stderr).toContain("the second reviewer program");
    expect(stderr).toContain("secondReviewer.command");
  });
});
