import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { Stage } from "./stage.ts";

/** Stands for npm: it writes the list of what it installed, and a mark that no second run of it gives. */
const NPM = `#!${process.execPath}
const fs = require("node:fs");
const { dependencies } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const packages = Object.keys(dependencies).map((name) => ["node_modules/" + name, { hasInstallScript: name === "prisma" }]);
fs.mkdirSync("node_modules");
fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: Object.fromEntries(packages) }));
fs.writeFileSync("node_modules/made", String(process.hrtime.bigint()));
`;
const AGENT = `fs.writeFileSync(ticket + ".txt", String(process.hrtime.bigint()));`;

function stageOf(dependency: string) {
  const stage = new Stage();
  const manifest = JSON.stringify({ dependencies: { [dependency]: "*" } });
  stage.repo("app", { "package.json": manifest, ".gitignore": "node_modules\n" });
  stage.write("bin/npm", NPM, 0o755);
  stage.agent(AGENT);
  const finish = [{ step: "check", name: "look", command: ["cat", "node_modules/made"] }, { step: "merge" }];
  const app = { path: "app", prepare: [["{batch}/bin/npm", "install"]] };
  const tickets = ["T-1", "T-2"].map((id) => ({ id, finish }));
  return { stage, batch: stage.batch(tickets, { sandbox: "required", repos: { app }, limits: { workers: 1 } }) };
}

async function preparationsOf(stage: Stage, batch: string, ...args: string[]) {
  const { code, events, stdout } = await stage.events(batch, ...args);
  expect(code, stdout).toBe(0);
  type Prepared = Extract<RunEvent, { type: "prepared" }>;
  const prepared = events.filter((event): event is Prepared => event.type === "prepared");
  return prepared.map(({ name, reused, why, canNameInputs }) => ({ name, reused, why, canNameInputs }));
}

describe("an installation without a lockfile", () => {
  test("runs once for all worktrees and checks, also those of the next run on the same day", async () => {
    const { stage, batch } = stageOf("picomatch");
    using _ = stage;
    const first = await preparationsOf(stage, batch);
    expect(first.filter(({ reused }) => !reused)).toHaveLength(1);
    expect(first.length).toBeGreaterThanOrEqual(4);
    expect(first.filter(({ why }) => why !== undefined)).toEqual([]);
    const next = await preparationsOf(stage, batch, "--fresh");
    expect(next.filter(({ reused }) => !reused)).toEqual([]);
  });

  test("runs for each change, and says what would help, if a package has a script that may read any file", async () => {
    const { stage, batch } = stageOf("prisma");
    using _ = stage;
    const why = "npm has installed a package with an install script: prisma";
    const prepared = await preparationsOf(stage, batch);
    expect(prepared[0]).toEqual({ name: "worktree", reused: false, why, canNameInputs: undefined });
    expect(prepared.filter(({ name, canNameInputs }) => name === "look" && canNameInputs)).toContainEqual({
      ...{ name: "look", reused: false, why, canNameInputs: true },
    });
    const { stdout } = await stage.run([batch, "--headless", "--fresh"]);
    expect(stdout).toMatch(/look: prepared for itself alone \(.*; see "inputs"\)\n/);
    expect(stdout).toContain(`because ${why}\n`);
  });
});
