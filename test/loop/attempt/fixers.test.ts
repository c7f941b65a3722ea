import { expect, test } from "vitest";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { type Files, opened, put, T1 } from "../evidence-stage.ts";
import type { Stage } from "../stage.ts";

cleanUp();

/** Writes the text of a file in capitals. */
const shout = (file: string) =>
  ["node", "-e", `fs.writeFileSync("${file}", fs.readFileSync("${file}", "utf8").toUpperCase())`] as const;

/** A run whose agent makes these files, over a base with `old.txt`. */
async function played(fixers: readonly (readonly [string, ...string[]])[], change: Files): Promise<Stage> {
  const stage = await opened({
    base: { "old.txt": "old" },
    check: { step: "check", name: "loud", command: ["sh", "-c", "! grep -rq '[a-z]' new.txt"] },
    stage: { work: (task) => void put(task.worktree, change) },
    ctx: ({ batch }) => ({
      batch: { ...batch, repos: { app: { ...batch.repos["app"], path: "", base: "main", prepare: [], fixers } } },
    }),
  });
  stage.start();
  await stage.ended();
  return stage;
}

const files = (stage: Stage) => stage.git("show", "--format=", "--name-only", "main").split("\n").toSorted();

test("the batch's fixers repair what an agent left, and the change lands with it", async () => {
  using stage = await played([["true"], shout("new.txt")], { "new.txt": "work" });
  expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0 });
  expect(stage.git("show", "main:new.txt")).toBe("WORK");
  expect(stage.of("change-captured")).toMatchObject([{ files: 1, layout: { fixers: [expect.stringMatching(/^node -e /)] } }]);
});

test.for([
  ["a file that the agent did not touch was changed", [shout("new.txt"), shout("old.txt"), ["rm", "new.txt"]], "old.txt, which"],
  ["one cannot start", [shout("new.txt"), ["no-such-fixer"], ["rm", "new.txt"]], "no-such-fixer could not start"],
] as const)("what came before is kept if %s", async ([, fixers, says]) => {
  using stage = await played(fixers, { "new.txt": "work" });
  expect(stage.ticket(T1).phase).toBe("done");
  expect(files(stage)).toEqual(["new.txt"]);
  expect(stage.git("show", "main:new.txt")).toBe("WORK");
  expect(stage.of("change-captured")[0]?.layout).toMatchObject({
    fixers: [expect.stringMatching(/^node -e /)],
    ignored: expect.stringContaining(says),
  });
});

test("fixers that find nothing to repair are not told", async () => {
  using stage = await played([["true"]], { "new.txt": "WORK" });
  expect(stage.ticket(T1).phase).toBe("done");
  expect(stage.of("change-captured")[0]).not.toHaveProperty("layout", expect.anything());
});
