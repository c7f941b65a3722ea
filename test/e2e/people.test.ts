import { appendFileSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { HumanStep } from "../../src/domain/run/command.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { terminals } from "./pty.ts";
import { send } from "./send.ts";
import { HONEST, Stage } from "./stage.ts";

const open = terminals();

/** A stage whose tickets are Markdown files, and whose agents wait for a file of their ticket. */
function scene(tickets: Readonly<Record<string, string>>) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app");
  stage.agent(`fs.writeFileSync("${stage.path("prompts")}/" + ticket + "-" + attempt, prompt);
    say("READY " + ticket); while (!fs.existsSync("${stage.path()}/GO-" + ticket)) await wait(20);
    fs.writeFileSync(ticket + ".txt", "attempt " + attempt);`);
  stage.write("prompts/none", "");
  for (const [id, text] of Object.entries(tickets)) stage.write(`tickets/${id}.md`, text);
  const file = (id: string) => stage.path(`tickets/${id}.md`);
  return {
    stage,
    batch: (over: Record<string, unknown> = {}) => stage.batch([], { tracker: { kind: "local", path: "tickets" }, ...over }),
    go: (...ids: readonly string[]) => ids.map((id) => stage.write(`GO-${id}`, "")),
    read: (id: string) => readFileSync(file(id), "utf8"),
    edit: (id: string, change: (text: string) => string) => writeFileSync(file(id), change(readFileSync(file(id), "utf8"))),
    prompt: (id: string, attempt: number) => stage.path(`prompts/${id}-${attempt}`),
  };
}

const anOpen = (title: string, waits = "") => `---\n${waits}state: open\n---\n# ${title}\n\nDo it.\n`;

test("a person reopens a shipped ticket, closes a waiting one and rewrites a third: each takes effect, and nothing is overwritten", async () => {
  const { stage, batch, go, read, edit, prompt } = scene({
    "T-1": anOpen("First"),
    "T-2": anOpen("Second"),
    "T-3": anOpen("Third", "dependsOn: [T-2]\n"),
    "T-4": anOpen("Fourth", "dependsOn: [T-2]\n"),
  });
  const started = stage.start([batch({ limits: { workers: 2 } }), "--headless"]);
  go("T-1", "T-4");
  await started.until(/T-1 {2}✔ done/);
  edit("T-1", (text) => text.replace("state: done", "state: open"));
  await started.until(/T-1 .*a person: reopened in the tracker/);
  edit("T-3", (text) => text.replace("state: open", "state: done"));
  const closed = read("T-3");
  await started.until(/T-3 .*a person: closed in the tracker/);
  edit("T-4", (text) => text.replace("Do it.", "Use the blue paint."));
  await started.until(/T-4 .*a person: rewritten in the tracker/);
  go("T-2");
  const { code, stdout } = await started.ended;
  expect(code).toBe(0);
  expect(stdout.match(/ @ a person: /g)).toHaveLength(3);
  expect(readFileSync(prompt("T-1", 2), "utf8")).toContain("a person reopened it in the tracker");
  expect(existsSync(prompt("T-3", 1))).toBe(false);
  expect(readFileSync(prompt("T-4", 1), "utf8")).toContain("Use the blue paint.");
  expect(stage.landed().toSorted()).not.toContain("T-3");
  expect(read("T-3")).toBe(closed);
  expect(read("T-4")).toMatch(/state: done[^]*Use the blue paint\./);
  const report = await stage.report();
  expect(report.interventions).toMatchObject({ total: 3, work: 3, byClass: { I7: 3 } });
  expect(report).toMatchObject({ verdict: "done", incidentsByKind: { reopened: 1 } });
});

/** What people do beside loopdash between two engines, by class. I1 needs a ticket that waits for a person: the next test. */
const ACTS: Readonly<Record<string, string>> = {
  I2: "tightens a limit in the batch file",
  I3: "edits the hints of the run's harness",
  I4: "commits on the base",
  I5: "stops the run, and starts it again",
  I6: "raises a limit in the batch file",
  I7: "closes a ticket in the tracker",
  I8: "takes a protected path out of the batch file",
};

test(`a person acts outside loopdash in every class: ${Object.entries(ACTS).flat().join(" ")}`, async () => {
  const { stage, batch, go, edit } = scene({ "T-1": anOpen("First"), "T-2": anOpen("Second", "dependsOn: [T-1]\n") });
  const over = { limits: { attempts: 2, minutesPerAttempt: 2 }, protect: ["secret/**", "*.lock"] };
  const started = stage.start([batch(over), "--json"]);
  await started.until(/READY T-1/);
  started.child.kill("SIGINT");
  expect((await started.ended).code).toBe(130);
  for (const hints of globSync(stage.path("home/runs/*/harness/**/hints.md"))) appendFileSync(hints, "Wear a red hat.\n");
  stage.write("app/by-hand.txt", "mine\n");
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-q", "-m", "by hand");
  edit("T-2", (text) => text.replace("state: open", "state: done"));
  go("T-1");
  const again = batch({ limits: { attempts: 3, minutesPerAttempt: 1 }, protect: ["*.lock"] });
  const { code, stderr } = await stage.run([again, "--headless", "--accept-changes"]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const { byClass } = (await stage.report()).interventions;
  expect(byClass).toEqual(Object.fromEntries(Object.keys(ACTS).map((name) => [name, 1])));
});

test("a person reopens a ticket that loopdash left to a person: an obstacle is removed (I1), and the ticket is worked on", async () => {
  const { stage, batch, go, edit, read } = scene({ "T-1": anOpen("First"), "T-2": anOpen("Second") });
  const started = stage.start([batch({ limits: { workers: 2 } }), "--json"]);
  await started.until(/READY T-1/);
  await started.until(/READY T-2/);
  await send(stage, { type: "gate", ticket: TicketId.parse("T-1"), step: HumanStep.parse("ask Jo") });
  await expect.poll(() => read("T-1")).toContain("state: human-gated");
  edit("T-1", (text) => text.replace("state: human-gated", "state: open"));
  await started.until(/"reopened"/);
  for (const id of ["T-1", "T-2"]) go(id);
  expect((await started.ended).code).toBe(0);
  const report = await stage.report();
  expect(report.interventions.byClass).toEqual({ I7: 1, I1: 1 });
});

test("--fresh over an unfinished run is an intervention (I5) of the new run, which names the old one", async () => {
  const { stage, batch, go } = scene({ "T-1": anOpen("First") });
  const file = batch();
  const started = stage.start([file, "--json"]);
  await started.until(/READY T-1/);
  started.child.kill("SIGKILL");
  await started.ended;
  const old = (JSON.parse(started.stdout().split("\n")[0] ?? "") as Extract<RunEvent, { type: "run-started" }>).run;
  go("T-1");
  expect((await stage.run([file, "--headless", "--fresh"])).code).toBe(0);
  const report = await stage.report();
  expect(report.run).not.toBe(old);
  expect(report.interventions).toMatchObject({ total: 1, harness: 1, byClass: { I5: 1 } });
  expect(report.interventionList).toMatchObject([{ class: "I5", note: expect.stringContaining(old) }]);
  // A second start over a run that has ended gives nothing up.
  expect((await stage.run([file, "--headless", "--fresh"])).code).toBe(0);
  expect((await stage.report()).interventions.total).toBe(0);
});

describe("a batch file with a new ticket, on a terminal", () => {
  /** A run of T-1 that was stopped, and whose batch file has T-2 since. */
  async function stopped() {
    const stage = new Stage();
    onTestFinished(() => stage[Symbol.dispose]());
    stage.repo("app");
    stage.agent(`say("READY"); while (!fs.existsSync("${stage.path("GO")}")) await wait(20); ${HONEST}`);
    const started = stage.start([stage.batch(["T-1"]), "--json"]);
    await started.until(/READY/);
    started.child.kill("SIGINT");
    await started.ended;
    stage.write("GO", "");
    return { stage, pty: open(stage, [stage.batch(["T-1", "T-2"])], { columns: 120, rows: 32 }) };
  }

  test("is asked about: yes adds it to the run", async () => {
    const { stage, pty } = await stopped();
    await pty.waitFor(/Add 1 new ticket of the batch file to the run .*T-2.*\? \[y\/N\]/s);
    pty.type("y\r");
    await pty.waitFor(/^ ✔ DONE[^]*─ TICKETS 2/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
    expect((await stage.report()).interventions.byClass).toEqual({ I2: 1, I5: 1 });
  });

  test("is asked about: no refuses the start, and changes nothing", async () => {
    const { stage, pty } = await stopped();
    await pty.waitFor(/\[y\/N\]/);
    pty.type("n\r");
    expect(await pty.exitCode()).toBe(4);
    expect(pty.main()).toContain("the batch file was changed since the run began: ticket T-2 is new");
    expect(pty.alternateSeen).toBe(false);
    expect(stage.landed()).toEqual([]);
    expect((await stage.report()).tickets.map(({ id }) => id)).toEqual(["T-1"]);
  });
});
