import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { Stage } from "./stage.ts";

const CONTRACT = `---
criteria:
  - name: greets
    command: ["node", "{batch}/checks/greets.mjs"]
  - {name: no bad, command: [grep, -rqs, bad, src], exitCode: 1}
safety:
  only: [src/**]
  rules: [Greet politely.]
phases:
  - {name: greet, criteria: [greets]}
---
The greeting ends with a full stop.
`;

/** A ticket in a folder that names its contract, and an agent that greets rightly from its second attempt on. */
function opened(agent = `fs.mkdirSync("src"); fs.writeFileSync("src/hi", attempt > 1 ? "Hi." : "Hi");`) {
  const stage = new Stage();
  stage.repo("app");
  stage.write(
    "checks/greets.mjs",
    `import fs from "node:fs"; process.exit(/\\.$/.test(fs.readFileSync("src/hi", "utf8")) ? 0 : 3);`,
  );
  stage.write("contracts/greet.md", CONTRACT);
  stage.write("tickets/T-1.md", "---\ncontract: contracts/greet.md\n---\n# Greet\n\nWrite src/hi.\n");
  stage.agent(`${agent} say("<promise>DONE</promise>");`);
  const batch = stage.batch([], { tracker: { kind: "local", path: "tickets" } });
  return { stage, batch };
}

/** The same, stopped in its first attempt, whose agent waits for the file GO. */
async function stopped() {
  const { stage, batch } = opened();
  stage.agent(
    `while (!fs.existsSync("${stage.path("GO")}")) await wait(20); fs.mkdirSync("src"); fs.writeFileSync("src/hi", "Hi.");`,
  );
  const started = stage.start([batch, "--json"]);
  await started.until(/"agent-started"/);
  started.child.kill("SIGINT");
  await started.ended;
  stage.write("GO", "");
  return { stage, batch };
}

const change = (stage: Stage, from: string, to: string): void => {
  const file = stage.path("contracts/greet.md");
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
};

/** The interventions but for the resumption itself. */
const changesIn = (events: readonly RunEvent[]) =>
  events.filter((event) => event.type === "batch-changed" || (event.type === "intervention" && event.class !== "I5"));

describe("a ticket with a contract", () => {
  test("lands once every criterion holds, which the agent's promise does not decide", async () => {
    const { stage, batch } = opened();
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    const failed = events.find((event) => event.type === "attempt-ended" && event.outcome === "failed");
    expect(failed).toMatchObject({ evidence: { name: "greets", summary: expect.stringMatching(/^phase greet: .*exited with/) } });
    const report = await stage.report();
    expect(report.tickets).toMatchObject([
      { id: "T-1", state: "done", attempts: 2, contract: { path: "contracts/greet.md", criteria: ["greets", "no bad"] } },
    ]);
    const [prompt = ""] = [events.find(({ type }) => type === "run-started")].map((first) =>
      first?.type === "run-started"
        ? readFileSync(stage.path(`home/runs/${first.run}/tickets/T-1/attempt-2/prompt.md`), "utf8")
        : "",
    );
    expect(prompt).toContain("The greeting ends with a full stop.");
    expect(prompt).toContain("- Greet politely.");
    expect((await stage.run(["report", "--md"])).stdout).toContain("contract contracts/greet.md: greets, no bad");
  });

  test("is shown by the plan before anything starts", async () => {
    const { stage, batch } = opened();
    using _ = stage;
    const plan = JSON.parse((await stage.run([batch, "--dry-run", "--json"])).stdout) as { tickets: object[] };
    expect(plan.tickets).toMatchObject([
      {
        contract: { path: "contracts/greet.md", sha: expect.stringMatching(/^[0-9a-f]{64}$/) },
        finish: ["gates", "check greets", "check no bad", "merge", "assert"],
      },
    ]);
    expect((await stage.run([batch, "--dry-run"])).stdout).toContain("contract contracts/greet.md");
  });

  test.each([
    ["unknown key", "safety:", "safty:", 'contracts/greet.md:6:1  unknown key "safty"; did you mean "safety"?'],
    ["duplicate key", "safety:", "criteria: []\nsafety:", 'contracts/greet.md:6:1  the key "criteria" is given twice'],
    ["no such file", "", "", "there is no such contract file"],
    ["no such program", "grep,", "no-such-program,", 'contracts/greet.md:5:30  criteria[1].command[0]: "no-such-program"'],
  ])("refuses the start if it is broken: %s", async (what, from, to, message) => {
    const { stage, batch } = opened();
    using _ = stage;
    if (what === "no such file") stage.write("tickets/T-1.md", "---\ncontract: contracts/gret.md\n---\n# Greet\n");
    change(stage, from, to);
    for (const args of [
      [batch, "--dry-run"],
      [batch, "--headless"],
      ["doctor", batch],
    ]) {
      const { code, stdout, stderr } = await stage.run(args);
      expect(code, args.join(" ")).not.toBe(0);
      expect(`${stdout}${stderr}`, args.join(" ")).toContain(message);
    }
  });

  test("is what it was when the run began, whoever edits it meanwhile", async () => {
    const edits = (stage: Stage) => `fs.writeFileSync("${stage.path("contracts/greet.md")}", "gone"); `;
    const { stage, batch } = opened();
    using _ = stage;
    stage.agent(`${edits(stage)} fs.mkdirSync("src"); fs.writeFileSync("src/hi", attempt > 1 ? "Hi." : "Hi");`);
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(events.filter((event) => event.type === "step-ended" && !event.ok)).toHaveLength(1);
  });

  test("is protected in a repository that holds it", async () => {
    const { stage } = opened();
    using _ = stage;
    stage.write("app/loop/greet.md", CONTRACT.replace("only: [src/**]", "files: 9"));
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-q", "-m", "contract");
    stage.agent(`fs.mkdirSync("src"); fs.writeFileSync("src/hi", "Hi."); fs.writeFileSync("loop/greet.md", "");`);
    const batch = stage.batch([{ id: "T-1", title: "Greet", contract: "app/loop/greet.md" }]);
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(events.find((event) => event.type === "step-ended" && !event.ok)).toMatchObject({
      summary: "protected path touched: loop/greet.md (modified)",
    });
  });
});

describe("a contract that was changed in an unfinished run", () => {
  test.each([
    [
      "a criterion is gone",
      "  - {name: no bad, command: [grep, -rqs, bad, src], exitCode: 1}\n",
      "",
      "finish of T-1: gates greets no bad",
    ],
    ["its words are others", "full stop", "question mark", "contract of T-1: it says otherwise"],
    ["its rules are fewer", "  only: [src/**]\n", "", "contract of T-1: it says otherwise"],
  ])("is refused without a flag if %s, and counted with it", async (_, from, to, message) => {
    const { stage, batch } = await stopped();
    using __ = stage;
    change(stage, from, to);
    expect(await stage.run([batch, "--headless"])).toMatchObject({ code: 4, stderr: expect.stringContaining(message) as string });
    const { code, events } = await stage.events(batch, "--accept-changes");
    expect(code).toBe(0);
    expect(changesIn(events)).toMatchObject([{ class: "I8" }, { type: "batch-changed" }]);
  });

  test("is taken if it is tighter", async () => {
    const { stage, batch } = await stopped();
    using _ = stage;
    change(stage, "only: [src/**]", "only: [src/**]\n  files: 3");
    change(stage, "safety:", "  - {name: again, command: [test, -e, src/hi]}\nsafety:");
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(changesIn(events)).toMatchObject([{ class: "I2" }, { class: "I2" }, { type: "batch-changed" }]);
    expect((await stage.report()).tickets[0]?.contract?.criteria).toEqual(["greets", "no bad", "again"]);
  });

  test("is the same with another layout", async () => {
    const { stage, batch } = await stopped();
    using _ = stage;
    change(stage, "criteria:", "# what must hold\ncriteria:");
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(changesIn(events)).toEqual([]);
  });
});

test("a ticket that is added to a run cannot name a contract", async () => {
  const { stage, batch } = opened();
  using _ = stage;
  stage.agent(
    `while (!fs.existsSync("${stage.path("GO")}")) await wait(20); fs.mkdirSync("src"); fs.writeFileSync("src/hi", "Hi.");`,
  );
  const started = stage.start([batch, "--json"]);
  await started.until(/"agent-started"/);
  const file = stage.write("t.json", JSON.stringify({ title: "two", contract: "contracts/greet.md" }));
  const added = await stage.run(["add", "test", file]);
  stage.write("GO", "");
  expect(added.stderr).toContain("a run reads contracts only when it starts");
  expect((await started.ended).code).toBe(0);
});
