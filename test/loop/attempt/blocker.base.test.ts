import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { Adjudicator, claim, leave, WALL, withTemplate } from "../blocker-stage.ts";
import { oneFile, Stage } from "../stage.ts";

cleanUp();

const FINISH = [{ step: "gates" }, { step: "merge" }, { step: "assert" }] as const;
const shell = (text: string) => ({ ...WALL, command: ["sh", "-c", text] });

test.each([
  [
    "a script of the change",
    { ...WALL, command: ["sh", "wall.sh"] },
    /on the base, without the change, sh wall\.sh exited with code \d+/,
  ],
  [
    "what the change makes fail",
    shell("test -e wall.sh && exit 3; exit 0"),
    /on the base, without the change, .* exited with code 0 when/,
  ],
  ["a code that the change holds", shell("exit $(cat code)"), /on the base, without the change, .* not with code 3 as claimed/],
  ["what fails on the base as well", WALL, undefined],
  ["what fails by a file of the base", shell("test -e wall.sh && test ! -e a.txt || exit 3"), undefined],
] as const)("the evidence of a blocker runs on the base too: %s", async (_, captured, why) => {
  const judge = new Adjudicator();
  const stage = await Stage.open(
    {
      tickets: [ticketOf("T-1", { finish: [...FINISH] })],
      work: (task) => {
        writeFileSync(join(task.worktree, "wall.sh"), "echo QuotaExceeded\nexit 3\n");
        writeFileSync(join(task.worktree, "code"), "3");
        if (task.attempt === 1) leave(task, "blocker.json", claim({ evidence: [captured] }));
        return oneFile(task);
      },
    },
    (ctx) => ({ ...withTemplate(ctx), ...judge.context }),
  );
  using __ = stage;
  stage.start();
  await stage.ended();
  expect(judge.asked).toHaveLength(why === undefined ? 1 : 0);
  expect(stage.of("blocker-ruled")).toMatchObject([
    why === undefined ? { upheld: true } : { upheld: false, reason: expect.stringMatching(why) },
  ]);
});
