import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Stage } from "./stage.ts";

const BOUND = `# BOUND

## DANGER ZONES
- \`src/payments/\`: money moves here

## NEVER DO
- Never log a card number.

## IRON LAWS
- \`test -f src/payments/amount.txt\`: the amount stays
`;

const FILES = { "README.md": "# test\n", "BOUND.md": BOUND, "src/payments/amount.txt": "1\n", "src/other.txt": "x\n" };

/** A repository with rules on main, and a branch `work` that is checked out. */
function begun(files: Readonly<Record<string, string>> = FILES): Stage {
  const stage = new Stage();
  stage.repo("app", files);
  stage.git("app", "switch", "-q", "-c", "work");
  return stage;
}

const bound = (stage: Stage, ...args: string[]) => stage.run(["bound", ...args, "--repo", "app"]);

describe("loopdash bound show", { timeout: 60_000 }, () => {
  test("lists every rule with how hard it holds and why", async () => {
    using stage = begun();
    const { code, stdout, stderr } = await bound(stage, "show");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^BOUND\.md on main: 1 zone, 1 never do, 1 iron law/);
    expect(stdout).toMatch(/1 enforced +rules +BOUND\.md/);
    expect(stdout).toMatch(/1 enforced +zone +src\/payments\/: money moves here\n +the engine lands no change .*BOUND\.md:4/);
    expect(stdout).toMatch(/2 checked +iron law +the amount stays/);
    expect(stdout).toMatch(/4 only told +never do +Never log a card number\.\n.*there is no reviewer/);
  });

  test("with a batch, tiers follow from its reviewer, its sandbox and its finish lines", async () => {
    using stage = begun();
    stage.agent("");
    const reviewer = { kind: "command", command: [process.execPath, "reviewer.mjs"] };
    stage.write("reviewer.mjs", "");
    const own = { id: "T-2", finish: [{ step: "gates" }, { step: "merge" }] };
    const over = { reviewer, bound: { zones: "read-only", dangerZones: ["infra/"], ironLaws: ["Names stay."] } };
    const rules = async (tickets: readonly (string | object)[], more: object = {}) => {
      const file = stage.batch(tickets as string[], { ...over, ...more });
      const { code, stdout, stderr } = await stage.run(["bound", "show", "--batch", file, "--json"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const { repos } = JSON.parse(stdout) as {
        repos: { rules: { kind: string; rule: string; tier: number; because: string }[] }[];
      };
      return repos[0]?.rules ?? [];
    };
    const tiers = (all: Awaited<ReturnType<typeof rules>>) => all.map(({ kind, tier }) => `${kind} ${tier}`);
    expect(tiers(await rules(["T-1"]))).toEqual(["rules 1", "zone 1", "zone 1", "never do 3", "iron law 2", "iron law 3"]);
    const mixed = await rules(["T-1", own]);
    expect(tiers(mixed)).toEqual(["rules 1", "zone 1", "zone 1", "never do 4", "iron law 2", "iron law 4"]);
    expect(mixed[3]?.because).toContain("T-2");
    expect((await rules(["T-1"]))[1]?.because).toContain("without a sandbox");
    expect((await rules(["T-1"], { sandbox: "required" }))[1]?.because).toContain("mounts it read-only");
  });

  test("reads the base, never the checkout", async () => {
    using stage = begun();
    stage.write("app/BOUND.md", "## DANGER ZONES\n");
    expect((await bound(stage, "show")).code).toBe(0);
    stage.git("app", "commit", "-q", "-am", "bad rules");
    const { code, stderr } = await bound(stage, "show", "--base", "work");
    expect(code).toBe(2);
    expect(stderr).toContain("BOUND.md on work is not valid (1 problem)");
    expect(stderr).toContain("BOUND.md:1  the section is empty; add a rule, or remove the heading");
  });

  test("says that there never were rules", async () => {
    using stage = begun({ "README.md": "x" });
    expect((await bound(stage, "show")).stdout).toContain("main has no BOUND.md and never had one");
  });

  test("another spelling of the name is an error, as another machine would read it", async () => {
    using stage = begun({ "README.md": "x", "bound.md": BOUND });
    const { code, stderr } = await bound(stage, "show");
    expect(code).toBe(2);
    expect(stderr).toContain('the name "bound.md" is another spelling of it; name the file BOUND.md');
  });
});

describe("loopdash bound check", { timeout: 60_000 }, () => {
  test("a change beside the zones keeps to the rules, and its laws hold", async () => {
    using stage = begun();
    stage.write("app/src/other.txt", "y\n");
    const { code, stdout } = await bound(stage, "check");
    expect(stdout).toContain("iron-law-1 holds: the amount stays");
    expect(stdout).toContain("the checkout keeps to the rules");
    expect(code).toBe(0);
  });

  test.for<[what: string, change: (stage: Stage) => void]>([
    ["an edit that is not committed", (stage) => stage.write("app/src/payments/amount.txt", "2\n")],
    ["a file that git does not know yet", (stage) => stage.write("app/src/payments/new.txt", "2\n")],
    ["a rename out of the zone, in the index", (stage) => stage.git("app", "mv", "-k", "src/payments/amount.txt", "moved.txt")],
  ])("%s is told with its zone and its path", async ([, change]) => {
    using stage = begun();
    change(stage);
    const { code, stdout } = await bound(stage, "check");
    expect(stdout).toMatch(/zone src\/payments\/ is touched; a person has to approve that \(BOUND\.md:4: money moves here\)/);
    expect(stdout).toMatch(/^ {2}src\/payments\//m);
    expect(code).toBe(1);
  });

  test("a commit is checked as it is committed, and an iron law that fails is told with its exit code", async () => {
    using stage = begun();
    stage.git("app", "rm", "-q", "src/payments/amount.txt");
    stage.git("app", "commit", "-q", "-m", "gone");
    stage.write("app/src/payments/amount.txt", "1\n");
    const { code, stdout } = await bound(stage, "check", "work", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      base: "main",
      of: "work",
      rules: "kept",
      zones: [{ zone: { path: "src/payments/" }, paths: [{ path: "src/payments/amount.txt", how: "deleted" }] }],
      laws: [{ name: "iron-law-1", result: "fails", why: "test -f src/payments/amount.txt: exit 1" }],
      ok: false,
    });
    expect(code).toBe(1);
  });

  test("tells rules that were lost from rules that never were", async () => {
    using stage = begun();
    stage.git("app", "rm", "-q", "BOUND.md");
    const lost = await bound(stage, "check");
    expect(lost.stdout).toContain("the checkout loses BOUND.md, which is on the base: no run lands that");
    expect(lost.code).toBe(1);
    using other = begun({ "README.md": "x" });
    const never = await bound(other, "check");
    expect(never.stdout).toContain("main has no BOUND.md and never had one");
    expect(never.code).toBe(0);
  });

  test("rules that the change weakens count as they are on the base", async () => {
    using stage = begun();
    stage.write("app/BOUND.md", "## NEVER DO\n- Never.\n");
    stage.write("app/src/payments/amount.txt", "2\n");
    const { code, stdout } = await bound(stage, "check");
    expect(stdout).toContain("the checkout changes BOUND.md: no run lands that; a person commits it");
    expect(stdout).toContain("zone src/payments/ is touched");
    expect(code).toBe(1);
  });
});

describe("loopdash bound suggest", { timeout: 60_000 }, () => {
  /** A history with an incident, a revert and owners. */
  function past(): Stage {
    const stage = new Stage();
    stage.repo("app", { "README.md": "x", CODEOWNERS: "* @all\n/infra/ @ops # they\n", "infra/main.tf": "1", "src/a.txt": "1" });
    const commit = (file: string, text: string, message: string) => {
      stage.write(`app/${file}`, text);
      stage.git("app", "add", "-A");
      stage.git("app", "commit", "-q", "-m", message);
    };
    commit("src/billing/pay.txt", "1", "feat: pay");
    commit("src/billing/pay.txt", "2", "hotfix: charged twice");
    commit("src/billing/pay.txt", "1", 'Revert "hotfix"');
    commit("src/a.txt", "2", "docs: nothing");
    return stage;
  }

  test("names zones with the evidence for each, and writes nothing", async () => {
    using stage = past();
    const { code, stdout } = await bound(stage, "suggest");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      / 1 {2}src\/billing\/\n +1 revert \([0-9a-f]{9}\)\n +1 incident \([0-9a-f]{9}\)\n 2 {2}infra\/\n +CODEOWNERS line 2: @ops/,
    );
    expect(stdout).not.toContain("src/\n");
    expect(existsSync(stage.path("app/BOUND.md"))).toBe(false);
  });

  test("writes what a person accepts, and not the rest", async () => {
    using stage = past();
    const { code, stdout } = await bound(stage, "suggest", "--accept", "2");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "BOUND.md has 1 new zone: infra/\nCommit it on main: it counts from there.\n",
    });
    expect(readFileSync(stage.path("app/BOUND.md"), "utf8")).toBe(
      "# BOUND\n\n## DANGER ZONES\n\n- `infra/`: CODEOWNERS line 2: @ops\n",
    );
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-q", "-m", "rules");
    expect((await bound(stage, "suggest")).stdout).not.toContain("infra/");
    await bound(stage, "suggest", "--accept", "1");
    expect((await bound(stage, "check")).stdout).toContain("changes BOUND.md");
    expect(readFileSync(stage.path("app/BOUND.md"), "utf8").split("\n").slice(2)).toEqual([
      "## DANGER ZONES",
      "",
      "- `infra/`: CODEOWNERS line 2: @ops",
      "- `src/billing/`: 1 revert; 1 incident",
      "",
    ]);
  });

  test("a number that no suggestion has is refused, and nothing is written", async () => {
    using stage = past();
    const { code, stderr } = await bound(stage, "suggest", "--accept", "1", "9");
    expect(code).toBe(2);
    expect(stderr).toContain("there is no suggestion 9");
    expect(existsSync(stage.path("app/BOUND.md"))).toBe(false);
  });
});

describe("loopdash bound", () => {
  test.for<[args: string[], why: string]>([
    [["bound"], "loopdash bound does show, check, suggest, approve"],
    [["bound", "shwo"], '"shwo" is none of them'],
    [["bound", "show", "x"], "loopdash bound show takes 0 words"],
    [["bound", "approve", "run"], "loopdash bound approve lacks its ticket"],
    [["bound", "suggest", "--accept", "x"], "--accept takes the numbers of suggestions"],
    [["bound", "show", "--repo", "/"], "/ is in no git repository"],
  ])("%s: exit 2", async ([args, why]) => {
    using stage = new Stage();
    const { code, stderr } = await stage.run(args);
    expect({ code, told: stderr.includes(why) ? why : stderr }).toEqual({ code: 2, told: why });
  });
});
