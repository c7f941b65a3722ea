import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { HumanStep } from "../../src/domain/run/command.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { patientAgent, until } from "./actors.ts";
import { send } from "./send.ts";
import { eventsOf, HONEST, Stage, type Started } from "./stage.ts";

/** Starts a run with a patient agent, as far as these agents are at work. */
async function running(stage: Stage, batch: string, ...ready: readonly string[]): Promise<Started> {
  const run = stage.start([batch, "--json"]);
  for (const id of ready) await run.until(new RegExp(`"text":"READY ${id}"`));
  return run;
}

const note = (text: string) => ({ type: "note", kind: "work", text: HumanStep.parse(text) }) as const;
const of = <T extends RunEvent["type"]>(stdout: string, type: T) =>
  eventsOf(stdout).filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

test("a stalled ticket is tried again, its dependents come after it, and the run is done", { timeout: 300_000 }, async () => {
  using stage = new Stage();
  stage.repo("app");
  patientAgent(stage, `if (ticket === "T-1" && !fs.existsSync(at("fixed"))) { say("cannot"); process.exit(1); } ${HONEST}`);
  stage.write("go-T-1", "");
  const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }, "T-3"], { limits: { attempts: 2 } });
  const run = await running(stage, batch, "T-3");
  await run.until(/"type":"ticket-stalled","ticket":"T-1"/);
  await send(stage, { type: "retry", ticket: TicketId.parse("T-3") });
  await run.until(/"reason":"T-3 is not stalled"/);
  stage.write("fixed", "");
  await send(stage, { type: "retry", ticket: TicketId.parse("T-1") }, note("fixed the service"), note("and its data"));
  await run.until(/and its data/);
  stage.write("go", "");
  const { code, stdout, stderr } = await run.ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stage.landed().toSorted()).toEqual(["T-1", "T-2", "T-3"]);
  expect(of(stdout, "ticket-retried")).toMatchObject([{ ticket: "T-1" }]);
  expect(await stage.report()).toMatchObject({
    verdict: "done",
    fixAndProceed: 0,
    tickets: [{ id: "T-1", state: "done", attempts: 3, stalledReason: null }, { attempts: 1 }, { attempts: 1 }],
    interventions: { total: 3, work: 2, harness: 1, byClass: { I4: 2, I5: 1 } },
  });
});

test("more workers start at once, fewer once their agents have left; the next engine has as many", {
  timeout: 300_000,
}, async () => {
  using stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  const batch = stage.batch(["T-1", "T-2", "T-3", "T-4", "T-5"], { limits: { workers: 1 } });
  const run = await running(stage, batch, "T-1");
  await send(stage, { type: "workers", workers: 3 });
  for (const id of ["T-2", "T-3"]) await run.until(new RegExp(`"text":"READY ${id}"`));
  await send(stage, { type: "workers", workers: 2 });
  await run.until(/"type":"workers-set","workers":2/);
  for (const id of ["T-1", "T-2"]) stage.write(`go-${id}`, "");
  await run.until(/"text":"READY T-4"/);
  run.child.kill("SIGKILL");
  const claims = of((await run.ended).stdout, "attempt-claimed");
  expect(claims.map(({ ticket, slot }) => [ticket, slot])).toMatchObject([
    ["T-1", 0],
    ["T-2", 1],
    ["T-3", 2],
    ["T-4", expect.any(Number)],
  ]);
  expect(claims[3]?.slot).toBeLessThan(2);
  const next = stage.start([batch, "--json"]);
  await until(() => of(next.stdout(), "attempt-claimed").length >= 2, "two agents");
  stage.write("go", "");
  const { code, stdout } = await next.ended;
  expect(code).toBe(0);
  const again = of(stdout, "attempt-claimed");
  expect(Math.max(...again.map(({ slot }) => slot))).toBe(1);
  // More and fewer within the window are one decision.
  expect((await stage.report()).interventions).toMatchObject({ total: 2, byClass: { I2: 1, I5: 1 } });
});

/** Works a ticket only where its prompt has the hint; as a healer it adds that hint. */
const HINT = "Every ticket wants a file of its name.";
const unknowing = `
  if (heal) { fs.appendFileSync("hints.md", ${JSON.stringify(`${HINT}\n`)}); say("added a hint");
    fs.writeFileSync("answer.json", JSON.stringify({ kind: "gap", rootCause: "r", change: "c", prediction: ["T-1"] })); }
  else if (prompt.includes(${JSON.stringify(HINT)})) { ${HONEST} }
  else { say("READY " + ticket); if (ticket === "T-2") while (!fs.existsSync(at("go"))) await wait(20);
    // Agents that leave nothing and end alike would be the program's fault.
    fs.writeFileSync(ticket + attempt, "half"); process.exit(1); }`;

function unhealed(stage: Stage): string {
  stage.repo("app");
  stage.agent(`const at = (name) => ${JSON.stringify(stage.root)} + "/" + name; ${unknowing}`);
  return stage.batch(["T-1", "T-2", "T-3"], { limits: { workers: 2, attempts: 2, heals: 1 } });
}

const orderOf = (stdout: string, ...types: readonly RunEvent["type"][]) =>
  eventsOf(stdout).flatMap(({ type }) => (types.includes(type) ? [type] : []));

test("a heal that is asked for is done while tickets are open, and the run continues with what it changed", {
  timeout: 300_000,
}, async () => {
  using stage = new Stage();
  const run = stage.start([unhealed(stage), "--json"]);
  await run.until(/"type":"ticket-stalled","ticket":"T-1"/);
  await send(stage, { type: "heal" }, { type: "heal" });
  await run.until(/a heal was requested already/);
  const asked = of(run.stdout(), "attempt-claimed").length;
  stage.write("go", "");
  const { code, stdout, stderr } = await run.ended;
  expect([code, stderr]).toEqual([0, ""]);
  const order = orderOf(stdout, "attempt-claimed", "heal-asked", "heal-started", "heal-ended", "tripwire-ended");
  expect(order.indexOf("heal-started")).toBeGreaterThan(order.indexOf("heal-asked"));
  // Nothing new has started between the command and the heal, and the oracle was proven again after it.
  expect(order.slice(0, order.indexOf("heal-started")).filter((type) => type === "attempt-claimed")).toHaveLength(asked);
  expect(order.slice(order.indexOf("heal-ended"))).toContain("tripwire-ended");
  expect(of(stdout, "heal-started")).toMatchObject([{ n: 1, reason: expect.stringMatching(/^a person requested it; 3 of 3/) }]);
  expect(await stage.report()).toMatchObject({ heals: 1, healsAccepted: 1, interventions: { total: 1, byClass: { I2: 1 } } });
});

test("kill -9 between the command for a heal and the heal: the next engine does it before anything starts", {
  timeout: 300_000,
}, async () => {
  using stage = new Stage();
  const batch = unhealed(stage);
  const run = stage.start([batch, "--json"]);
  await run.until(/"type":"ticket-stalled","ticket":"T-1"/);
  await send(stage, { type: "heal" });
  await run.until(/"type":"heal-asked"/);
  run.child.kill("SIGKILL");
  await run.ended;
  expect(existsSync(stage.path("go"))).toBe(false);
  const { code, stdout } = await stage.run([batch, "--headless"]);
  expect(code).toBe(0);
  const lines = stdout.split("\n");
  const first = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line));
  expect(first(/heal 1 begins: a person requested it/)).toBeGreaterThan(-1);
  expect(first(/heal 1 begins/)).toBeLessThan(first(/attempt \d begins/));
  expect(await stage.report()).toMatchObject({ heals: 1, healsAccepted: 1, interventions: { byClass: { I2: 1, I5: 1 } } });
});

test("what people command is shown in plain lines", { timeout: 300_000 }, async () => {
  using stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  const run = stage.start([stage.batch(["T-1"], { limits: { workers: 1 } }), "--headless"]);
  await run.until(/attempt 1 begins/);
  await send(stage, { type: "workers", workers: 2 }, { type: "workers", workers: 2 }, note("looked at the log"), {
    type: "heal",
  });
  await run.until(/heals are off/);
  stage.write("go", "");
  const { code, stdout } = await run.ended;
  expect(code).toBe(0);
  expect(stdout).toContain("intervention on workers (harness; steered): 1 before, 2 from now on");
  expect(stdout).toContain("● 2 workers from now on");
  expect(stdout).toContain("refused: workers: the run has 2 workers already");
  expect(stdout).toContain("intervention noted (work; wrote code or merged by hand): looked at the log");
  expect(stdout).toContain("refused: heal: heals are off in this batch");
});
