import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { copyExample, setUpExample, startSurroundings, stopSurroundings } from "../../example/setup.ts";
import type { RunReport } from "../../src/domain/results/report.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { ended, git } from "./stage.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "dist", "loopdash.js");

/** The example in a folder of its own, which the program runs as it ships. `over` replaces keys of its batch file. */
export async function setStory({ over = {}, keys = {} }: { over?: object; keys?: Readonly<Record<string, string>> } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "loopdash-story-"));
  const home = join(folder, "home");
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LOOPDASH_HOME: home, ...keys };
  const loopdash = (...args: string[]) => ended(spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env }));
  const workspace = await copyExample(folder);
  const file = join(folder, "batch.example.json");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...over }));
  await setUpExample(workspace);
  await startSurroundings(workspace, home);
  return {
    folder,
    loopdash,
    workspace,
    async [Symbol.asyncDispose]() {
      await stopSurroundings(workspace);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Story = Awaited<ReturnType<typeof setStory>>;

/** Runs it, and sees that it went as the example tells it, to the end. Gives what happened. */
export async function tell(story: Story, ...args: readonly string[]): Promise<readonly RunEvent[]> {
  const { code, output } = await story.loopdash("batch.example.json", "--json", ...args);
  expect(code, output.slice(-3_000)).toBe(0);
  const events = output.split("\n").flatMap((line): RunEvent[] => (line.startsWith("{") ? [JSON.parse(line) as RunEvent] : []));
  const byType = <T extends RunEvent["type"]>(type: T) =>
    events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

  const report = JSON.parse((await story.loopdash("report", "--json")).output) as RunReport;
  expect(report).toMatchObject({ verdict: "done", exitCode: 0, interventions: { total: 2, byClass: { I6: 1, I7: 1 } } });
  expect(report.tickets).toHaveLength(13);
  expect(report.tickets.filter(({ state }) => state === "done")).toHaveLength(11);
  expect(report.tickets.flatMap(({ id, state, humanStep }) => (state === "human-gated" ? [[id, humanStep]] : []))).toEqual([
    ["SHOP-5", "Sign the provider's contract and put the key into SHOP_PAYMENT_KEY of prod"],
    ["INFRA-3", "In the registrar's console, set the A record of shop.example to 203.0.113.7"],
  ]);

  expect(
    byType("ticket-discovered")
      .map(({ discovered }) => discovered.id)
      .toSorted(),
  ).toEqual(["INFRA-2-d1", "INFRA-2-d2", "SHOP-5-d1"]);
  expect(
    byType("blocker-ruled")
      .map(({ ticket, upheld }) => `${ticket} ${upheld}`)
      .toSorted(),
  ).toEqual(["INFRA-3 true", "SHOP-4 false", "SHOP-5 true"]);
  // The scripted person closes a ticket that waits: no agent starts on it.
  expect(report.tickets.find(({ id }) => id === "SHOP-6")).toMatchObject({ state: "done", attempts: 0 });
  expect(byType("tracker-drifted")).toMatchObject([{ ticket: "SHOP-6", change: { kind: "closed" } }]);
  // The scripted person approves the change of the zone, which then goes on without an agent.
  expect(byType("approval-awaited")).toMatchObject([{ ticket: "INFRA-2", zones: ["templates/"], files: 1 }]);
  expect(byType("change-approved")).toMatchObject([{ ticket: "INFRA-2", commit: byType("approval-awaited")[0]?.commit }]);
  // VAT comes up late on prod: its live check is repeated twice, without an agent. The log never comes up on dev: it is reverted.
  const checks = (id: string) => byType("live-check-ended").flatMap(({ ticket, ok }) => (ticket === id ? [ok] : []));
  expect(checks("SHOP-3")).toEqual([false, true]);
  expect(report.tickets.find(({ id }) => id === "SHOP-3")).toMatchObject({ state: "done", attempts: 2 });
  expect(checks("INFRA-4")).toEqual([false, false]);
  expect(byType("revert-landed").map(({ ticket }) => ticket)).toEqual(["INFRA-4"]);
  expect(report.tickets.find(({ id }) => id === "INFRA-4")).toMatchObject({ state: "done", attempts: 2 });

  // Both repositories' first visit to prod finds it starting.
  expect(byType("step-retried").map(({ transient }) => transient)).toEqual(["service is starting", "service is starting"]);
  const refused = byType("attempt-ended").flatMap(({ ticket, evidence }) => (evidence?.step === "review" ? [ticket] : []));
  expect(refused.toSorted()).toEqual(["INFRA-1", "SHOP-2"]);

  for (const { id, state, mergedSha } of report.tickets) {
    const repo = join(story.workspace, id.startsWith("SHOP") ? "shop" : "infra");
    // Nothing was built for the ticket that the person closed; what was built for a gated one has landed too.
    if (id === "SHOP-6") expect(mergedSha).toBeNull();
    else expect(await git(repo, "merge-base", "--is-ancestor", mergedSha ?? "", "main"), `${id} ${state}`).toBe("");
  }
  for (const repo of ["shop", "infra"]) expect(await git(join(story.workspace, repo), "status", "--porcelain")).toBe("");
  return events;
}

/**
 * The stop guard told one agent what it had left red; another one that went in circles was ended, and its next attempt stepped back. So it is
 * with the example's agent, which asks the stop guard and prints what it does itself.
 */
export function expectGuidance(events: readonly RunEvent[]): void {
  const told = events.flatMap((event) => (event.type === "stop-guard-told" ? [event] : []));
  expect(told).toMatchObject([{ ticket: "SHOP-1", n: 1 }]);
  const remedied = events.flatMap((event) => (event.type === "remediated" ? [event] : []));
  expect(remedied).toMatchObject([{ ticket: "SHOP-2", gate: "momentum", action: "step-back", from: { attempt: 1 } }]);
  const shop2 = events.flatMap((event) => (event.type === "attempt-ended" && event.ticket === "SHOP-2" ? [event.outcome] : []));
  expect(shop2).toEqual(["failed", "failed", "done"]);
}
