import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

const CHECK = { step: "check", name: "tests", command: ["test", "-f", "README.md"], canary: "off" };

describe("a verify outside the sandbox", { timeout: 300_000 }, () => {
  test("runs in a pristine checkout with the person's rights, alone, and everything says so", async () => {
    using stage = new Stage();
    const touch = (name: string) => `touch "${stage.path(name)}" 2>/dev/null || true\n`;
    stage.repo("app", { "README.md": "# test\n", ".gitignore": "prepared.txt\n" });
    stage.write("app/prepare.sh", `#!/bin/sh\n${touch("by-prepare")}echo yes > prepared.txt\n`, 0o755);
    stage.write("app/check.sh", `#!/bin/sh\n${touch("by-check")}`, 0o755);
    stage.git("app", "add", "-A");
    stage.git("app", "commit", "-q", "-m", "scripts");
    stage.agent(`${HONEST} try { fs.writeFileSync(process.env.HOME + "/by-agent", ""); } catch {}`);
    stage.write(
      "live/verify.sh",
      `#!/bin/sh\nset -e\ntest -f T-1.txt\ntest -f prepared.txt\n${touch("by-verify")}pwd > "${stage.path("where")}"\n`,
      0o755,
    );
    const batch = stage.batch(["T-1"], {
      sandbox: "required",
      repos: { app: { path: "app", prepare: [["./prepare.sh"]] } },
      finish: [
        { ...CHECK, command: ["./check.sh"] },
        { step: "merge" },
        { step: "verify", name: "live", environment: "dev", command: ["{batch}/live/verify.sh"], sandbox: "off" },
      ],
    });
    const plan = await stage.run([batch, "--dry-run"]);
    expect(plan.stdout).toContain("verify live (dev, unsandboxed)");
    expect(plan.stderr).toContain("finish[2].sandbox: what has landed runs here unsandboxed");
    const ended = await stage.run([batch, "--headless"]);
    expect(ended.code, ended.stdout).toBe(0);
    expect(ended.stdout).toContain("what has landed runs here unsandboxed");
    expect(ended.stdout).toContain("ran outside the sandbox, with your rights: verify live (dev, unsandboxed)");
    const left = ["by-agent", "by-prepare", "by-check", "by-verify"].filter((name) => existsSync(stage.path(name)));
    expect(left).toEqual(["by-verify"]);
    expect((await stage.report()).tickets[0]?.state).toBe("done");
    const { stdout } = await stage.run(["attach"]);
    expect(stdout).toContain("live (dev, unsandboxed)");
    expect(stage.git("app", "status", "--porcelain")).toBe("");
  });

  test("is the only step that can be", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    for (const step of [
      { ...CHECK, sandbox: "off" },
      { step: "adversary", sandbox: "off" },
      { step: "verify", command: ["true"], sandbox: "auto" },
    ]) {
      const { code, stderr } = await stage.run([stage.batch(["T-1"], { finish: [step, { step: "merge" }] }), "--dry-run"]);
      expect({ code, names: stderr.includes("sandbox") }).toEqual({ code: 2, names: true });
    }
  });

  test("is what a start proposes where a verify needs containers; a check is refused", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    const docker = stage.write("bin/docker", "#!/bin/sh\nexit 0\n", 0o755);
    const plan = (steps: readonly object[], over: object = {}) =>
      stage.run([stage.batch(["T-1"], { sandbox: "required", finish: steps, ...over }), "--dry-run"]);
    const verify = { step: "verify", command: [docker, "compose", "up"] };
    const refused = await plan([{ ...CHECK, command: [docker, "run", "x"] }, { step: "merge" }, verify]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(/finish\[0\].*docker cannot work in the sandbox.*only a verify can run outside/);
    expect(refused.stderr).toMatch(/finish\[2\].*docker cannot work in the sandbox.*set "sandbox": "off" on this verify/);
    expect((await plan([CHECK, { step: "merge" }, { ...verify, sandbox: "off" }])).code).toBe(0);
    const warned = await plan([{ ...CHECK, command: ["cat", "docker-compose.yml"] }, { step: "merge" }]);
    expect(warned).toMatchObject({ code: 0, stderr: expect.stringContaining("it names a compose file") });
    expect((await plan([{ ...CHECK, command: [docker] }, { step: "merge" }], { sandbox: "off" })).code).toBe(0);
  });
});
