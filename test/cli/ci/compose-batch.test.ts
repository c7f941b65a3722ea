import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { composeBatch, preparationIn } from "../../../src/cli/ci/compose-batch.ts";
import type { CiTarget } from "../../../src/cli/ci/find-target.ts";
import type { CiFlags } from "../../../src/cli/ci/flags.ts";
import { type CiPlan, planLines } from "../../../src/cli/ci/plan.ts";
import { preparationOf } from "../../../src/cli/init/prepare-commands.ts";
import { BoundSpec } from "../../../src/domain/batch/bound-spec.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { batchFile } from "../support.ts";

const folder = scratchFolder();
const MANIFEST = JSON.stringify({ dependencies: { left: "1" } });
const FLAGS: CiFlags = { target: "work", repo: ".", agent: "/bin/true", maxIterations: 3, maxMinutes: 5, fixMode: "safe" };

/** The branch that a loop works on, with these files. */
function targetOf(files: Readonly<Record<string, string>>, path = "/app"): CiTarget {
  const preparation = preparationOf(new Map(Object.entries(files)));
  const repository = { name: "app", path, base: "work", remote: undefined, preparation, test: undefined };
  const token = { get: () => Promise.resolve("t"), renew: () => Promise.resolve("t") };
  const place = { fullName: "acme/app", baseUrl: undefined, token };
  return { branch: "work", tip: "a".repeat(40), repository, ...place };
}

/** The batch of a loop over a branch with these files, without a batch file. */
function composed(files: Readonly<Record<string, string>>) {
  return composeBatch(targetOf(files), FLAGS, { cwd: "/", env: { PATH: "/bin" }, tell: () => undefined });
}

describe("the hosts that a branch has opened for its packages", () => {
  test.each(["169.254.169.254:80", "127.0.0.1:2375", "10.0.0.5", "evil.example", "registry.npmjs.org:8443"])(
    "are never %s: nobody has read its .npmrc",
    async (host) => {
      const asked = composed({ "package.json": MANIFEST, ".npmrc": `registry=https://${host}/\n` });
      await expect(asked).rejects.toMatchObject({
        what: "loopdash ci cannot start",
        why: `the branch installs from ${host}, which nobody has opened`,
        exitCode: 4,
      });
    },
  );

  test("are the public registries, and a plan names them and the commands", async () => {
    const ignore = { ".gitignore": "node_modules\npackage-lock.json\n.venv\n" };
    const files = {
      ...ignore,
      "package.json": MANIFEST,
      ".npmrc": "registry=https://registry.npmjs.org/\n",
      "requirements.txt": "",
    };
    const { prepare, hosts } = preparationIn(await composed(files));
    expect(hosts).toEqual(["registry.npmjs.org", "pypi.org", "files.pythonhosted.org"]);
    const plan: CiPlan = {
      ...{ branch: "work", repo: "acme/app", headSha: "a".repeat(40), pullRequest: null, checks: [], triage: null, fixers: [] },
      ...{ prepare, prepareHosts: hosts, agent: "x", maxIterations: 3, maxMinutes: 5, fixMode: "safe", resumes: null },
    };
    expect(planLines(plan)).toContain("to make a checkout ready: npm install");
    expect(planLines(plan)).toContain("hosts that this may reach: registry.npmjs.org, pypi.org, files.pythonhosted.org");
  });
});

describe("a branch whose .gitignore does not name what prepare makes", () => {
  const files = { "requirements.txt": "six\n", ".gitignore": "# .venv\n*.pyc\n" };

  test("is refused: the packages would be pushed", async () => {
    await expect(composed(files)).rejects.toMatchObject({
      what: "loopdash ci cannot start",
      why: "git does not ignore .venv on work, which the prepare commands make: the files would be pushed",
      todo: "Add .venv to .gitignore on that branch, and push it, or name other prepare commands in a batch (--batch).",
      exitCode: 4,
    });
  });

  test("is refused with the prepare commands of a batch file too, and not if these make nothing of that kind", async () => {
    const root = realpathSync(folder());
    mkdirSync(join(root, "app"));
    const withPrepare = async (prepare: readonly (readonly string[])[]) => {
      const file = join(root, "batch.json");
      writeFileSync(file, JSON.stringify(batchFile({ repos: { app: { path: "app", prepare } } })));
      return composeBatch(
        targetOf(files, join(root, "app")),
        { ...FLAGS, batch: file },
        { cwd: root, env: {}, tell: () => undefined },
      );
    };
    await expect(withPrepare([["python3", "-m", "venv", "env"]])).rejects.toMatchObject({
      why: "git does not ignore env on work, which the prepare commands make: the files would be pushed",
      todo: "Add env to .gitignore on that branch, and push it.",
      exitCode: 4,
    });
    expect(await withPrepare([["make", "ready"]])).toMatchObject({ repos: { app: { prepare: [["make", "ready"]] } } });
  });

  test("is not refused if the loop only reports, or if it is ignored", async () => {
    const report = { ...FLAGS, fixMode: "report-only" as const };
    const where = { cwd: "/", env: { PATH: "/bin" }, tell: () => undefined };
    expect(await composeBatch(targetOf(files), report, where)).toMatchObject({ name: "ci work" });
    expect(await composed({ ...files, ".gitignore": "/.venv/\n" })).toMatchObject({ name: "ci work" });
  });
});

test("check steps of a batch file are left out, and a person is told so", async () => {
  const root = realpathSync(folder());
  mkdirSync(join(root, "app"));
  const steps = [{ step: "gates" }, { step: "check", name: "unit", command: ["npm", "test"] }, { step: "merge" }];
  const file = join(root, "b.json");
  writeFileSync(file, JSON.stringify(batchFile({ finish: steps, repos: { app: { path: join(root, "app"), base: "work" } } })));
  const told: string[] = [];
  const how = { cwd: root, env: { PATH: "/bin" }, tell: (line: string) => void told.push(line) };
  const { finish } = await composeBatch(targetOf({}, join(root, "app")), { ...FLAGS, batch: file }, how);
  expect(finish).toEqual([{ step: "gates" }, { step: "merge" }]);
  expect(told).toEqual(["left out: unit of the batch's finish line; the checks at GitHub judge instead"]);
});

test("the boundaries of a batch file hold in the loop, with its folder in their commands", async () => {
  const root = realpathSync(folder());
  mkdirSync(join(root, "app"));
  const file = join(root, "b.json");
  const bound = { zones: "read-only", dangerZones: ["pay/"], ironLaws: [{ command: ["{batch}/law.sh"] }] };
  writeFileSync(file, JSON.stringify(batchFile({ bound, repos: { app: { path: join(root, "app"), base: "work" } } })));
  const composed = await composeBatch(
    targetOf({}, join(root, "app")),
    { ...FLAGS, batch: file },
    { cwd: root, env: { PATH: "/bin" }, tell: () => undefined },
  );
  expect(composed["bound"]).toEqual({ ...bound, neverDo: [], ironLaws: [{ command: [`${root}/law.sh`] }] });
  expect(BoundSpec.parse(composed["bound"])).toEqual(composed["bound"]);
});
