import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

/** Two batches over two repositories, whose agents work alone on one name until a file is there. */
function twoBatches(stage: Stage): readonly [string, string] {
  const name = `staging ${stage.root.slice(-6)}`;
  stage.agent(`
    fs.writeFileSync("${stage.path("BEGAN-")}" + ticket, "");
    while (!fs.existsSync("${stage.path("GO-")}" + ticket)) await wait(20);
    ${HONEST}`);
  const [first, second] = ["A", "B"].map((id) => {
    stage.repo(id);
    const batch = stage.batch([{ id: `${id}-1`, exclusive: [name] }], { name: id, repos: { app: { path: id } } });
    return stage.write(`${id}.json`, readFileSync(batch, "utf8"));
  });
  return [first ?? "", second ?? ""];
}

test.each(["SIGINT", "SIGKILL"] as const)("a name is held across runs, until its run's end or its %s", async (signal) => {
  using stage = new Stage();
  const [a, b] = twoBatches(stage);
  const first = stage.start([a, "--headless"]);
  await first.until(/A-1.*attempt 1 begins/);
  const second = stage.start([b, "--headless"], { LOOPDASH_HOME: stage.path("other home") });
  await second.until(/B-1.*waits: staging .* is held by the run A-\d{8}-[0-9a-f]{4}/);
  const status = await stage.run(["status"], { LOOPDASH_HOME: stage.path("other home") });
  expect(status.stdout).toMatch(/B-1 {2}staging .* is held by the run A-/);
  expect(existsSync(stage.path("BEGAN-B-1"))).toBe(false);
  stage.write("GO-B-1", "");
  first.child.kill(signal);
  await first.ended;
  const { code, stdout } = await second.ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/is free again/);
  expect(stdout.match(/attempt \d+ begins/g)).toEqual(["attempt 1 begins"]);
  expect(stage.landed("B")).toEqual(["B-1"]);
});
