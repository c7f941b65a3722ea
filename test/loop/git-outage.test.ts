import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, RUN, Stage } from "./stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const LIMITS = { attempts: 1, outageMinutes: 15 };

test("a repository that is away when an agent stops is waited for: its work lands, and no attempt is spent", async () => {
  using stage = await Stage.open({
    tickets: [ticketOf("T-1")],
    limits: LIMITS,
    work: async (task) => {
      await oneFile(task);
      renameSync(stage.user, `${stage.user}-gone`);
      return undefined;
    },
  });
  stage.start();
  expect(await stage.until("outage-started")).toMatchObject({ what: "git" });
  renameSync(`${stage.user}-gone`, stage.user);
  expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  expect(stage.ticket(T1)).toMatchObject({ failures: 0, history: [{ outcome: "done" }] });
  expect(stage.git("log", "--format=%s", "main")).toBe("T-1 (T-1)\nfirst");
});

test("the lock of another git process on a branch is waited for before an agent starts", async () => {
  using stage = await Stage.open({ tickets: [ticketOf("T-1")], limits: LIMITS });
  const branches = join(stage.user, ".git", "refs", "heads", "loopdash", RUN);
  mkdirSync(branches, { recursive: true });
  writeFileSync(join(branches, "T-1.lock"), "");
  stage.start();
  expect(await stage.until("outage-started")).toMatchObject({ what: "git" });
  rmSync(join(branches, "T-1.lock"));
  expect((await stage.ended()).end?.exitCode).toBe(0);
  expect(stage.ticket(T1)).toMatchObject({ failures: 0, history: [{ outcome: "done" }] });
});
