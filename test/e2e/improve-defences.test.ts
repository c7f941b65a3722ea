import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aGoal, FINDING, improve, MENDED, onMain } from "./improve-goal.ts";

describe("what an agent cannot make count", () => {
  test("a case that is a link, so that another file is loaded than the one that was shown", async () => {
    using stage = aGoal({
      mender: `copy(); fs.rmSync(path); fs.mkdirSync("guards/sub/guards", { recursive: true });
fs.writeFileSync("guards/sub/c.mjs", check); fs.writeFileSync("guards/guards.mjs", ""); fs.symlinkSync("../guards/sub/c.mjs", path);`,
    });
    const { stdout } = await improve(stage, "--once");
    expect(stdout).toMatch(/iteration 1: .* dropped .*case unchanged/);
    expect(onMain(stage, "guards/block.mjs")).toContain("rm -rf /");
  });

  test("a case that fails once and passes from then on, though nothing was mended", async () => {
    const flag = join(tmpdir(), `loopdash-once-${process.pid}`);
    const check = `import fs from "node:fs";
const seen = fs.existsSync(${JSON.stringify(flag)});
fs.writeFileSync(${JSON.stringify(flag)}, "");
process.exit(seen ? 0 : 1);
`;
    using stage = aGoal({
      check,
      mender: `copy(); fs.appendFileSync("guards/block.mjs", "export const touched = true;");`,
      shown: "process.exit(0);",
    });
    const { stdout } = await improve(stage, "--once");
    rmSync(flag, { force: true });
    expect(stdout).toMatch(/iteration 1: .* dropped .*passes on the base too/);
  });

  test("a repair that undoes an earlier one", async () => {
    const findings = [FINDING, { ...FINDING, kind: "too much", title: "ls is blocked" }];
    using stage = aGoal({
      findings,
      mender: `copy(); fs.writeFileSync("guards/block.mjs", ticket.includes("-1-") ? mended : "export const isBlocked = () => false;");`,
    });
    expect((await improve(stage, "--once")).stdout).toContain(" held ");
    const check = `import { isBlocked } from "../guards/block.mjs"; process.exit(isBlocked("rm -rf /") ? 1 : 0);`;
    stage.write("script.json", JSON.stringify({ findings, check, mended: MENDED }));
    expect((await improve(stage, "--once")).stdout).toMatch(/iteration 2: .* dropped .*kept 1/);
  });
});
