import { describe, expect, test } from "vitest";
import { composeBatch, preparationIn } from "../../../src/cli/ci/compose-batch.ts";
import type { CiTarget } from "../../../src/cli/ci/find-target.ts";
import type { CiFlags } from "../../../src/cli/ci/flags.ts";
import { type CiPlan, planLines } from "../../../src/cli/ci/plan.ts";
import { preparationOf } from "../../../src/cli/init/prepare-commands.ts";

const MANIFEST = JSON.stringify({ dependencies: { left: "1" } });
const FLAGS: CiFlags = { target: "work", repo: ".", agent: "/bin/true", maxIterations: 3, maxMinutes: 5, fixMode: "safe" };

/** The batch of a loop over a branch with these files, without a batch file. */
function composed(files: Readonly<Record<string, string>>) {
  const preparation = preparationOf(new Map(Object.entries(files)));
  const repository = { name: "app", path: "/app", base: "work", remote: undefined, preparation, test: undefined };
  const place = { fullName: "acme/app", baseUrl: undefined, token: "t" };
  const target: CiTarget = { branch: "work", tip: "a".repeat(40), repository, ...place };
  return composeBatch(target, FLAGS, { cwd: "/", env: { PATH: "/bin" }, tell: () => undefined });
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
    const files = { "package.json": MANIFEST, ".npmrc": "registry=https://registry.npmjs.org/\n", "requirements.txt": "" };
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
