import { kill } from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Evidence } from "../../src/domain/event.ts";
import { howItEnded } from "../../src/loop/steps/command-step.ts";
import { gates } from "../../src/loop/steps/gates.ts";
import { batch, changedPaths, ended, git, promptFor, run, type Stage, setStage } from "./stage.ts";

/** What the engine's own steps say of each first try that goes wrong. */
const EVIDENCE: Readonly<Record<string, Evidence>> = {
  "SHOP-3": refusal([]),
  "SHOP-4": refusal(["src/cart.js", "test/cart.test.js"]),
  "INFRA-2": {
    step: "check",
    name: "tests",
    summary: `node --test ${howItEnded({ ending: "exited", exitCode: 1, signal: null })}`,
    detail: "✖ leaves single braces alone (1.2ms)",
  },
  "INFRA-3": {
    step: "agent",
    name: "agent",
    summary: `the agent ${howItEnded({ ending: "silent", exitCode: null, signal: "SIGKILL" })}`,
    detail: "Server started (process 4711), waiting until it is ready",
  },
};

/** What the gates say of a change to these paths. Throws where they let it pass. */
function refusal(paths: readonly string[]): Evidence {
  const changed = paths.map((path) => ({ path, how: "modified", mode: "file" }) as const);
  const result = gates({ tip: "0".repeat(40), paths: changed, additions: 1, deletions: 1 }, batch.protect);
  if (result.ok) throw new Error(`the gates let ${paths.join(", ")} pass`);
  return result.evidence;
}

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("in the order of the graph, each on top of what it depends on", () => {
  const done = new Set<string>();
  test.each(batch.tickets.map((ticket) => ticket.id))("%s changes something that passes and merges", async (id) => {
    const ticket = batch.tickets.find((candidate) => candidate.id === id);
    const repo = ticket?.repo ?? "";
    expect(ticket?.dependsOn.filter((dep) => !done.has(dep))).toEqual([]);
    const worktree = await stage.worktree(repo, `walk-${id}`);

    const agent = await stage.agent(id, worktree, promptFor(id, EVIDENCE[id] === undefined ? [] : [EVIDENCE[id]]));

    expect(agent, agent.output).toMatchObject({ code: 0 });
    const paths = await changedPaths(worktree);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => /^(?:test|scripts|\.github)\//.test(path))).toEqual([]);
    const tests = await run(worktree, process.execPath, "--test");
    expect(tests, tests.output).toMatchObject({ code: 0 });
    expect(await run(worktree, process.execPath, "scripts/smoke.mjs")).toMatchObject({ code: 0 });
    if ((await git(worktree, "status", "--porcelain")) !== "") await git(worktree, "commit", "--quiet", "-m", id);
    await git(stage.repo(repo), "merge", "--quiet", "--ff-only", `walk-${id}`);
    done.add(id);
  });
});

describe("what goes wrong at first, goes wrong again without the evidence", () => {
  /** A try as if the engine had lost the evidence: the prompt of a first one. */
  const bare = async (id: string, tryName: string) => {
    await using own = await setStage();
    const repo = id.startsWith("SHOP") ? "shop" : "infra";
    const worktree = await own.worktree(repo, tryName);
    const agent = await own.agent(id, worktree, promptFor(id, []));
    expect(agent, agent.output).toMatchObject({ code: 0 });
    return { paths: await changedPaths(worktree), tests: await run(worktree, process.execPath, "--test") };
  };

  test("SHOP-3 claims to be done and changes nothing", async () => {
    expect((await bare("SHOP-3", "empty")).paths).toEqual([]);
  });

  test("SHOP-4 edits a protected test until everything passes", async () => {
    const { paths, tests } = await bare("SHOP-4", "protected");
    expect(paths).toContain("test/cart.test.js");
    expect(tests.code).toBe(0);
  });

  test("INFRA-2 breaks the test that its second try reads about", async () => {
    const { paths, tests } = await bare("INFRA-2", "broken");
    expect(paths.filter((path) => path.startsWith("test/"))).toEqual([]);
    expect(tests.code).not.toBe(0);
    expect(tests.output).toContain("leaves single braces alone");
  });

  test("INFRA-3 falls silent with a child at its side", async () => {
    await using own = await setStage();
    const worktree = await own.worktree("infra", "hang");
    // It builds on INFRA-1.
    await own.agent("INFRA-1", worktree, promptFor("INFRA-1", []));
    const child = await own.startAgent("INFRA-3", worktree, promptFor("INFRA-3", []));
    const end = ended(child);
    try {
      const pid = await new Promise<number>((found, failed) => {
        child.stdout?.on("data", (chunk) => {
          const match = /process (\d+)\), waiting/.exec(String(chunk));
          if (match !== null) found(Number(match[1]));
        });
        child.once("exit", () => failed(new Error("it ended instead of waiting")));
      });
      expect(kill(pid, 0)).toBe(true);
      expect(child.exitCode).toBeNull();
    } finally {
      kill(-(child.pid ?? Number.NaN), "SIGKILL");
    }
    expect((await end).output).toMatch(/waiting until it is ready\n$/);
  });
});

test("an agent that nobody gave a ticket says what it needs", async () => {
  const agent = await run(stage.repo("shop"), process.execPath, new URL("../../example/agent.mjs", import.meta.url).pathname);
  expect(agent).toEqual({
    code: 2,
    output: "This agent is started by loopdash: it needs LOOPDASH_TICKET and LOOPDASH_PROMPT.\n",
  });
});
