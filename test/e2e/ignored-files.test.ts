import { expect, test } from "vitest";
import { Stage } from "./stage.ts";

test("prepare puts an ignored file of the batch's folder where agents and checks need it; it lands in no change and no log", {
  timeout: 300_000,
}, async () => {
  using stage = new Stage();
  stage.repo("app", { "README.md": "# test\n", ".gitignore": ".env\n" });
  stage.write("env.test", "TOKEN=of-the-tests-4711\n", 0o600);
  stage.agent('fs.writeFileSync("seen", String(fs.readFileSync(".env", "utf8").length));');
  const finish = [
    { step: "gates" },
    { step: "check", name: "env", command: ["grep", "-q", "^TOKEN=of-the-tests", ".env"] },
    { step: "merge" },
  ];
  const prepare = [["install", "-m", "600", "{batch}/env.test", ".env"]];
  const batch = stage.batch(["T-1"], { sandbox: "required", repos: { app: { path: "app", prepare } }, finish });
  const { code, stdout, stderr } = await stage.start([batch, "--headless"]).ended;
  expect(code, stdout + stderr).toBe(0);
  expect(stage.git("app", "show", "main:seen")).toBe("24");
  expect(stage.git("app", "ls-tree", "--name-only", "-r", "main")).not.toContain(".env");
  expect(stdout + stderr).not.toContain("4711");
});
