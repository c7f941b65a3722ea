import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FORGE_PARTS, openForgeWorld } from "../../example/forge-world.ts";
import { copyExample, setUpExample, startSurroundings, stopSurroundings } from "../../example/setup.ts";
import type { RunReport } from "../../src/domain/results/report.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { ForgeStory } from "./forge-story.ts";
import { ended, git } from "./stage.ts";
import { expectGuidance } from "./story-stage.ts";

const PROGRAM = resolve(import.meta.dirname, "../../dist/loopdash.js");

/** Runs the example by pull requests to its end. Gives what the journal, the report and the stand-in say of it. */
async function tellStory() {
  const folder = await mkdtemp(join(tmpdir(), "loopdash-forge-story-"));
  const workspace = await copyExample(folder);
  await setUpExample(workspace, FORGE_PARTS);
  await startSurroundings(workspace);
  const { standIn, batch, env, ...world } = await openForgeWorld(dirname(workspace));
  onTestFinished(async () => {
    await stopSurroundings(workspace);
    await world[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const home = join(folder, "home");
  const own = { PATH: process.env["PATH"] ?? "", HOME: home, LOOPDASH_HOME: home, ...env };
  const loopdash = (...args: string[]) => ended(spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env: own }));
  const { code, output } = await loopdash(batch, "--json");
  expect(code, output.slice(-4_000)).toBe(0);
  const events = output.split("\n").flatMap((line): RunEvent[] => (line.startsWith("{") ? [JSON.parse(line) as RunEvent] : []));
  const report = JSON.parse((await loopdash("report", "--json")).output) as RunReport;
  const [triage = "none"] = globSync("runs/*/tickets/SHOP-7/attempt-1/triage.json", { cwd: home });
  return {
    workspace,
    report,
    standIn,
    events,
    story: new ForgeStory(standIn, events),
    flakyTriage: () => JSON.parse(readFileSync(join(home, triage), "utf8")),
  };
}

test("the example by pull requests: a red check, a lost machine, a flaky test, a merge queue, a bot's thread, a person's comment", {
  timeout: 900_000,
}, async () => {
  const { workspace, report, standIn, events, story, flakyTriage } = await tellStory();
  expect(report).toMatchObject({ verdict: "done", exitCode: 0, interventions: { total: 2, byClass: { I2: 1, I7: 1 } } });
  const found = story.of("ticket-discovered").map(({ discovered }) => discovered.id);
  expect(found.toSorted()).toEqual(["INFRA-2-d1", "INFRA-2-d2", "SHOP-5-d1"]);
  expect(report.tickets).toHaveLength(11 + found.length);
  expect(report.tickets.flatMap(({ id, state }) => (state === "human-gated" ? [id] : []))).toEqual(["SHOP-5", "INFRA-3"]);
  expect(story.of("revert-intended")).toEqual([]);
  expectGuidance(events);

  // One merged pull request for each ticket but the one that a person has closed.
  const shipped = report.tickets.map(({ id }) => id).filter((id) => id !== "SHOP-6");
  expect(story.pulls.map(({ ticket }) => ticket).toSorted()).toEqual(shipped.toSorted());
  for (const { repo, ticket, pull } of story.pulls) {
    expect(pull.mergedAt, ticket).not.toBeNull();
    // Each merged commit had all required checks, and the journal has asked for its merge.
    expect(story.results(repo, pull.headSha), ticket).toMatchObject({ tests: "success", smoke: "success" });
    const asked = story.of("pull-request-merging").filter((event) => event.ticket === ticket);
    expect(
      asked.map(({ head }) => head),
      ticket,
    ).toContain(pull.headSha);
  }
  for (const name of ["shop", "infra"]) {
    const there = join(standIn.forge.root, "example", `${name}.git`);
    const main = await git(join(workspace, name), "rev-parse", "main");
    expect(await git(there, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")).toBe(`refs/heads/main ${main}`);
  }

  // A red required check, which the next attempt mends: dev would have shown it only after the landing.
  expect(story.evidenceOf("INFRA-4")).toEqual([expect.stringMatching(/^failed on #\d+: smoke$/)]);
  const red = story.of("pull-request-read").find(({ ticket, checks }) => ticket === "INFRA-4" && checks.some(isRed));
  expect(red?.checks.find(isRed)).toMatchObject({ name: "smoke", isRequired: true });
  const [first, ...later] = story.headsOf("INFRA-4");
  expect(story.results("example/infra", first ?? "")).toMatchObject({ smoke: "failure" });
  expect(later).toContain(story.pullOf("INFRA-4").headSha);

  // A lost machine, and a flaky test: each job runs once more, by its name, without an agent.
  expect(story.of("pull-request-rerun").toSorted((a, b) => a.ticket.localeCompare(b.ticket))).toMatchObject([
    { ticket: "INFRA-1", names: ["tests"], category: "infrastructure" },
    { ticket: "SHOP-7", names: ["tests"], category: "flaky" },
  ]);
  const { headSha: flaky } = story.pullOf("SHOP-7");
  expect(story.headsOf("SHOP-7")).toEqual([flaky]);
  expect(story.outcomes("example/shop", flaky)).toEqual({ tests: ["failure", "success"], smoke: ["success"] });
  const base = await git(join(standIn.forge.root, "example", "shop.git"), "rev-parse", `${flaky}^`);
  expect(story.outcomes("example/shop", base)).toEqual({ tests: ["failure", "success"] });
  expect(flakyTriage()).toMatchObject({
    stopReason: "flaky",
    findings: [{ category: "flaky", test: expect.stringContaining("prices ten thousand carts within two seconds") }],
  });
  expect(report.tickets.find(({ id }) => id === "SHOP-7")).toMatchObject({ state: "done", attempts: 1 });

  // The merge queue: what landed in infra is the commit of its group, whose checks have passed.
  const queued = story.pulls.filter(({ repo }) => repo === "example/infra");
  for (const { ticket, pull } of queued) {
    expect(story.eventsOn("example/infra", pull.mergeSha ?? ""), ticket).toEqual(["merge_group"]);
    expect(story.results("example/infra", pull.mergeSha ?? ""), ticket).toEqual({ tests: "success", smoke: "success" });
  }
  expect(story.of("pull-request-read").some(({ queuePosition }) => queuePosition !== undefined)).toBe(true);

  // A bot's thread and a person's comment: agents get the words, and the bot's thread is answered and resolved.
  expect(story.of("pull-request-words").toSorted((a, b) => a.ticket.localeCompare(b.ticket))).toMatchObject([
    { ticket: "SHOP-1", people: 0 },
    { ticket: "SHOP-5-d1", people: 1 },
  ]);
  const answer = { author: "loopdash", body: expect.stringContaining(story.pullOf("SHOP-1").headSha) };
  expect(story.pullOf("SHOP-1").threads).toMatchObject([{ isResolved: true, comments: [{ author: "review-bot[bot]" }, answer] }]);
  expect(story.evidenceOf("SHOP-5-d1")).toEqual([expect.stringMatching(/^ann asked for changes on #\d+$/)]);
  expect(story.commentsOn("SHOP-5-d1")).toMatchObject([{ author: "ann" }]);
  expect(await git(join(workspace, "shop"), "show", "main:src/receipt.js")).toContain("export const WIDTH");
  expect(standIn.mistakes).toEqual([]);
});

function isRed({ state }: { readonly state: string }): boolean {
  return state === "failed";
}
