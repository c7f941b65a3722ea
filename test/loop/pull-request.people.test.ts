import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanUp, git } from "../adapters/vcs/real-repo.ts";
import { openStage } from "./pull-request-stage.ts";

cleanUp();

test("a merge that the base has before the run knows of it is no act of a person; a commit on top of it is, once", async () => {
  const { stage, forge } = await openStage();
  using _ = stage;
  forge.onMerged = async (commit) => {
    git(stage.user, "merge", "-q", "--ff-only", commit);
    await stage.engine.performer.pollPeople();
    writeFileSync(join(stage.user, "theirs.txt"), "theirs\n");
    git(stage.user, "add", "-A");
    git(stage.user, "commit", "-q", "-m", "theirs");
    await stage.engine.performer.pollPeople();
    expect(stage.state.interventions).toEqual([]);
  };
  stage.start();
  await stage.until("merge-landed");
  await stage.engine.performer.pollPeople();
  await stage.engine.performer.pollPeople();
  expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done" });
  expect(stage.state.interventions).toMatchObject([
    { class: "I4", target: "app", note: expect.stringMatching(/^1 commit on main: .* "theirs"$/) },
  ]);
});
