import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { Stage } from "./stage.ts";

const RUN = `import * as fs from "node:fs";
const ok = fs.existsSync("broken") ? "not ok" : "ok";
fs.writeFileSync(process.argv[2] + "/r.tap", "TAP version 13\\n" + ok + " 1 - works\\n1..1\\n");
process.exit(ok === "ok" ? 0 : 1);
`;
const CHECK = {
  ...{ step: "check", name: "tests", command: [process.execPath, "run.mjs", "{artifacts}"] },
  report: { format: "tap", path: "{artifacts}/r.tap" },
};

/** How often the base was measured. */
function measurements(events: readonly RunEvent[]): number {
  return events.filter((event) => event.type === "suite-ran" && event.purpose === "base").length;
}

test("what one run has measured of a base is known to the next one, but not what a candidate said of itself", async () => {
  using stage = new Stage();
  stage.repo("app", { "run.mjs": RUN });
  const more = { sandbox: "required", finish: [CHECK, { step: "merge" }], limits: { attempts: 1 } };
  const play = async (body: string, over: Record<string, unknown> = {}) => {
    stage.agent(body);
    const { code, events, stdout } = await stage.events(stage.batch(["T-1"], { ...more, ...over }), "--fresh");
    return { code, stdout, measured: measurements(events) };
  };
  const good = `fs.writeFileSync("work.txt", String(process.pid));`;
  expect(await play(`fs.writeFileSync("broken", "");`)).toMatchObject({ code: 1, measured: 1 });
  expect(statSync(join(stage.home, "results.key")).mode & 0o777).toBe(0o600);
  const listed = JSON.parse((await stage.run(["cache", "--json"])).stdout) as { kind: string; forEveryRun: boolean }[];
  expect(listed.filter(({ kind }) => kind === "result")).toMatchObject([{ name: "app, tests", forEveryRun: true }]);
  // Another environment.
  expect(await play(`fs.writeFileSync("broken", "");`, { sandbox: "off" })).toMatchObject({ measured: 1 });
  expect(await play(good)).toMatchObject({ code: 0, measured: 0 });
  // The base is now what the candidate was, and nobody has measured that.
  expect(await play(good)).toMatchObject({ code: 0, measured: 1 });
  expect((await stage.run(["cache", "--clear"])).stdout).toMatch(/^removed 0 preparations and [1-9]\d* results? of checks\n$/);
  expect((await stage.run(["cache"])).stdout).toContain("no result of a check is kept\n");
});

test("what a candidate said of itself is known to the next run once planted tests have shown that it is true", async () => {
  using stage = new Stage();
  const tests = `import test from "node:test";\nimport assert from "node:assert";\nimport { add } from "../src/add.mjs";\ntest("adds", () => assert.equal(add(1, 2), 3));\n`;
  stage.repo("app", { "src/add.mjs": "export const add = (a, b) => a + b;\n", "test/add.test.mjs": tests });
  const command = ["node", "--test", "--test-reporter=tap", "--test-reporter-destination={artifacts}/r.tap"];
  const finish = [{ ...CHECK, command }, { step: "merge" }];
  const play = async (body: string) => {
    stage.agent(body);
    const more = { sandbox: "required", finish, limits: { attempts: 1 } };
    const { code, events } = await stage.events(stage.batch(["T-1"], more), "--fresh");
    return { code, measured: measurements(events) };
  };
  const turned = (a: string, b: string) => `fs.writeFileSync("src/add.mjs", "export const add = (a, b) => ${a} + ${b};\\n");`;
  expect(await play(turned("b", "a"))).toEqual({ code: 0, measured: 1 });
  expect(await play(turned("a", "b"))).toEqual({ code: 0, measured: 0 });
});
