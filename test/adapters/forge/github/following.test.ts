import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createPushForge } from "../../../../src/adapters/forge/push-forge.ts";
import { openRepo } from "../../../../src/adapters/vcs/repository/git-repo.ts";
import { followingContract } from "../../../contract/forge.ts";
import { aStage, REPO } from "../../../stand-ins/github/forge/stage.ts";
import { APP, git, write } from "../../vcs/real-repo.ts";

// A change lands at GitHub by GitHub's own merge, which makes a commit of its own: `merge.test.ts`. The base is followed as that of any
// remote is.
followingContract("github", async () => {
  const github = await aStage();
  const user = github.clone;
  const scratch = mkdtempSync(join(tmpdir(), "loopdash-following-"));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch, env: process.env });
  const credentials = { user: "x-access-token", token: async () => "token", renew: async () => "token" };
  const forge = createPushForge({ repo, remote: await repo.remote({ name: "origin", credentials }) });
  return {
    forge,
    here: () => git(user, "rev-parse", "main"),
    commitOn: (parent, file) => {
      const beside = join(scratch, file);
      git(user, "worktree", "add", "-q", "--detach", beside, parent);
      write(beside, file, "work\n");
      git(beside, "add", "-A");
      git(beside, "-c", "user.name=Jo", "-c", "user.email=jo@acme.test", "commit", "-q", "-m", file);
      const commit = git(beside, "rev-parse", "HEAD");
      git(user, "worktree", "remove", "--force", beside);
      return commit;
    },
    landByOther: (file) => github.standIn.forge.person("ann").push(REPO, "main", { [file]: "theirs\n" }),
  };
});
