import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { finding, PASSES, reviewer, says } from "../loop/review-stage.ts";
import { HONEST, Stage } from "./stage.ts";

const add = (sign: string) => `fs.writeFileSync("add.mjs", "export const add = (a, b) => a ${sign} b;\\n");`;
/** Finds fault with a sum that subtracts. */
const READS = `fs.readFileSync(checkout + "/add.mjs", "utf8").includes("a - b")
  ? ${says({ findings: [finding({ file: "add.mjs", line: 1 })], verdict: "fail" })} : ${PASSES}`;

function batch(stage: Stage, body: string, over: Record<string, unknown> = {}): string {
  stage.repo("app");
  return stage.batch(["T-1"], { reviewer: { kind: "command", command: reviewer(stage.path("second"), body) }, ...over });
}

describe("a batch with a reviewer and no finish line of its own", () => {
  test("is reviewed: what it finds costs an attempt, and the better change lands", async () => {
    using stage = new Stage();
    stage.agent(
      `if (attempt === 1) ${add("-")} else { ${add("+")} if (!prompt.includes("add(1, 2) gives -1")) process.exit(1); }`,
    );
    const over = { reviewer: { kind: "command", command: reviewer(stage.path("second"), READS), usdPerReview: 0.25 } };
    const { code, events, stderr } = await stage.events(batch(stage, READS, over));
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(events.flatMap((e) => (e.type === "step-ended" && e.step === 1 ? [e.summary] : []))).toEqual([
      "wrong sum (high, add.mjs:1)",
      "no findings",
    ]);
    expect(stage.git("app", "show", "main:add.mjs")).toContain("a + b");
    expect((await stage.report()).costUsd).toBe(0.5);
  });

  test("is not done while its reviewer says nothing", async () => {
    using stage = new Stage();
    stage.agent(HONEST);
    const { code, events } = await stage.events(batch(stage, "", { limits: { attempts: 1 } }));
    expect(code).toBe(3);
    expect(events.find((e) => e.type === "attempt-ended")?.evidence?.summary).toMatch(/^postponed, .*: it gave no answer$/);
    expect(stage.landed()).toEqual([]);
  });
});

test("a reviewer in the sandbox reads what it is asked about, and can change nothing but its own folder", async () => {
  const ATTACKS: readonly (readonly [what: string, went: string])[] = [
    [`fs.writeFileSync(checkout + "/README.md", "x")`, "EROFS"],
    [`fs.writeFileSync(checkout + "/new", "x")`, "EROFS"],
    [`fs.writeFileSync(checkout + "/.git/HEAD", "x")`, "EROFS"],
    [`fs.chmodSync(checkout, 0o777)`, "EROFS"],
    [`fs.writeFileSync(LOOPDASH_PROMPT, "x")`, "EROFS"],
    [`fs.readFileSync(HOME + "/loopdash.db")`, "ENOENT"],
    [`fs.readdirSync(HOME + "/worktrees")`, "ENOENT"],
    [`fs.readFileSync(LOOPDASH_PROMPT)`, "it worked"],
    [`fs.readFileSync(checkout + "/T-1.txt")`, "it worked"],
    [`execFileSync("git", ["-C", checkout, "diff", base, tree])`, "it worked"],
    [`fs.writeFileSync("notes", "x")`, "it worked"],
  ];
  using stage = new Stage();
  stage.agent(HONEST);
  const body = `const HOME = ${JSON.stringify(stage.home)};
const base = /on top of (\\w+)/.exec(prompt)[1];
const went = (what) => { try { what(); return "it worked"; } catch (error) { return error.code ?? String(error); } };
const results = [${ATTACKS.map(([what]) => `went(() => ${what})`).join(", ")}];
answer({ findings: results.map((title, line) => ({ file: "", line, severity: "low", title, scenario: "tried" })), verdict: "pass" });`;
  const { code, events, stderr } = await stage.events(batch(stage, body, { sandbox: "required" }));
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(events.find((e) => e.type === "reviewer-answered")).toMatchObject({ valid: true });
  const [file = ""] = globSync("runs/*/tickets/T-1/attempt-1/review-review.json", { cwd: stage.home });
  const { findings } = JSON.parse(readFileSync(join(stage.home, file), "utf8"));
  expect(findings.map(({ title }: { title: string }, i: number) => [ATTACKS[i]?.[0], title])).toEqual(ATTACKS);
});

describe("a batch whose reviewer is none", () => {
  test("does not start: no reviewer for a review", async () => {
    using stage = new Stage();
    stage.repo("app");
    const file = stage.batch(["T-1"], { finish: [{ step: "review" }, { step: "merge" }] });
    const { code, stderr } = await stage.run([file]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/batch\.json:\d+:\d+ {2}finish\[0\]: review asks a reviewer, and the batch names none/);
  });

  test("does not start: the agent itself", async () => {
    using stage = new Stage();
    stage.repo("app");
    const file = stage.batch(["T-1"], { reviewer: { kind: "command", command: [process.execPath, "agent.mjs"] } });
    const { code, stderr } = await stage.run([file]);
    expect(code).toBe(2);
    expect(stderr).toContain("reviewer.command is the agent's own command: it would review itself");
  });

  test("does not start: a program that is not there", async () => {
    using stage = new Stage();
    stage.repo("app");
    const { code, stderr } = await stage.run([stage.batch(["T-1"], { reviewer: { kind: "command", command: ["./nobody"] } })]);
    expect(code).toBe(4);
    expect(stderr).toContain("the reviewer program");
    expect(stderr).toContain("reviewer.command");
  });
});
