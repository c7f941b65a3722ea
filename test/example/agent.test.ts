import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { kill } from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BlockerClaim, Discovery } from "../../src/domain/outbox/schema.ts";
import type { Evidence } from "../../src/domain/run/attempt-fact.ts";
import { howItEnded } from "../../src/loop/programs/run-in.ts";
import { gates } from "../../src/loop/steps/gates.ts";
import { batch, changedPaths, ended, FOUND, git, outboxOf, promptFor, run, type Stage, setStage, ticketOf } from "./stage.ts";

/** What the engine's own steps say of each first try that goes wrong. */
const EVIDENCE: Readonly<Record<string, Evidence>> = {
  "SHOP-1": redTest("✖ never loses a cent (0.4ms)"),
  "SHOP-2": reviewed("src/coupon.js:8", "a coupon may be worth more than the cart"),
  "SHOP-3": refusal(["src/cart.js", "test/cart.test.js"]),
  "SHOP-4": { step: "blocker", name: "blocker", summary: "the claimed blocker is none: red tests", detail: "Mend them." },
  "INFRA-1": reviewed("src/environment.js:27", "text from outside is evaluated as code"),
  "INFRA-4": {
    step: "verify",
    name: "live (dev)",
    summary: "healthy is false, not true",
    detail: "TypeError: Cannot read properties of undefined (reading 'toLowerCase')",
  },
  "INFRA-2-d1": redTest("✖ leaves single braces alone (1.2ms)"),
  "INFRA-2-d2": {
    step: "agent",
    name: "agent",
    summary: `the agent ${howItEnded({ ending: "silent", exitCode: null, signal: "SIGKILL" })}`,
    detail: "Server started (process 4711), waiting until it is ready",
  },
};

/** What a check with a red test leaves. */
function redTest(detail: string): Evidence {
  const summary = `node --test ${howItEnded({ ending: "exited", exitCode: 1, signal: null })}`;
  return { step: "check", name: "tests", summary, detail };
}

/** What a review with one finding leaves. */
function reviewed(place: string, title: string): Evidence {
  return { step: "review", name: "review", summary: `1 finding: ${place} (high) ${title}`, detail: `${place} high: ${title}` };
}

/** An order in which each ticket stands after all that it builds on, also those that are found on the way. */
const ORDER = [
  ...["SHOP-1", "SHOP-2", "SHOP-3", "SHOP-4", "SHOP-5", "SHOP-5-d1", "SHOP-6"],
  ...["INFRA-1", "INFRA-2-d1", "INFRA-2-d2", "INFRA-2", "INFRA-3", "INFRA-4"],
];

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

const asked = (id: string): readonly Evidence[] => (EVIDENCE[id] === undefined ? [] : [EVIDENCE[id]]);

describe("in the order of the graph, each on top of what it depends on", () => {
  const done = new Set<string>();
  test.each(ORDER)("%s changes something that passes and merges", async (id) => {
    const { repo, dependsOn } = ticketOf(id);
    expect(dependsOn.filter((dep) => !done.has(dep))).toEqual([]);
    const worktree = await stage.worktree(repo, `walk-${id}`);

    const agent = await stage.agent(id, worktree, promptFor(id, asked(id)));

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

  test("SHOP-1 stops with a red test, of which nobody tells it here", async () => {
    const { tests } = await bare("SHOP-1", "cents");
    expect(tests.code).not.toBe(0);
    expect(tests.output).toContain("never loses a cent");
  });

  test("SHOP-2 looks for its code again and again where it is not, and goes on where it is", async () => {
    await using own = await setStage();
    const first = await own.worktree("shop", "cents");
    await own.agent("SHOP-1", first, promptFor("SHOP-1", asked("SHOP-1")));
    await git(own.repo("shop"), "merge", "--quiet", "--ff-only", "cents");

    const again = await own.worktree("shop", "circles");
    const { output } = await own.agent("SHOP-2", again, promptFor("SHOP-2", asked("SHOP-2")));
    expect(output.match(/"command":"cat src\/coupon\.js"/g)).toHaveLength(30);

    const kept = await own.worktree("shop", "kept");
    await own.agent("SHOP-2", kept, promptFor("SHOP-2", []));
    const mended = await own.agent("SHOP-2", kept, promptFor("SHOP-2", asked("SHOP-2")));
    expect(mended.output).not.toContain("cat src/coupon.js");
    expect(await readFile(join(kept, "src/coupon.js"), "utf8")).not.toContain("return value;");
    expect(await run(kept, process.execPath, "--test")).toMatchObject({ code: 0 });
  });

  test("SHOP-2 and INFRA-1 pass their tests with a defect in them, which the reviewer finds", async () => {
    for (const [id, file, defect] of [
      ["SHOP-2", "src/coupon.js", "return value;"],
      ["INFRA-1", "src/environment.js", "Function("],
    ] as const) {
      await using own = await setStage();
      if (id === "SHOP-2") {
        const first = await own.worktree("shop", "first");
        await own.agent("SHOP-1", first, promptFor("SHOP-1", asked("SHOP-1")));
        await git(own.repo("shop"), "merge", "--quiet", "--ff-only", "first");
      }
      const worktree = await own.worktree(id === "SHOP-2" ? "shop" : "infra", "defect");
      const agent = await own.agent(id, worktree, promptFor(id, []));
      expect(agent, agent.output).toMatchObject({ code: 0 });
      expect(await run(worktree, process.execPath, "--test")).toMatchObject({ code: 0 });
      expect(await readFile(join(worktree, file), "utf8")).toContain(defect);
    }
  });

  test("INFRA-4 passes its tests and does not start where LOG_LEVEL is not set", async () => {
    await using own = await setStage();
    const worktree = await own.worktree("infra", "log");
    expect(await own.agent("INFRA-4", worktree, promptFor("INFRA-4", []))).toMatchObject({ code: 0 });
    expect(await run(worktree, process.execPath, "--test")).toMatchObject({ code: 0 });
    const smoke = await run(worktree, process.execPath, "scripts/smoke.mjs");
    expect(smoke).toMatchObject({ code: 1, output: expect.stringContaining("toLowerCase") });
  });

  test("SHOP-3 edits a protected test until everything passes", async () => {
    const { paths, tests } = await bare("SHOP-3", "protected");
    expect(paths).toContain("test/cart.test.js");
    expect(tests.code).toBe(0);
  });

  test("SHOP-4 calls its own red test a blocker", async () => {
    await using own = await setStage();
    const worktree = await own.worktree("shop", "walls");
    for (const id of ["SHOP-1", "SHOP-2", "SHOP-3"]) await own.agent(id, worktree, promptFor(id, asked(id)));
    await own.agent("SHOP-4", worktree, promptFor("SHOP-4", []));
    const claim = BlockerClaim.parse(JSON.parse(await readFile(join(outboxOf(worktree), "blocker.json"), "utf8")));
    expect(claim.evidence).toMatchObject([{ command: ["node", "--test", "src/checkout.test.js"], exitCode: 1 }]);
  });

  test("INFRA-2 finds two tickets and changes nothing", async () => {
    await using own = await setStage();
    const worktree = await own.worktree("infra", "finds");
    expect(await own.agent("INFRA-2", worktree, promptFor("INFRA-2", []))).toMatchObject({ code: 0 });
    expect(await changedPaths(worktree)).toEqual([]);
    const folder = join(outboxOf(worktree), "discovered");
    const found = (await readdir(folder))
      .toSorted()
      .map(async (name) => Discovery.parse(JSON.parse(await readFile(join(folder, name), "utf8"))));
    expect((await Promise.all(found)).map(({ title, blocks }) => [title, blocks])).toEqual([
      [FOUND["INFRA-2-d1"]?.title, true],
      [FOUND["INFRA-2-d2"]?.title, true],
    ]);
  });

  test("INFRA-2-d1 breaks the test that its second try reads about", async () => {
    const { paths, tests } = await bare("INFRA-2-d1", "broken");
    expect(paths.filter((path) => path.startsWith("test/"))).toEqual([]);
    expect(tests.code).not.toBe(0);
    expect(tests.output).toContain("leaves single braces alone");
  });

  test("INFRA-2-d2 falls silent with a child at its side", async () => {
    await using own = await setStage();
    const worktree = await own.worktree("infra", "hang");
    // It builds on INFRA-1.
    await own.agent("INFRA-1", worktree, promptFor("INFRA-1", []));
    const child = await own.startAgent("INFRA-2-d2", worktree, promptFor("INFRA-2-d2", []));
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
    output: "This agent is started by loopdash: it needs LOOPDASH_TICKET, LOOPDASH_PROMPT and LOOPDASH_OUTBOX.\n",
  });
});
