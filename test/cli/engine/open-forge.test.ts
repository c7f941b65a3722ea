import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRepo } from "../../../src/adapters/vcs/repository/git-repo.ts";
import { openForge } from "../../../src/cli/engine/open-forge.ts";
import type { RunSecrets } from "../../../src/cli/engine/run-secrets.ts";
import { RepoId } from "../../../src/domain/values/ids.ts";
import type { SeedForge } from "../../stand-ins/github/forge/model.ts";
import { aStage, REPO } from "../../stand-ins/github/forge/stage.ts";

const SECRETS = { secrets: { get: async () => "token", renew: async () => "token" } } as unknown as RunSecrets;
const PROTECTED: SeedForge = { protection: { main: { contexts: ["tests"] } } };

/** A clone before a stand-in of GitHub, opened for pull requests. */
async function opened(seed: SeedForge, onBroken: "revert" | "freeze") {
  const github = await aStage(seed);
  const scratch = mkdtempSync(join(tmpdir(), "loopdash-open-forge-"));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const repo = await openRepo({ id: RepoId.parse("app"), path: github.clone, base: "main", scratch, env: process.env });
  const spec = { kind: "github", remote: "origin", repo: REPO, token: "T", baseUrl: github.standIn.enterpriseUrl } as const;
  return openForge(repo, { ...spec, approvals: "gate", appearMinutes: 10 }, SECRETS, { how: "look", onBroken });
}

describe("a start with pull requests", () => {
  test.each(["classic", "rules"] as const)(
    'is refused in one line if "onBroken" would push reverts to a base that takes none (%s)',
    async (source) => {
      const seed = { protection: { main: { source, contexts: ["tests"] } } };
      await expect(opened(seed, "revert")).rejects.toMatchObject({
        what: 'the changes of repository "app" cannot land on main',
        why: `"onBroken": "revert" pushes a revert to main, and rules of ${REPO} take changes by pull requests alone`,
        exitCode: 4,
      });
    },
  );

  test.each([
    ["a base without rules", {}, "revert"],
    ["another answer to broken bases", PROTECTED, "freeze"],
  ] as const)("goes on with %s", async (_what, seed, onBroken) => {
    expect((await opened(seed, onBroken)).pullRequests).toBeDefined();
  });
});
