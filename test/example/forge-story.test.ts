import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openForgeWorld } from "../../example/forge-world.ts";
import { copyExample, setUpExample, startSurroundings, stopSurroundings } from "../../example/setup.ts";
import type { RunReport } from "../../src/domain/results/report.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { issueOfPull } from "../stand-ins/github/forge/host.ts";
import { ended, git } from "./stage.ts";

const PROGRAM = resolve(import.meta.dirname, "../../dist/loopdash.js");

test("the example by pull requests: a red check, a lost machine, a merge queue, a bot's thread, a person's comment", {
  timeout: 900_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "loopdash-forge-story-"));
  const workspace = await copyExample(folder);
  await setUpExample(workspace);
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
  expect(report).toMatchObject({ verdict: "done", exitCode: 0 });
  expect(report.tickets).toHaveLength(13);
  expect(report.tickets.flatMap(({ id, state }) => (state === "human-gated" ? [id] : []))).toEqual(["SHOP-5", "INFRA-3"]);

  // One merged pull request for each ticket but the one that a person has closed.
  const repos = standIn.state.repos.map((repo) => ({ repo, pulls: repo.forge?.pulls ?? [] }));
  const landed = repos.flatMap(({ pulls }) =>
    pulls.map(({ headRef, mergedAt }) => [headRef.split("/").at(-1), mergedAt !== null]),
  );
  const shipped = report.tickets.map(({ id }) => id).filter((id) => id !== "SHOP-6");
  expect(Object.fromEntries(landed)).toEqual(Object.fromEntries(shipped.map((id) => [id, true])));
  expect(landed).toHaveLength(shipped.length);
  for (const { repo } of repos) {
    const [, name = ""] = repo.fullName.split("/");
    const there = await git(
      join(standIn.forge.root, `${repo.fullName}.git`),
      "for-each-ref",
      "--format=%(refname) %(objectname)",
      "refs/heads",
    );
    expect(there).toBe(`refs/heads/main ${await git(join(workspace, name), "rev-parse", "main")}`);
  }

  // INFRA-4 is red on the pull request, where dev would have shown it only after the landing.
  const evidenceOf = (ticket: string) =>
    events.flatMap((event) => (event.type === "step-ended" && !event.ok && event.ticket === ticket ? [event.summary] : []));
  expect(evidenceOf("INFRA-4")).toEqual([expect.stringMatching(/^failed on #\d+: smoke$/)]);
  expect(events.some(({ type }) => type === "revert-intended")).toBe(false);
  const reruns = events.flatMap((event) => (event.type === "pull-request-rerun" ? [event.names] : []));
  expect(reruns).toEqual([["tests"]]);
  const pullOf = (ticket: string) => {
    const found = repos.flatMap(({ repo, pulls }) => pulls.map((pull) => ({ repo, pull })));
    const own = found.find(({ pull }) => pull.headRef.endsWith(`/${ticket}`));
    if (own === undefined) throw new Error(`${ticket} has no pull request`);
    return { ...own.pull, comments: issueOfPull(own.repo, own.pull).comments };
  };
  expect(pullOf("SHOP-1").threads).toMatchObject([
    { isResolved: true, comments: [{ author: "review-bot[bot]" }, { author: "loopdash" }] },
  ]);
  expect(pullOf("SHOP-5-d1").comments).toMatchObject([{ author: "ann" }]);
  expect(await git(join(workspace, "shop"), "show", "main:src/receipt.js")).toContain("export const WIDTH");
  expect(standIn.mistakes).toEqual([]);
});
