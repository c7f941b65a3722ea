import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAuditRow, segmentPath } from "../../../src/domain/audit/audit-row.ts";
import { checkAudit } from "../../../src/domain/audit/check-audit.ts";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { auditCommands } from "../../../src/loop/attempt/audit.ts";
import { OutageGivenUp, Outages } from "../../../src/loop/concurrency/outages.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import type { AuditLog } from "../../../src/ports/audit-log.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { FakeClock } from "../fake-clock.ts";
import { RUN, Stage } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");

const begin = (call: string, command: string): AgentEvent => ({
  what: "tool",
  text: command,
  call,
  action: { does: "run", command },
});
const end = (call: string, exit: number): AgentEvent => ({ what: "result", text: "", failed: exit !== 0, call, exit });
const change = ({ worktree, ticket }: AgentTask): undefined => void writeFileSync(join(worktree, `${ticket}.txt`), "x\n");

const text = (stage: Stage, segment = 1) => readFileSync(join(stage.root, "run", segmentPath(segment)), "utf8");
const rows = (stage: Stage) => text(stage).trimEnd().split("\n").map(readAuditRow);
const checked = (stage: Stage) =>
  checkAudit(RUN, stage.of("audit-head"), async (segment) =>
    existsSync(join(stage.root, "run", segmentPath(segment))) ? text(stage, segment) : undefined,
  );

test("two attempts at once write one chain; the journal names its end at the end of each", async () => {
  const both = Promise.withResolvers<void>();
  let begun = 0;
  using stage = await Stage.open({
    tickets: [ticketOf("T-1"), ticketOf("T-2")],
    limits: { workers: 2 },
    async work(task) {
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
      for (let i = 0; i < 50; i++) {
        task.onEvent?.(begin("1", `npm run ${i}`));
        await new Promise(setImmediate);
        task.onEvent?.(end("1", i % 3));
      }
      return change(task);
    },
  });
  stage.start();
  await stage.ended();
  const found = await checked(stage);
  expect(found).toMatchObject({ rows: 100, problems: [], notes: [] });
  expect(stage.of("audit-head").map(({ of }) => of?.rows)).toEqual([50, 50]);
  expect(stage.ticket(T1).history[0]?.audited).toBe(50);
  for (const ticket of ["T-1", "T-2"])
    expect(rows(stage).flatMap((row) => (row?.kind === "run" && row.ticket === ticket ? [row.exit] : []))).toEqual(
      Array.from({ length: 50 }, (_, i) => i % 3),
    );
});

test("a command under way when the agent ends has an unknown exit code", async () => {
  using stage = await Stage.open({
    tickets: [ticketOf("T-1")],
    work: (task) => (task.onEvent?.(begin("1", "npm test")), task.onEvent?.(begin("2", "ls")), change(task)),
  });
  stage.start();
  await stage.ended();
  expect(rows(stage)).toMatchObject([{ ticket: "T-1", attempt: 1, command: "npm test", exit: "unknown" }]);
});

test("an engine that goes on tells the journal what a lost one had written, torn line and all", async () => {
  let lost: (() => void) | undefined;
  const gone = new Promise<void>((settle) => (lost = settle));
  using stage = await Stage.open({
    tickets: [ticketOf("T-1")],
    async work(task) {
      if (task.attempt > 1) return change(task);
      for (const event of [begin("1", "npm test"), end("1", 1)]) task.onEvent?.(event);
      lost?.();
      return new Promise(() => undefined);
    },
  });
  stage.start();
  await gone;
  expect(stage.of("audit-head")).toEqual([]);
  writeFileSync(join(stage.root, "run", segmentPath(1)), `${text(stage)}{"n":2,`);
  await stage.crashAndReopen();
  await stage.resume();
  await stage.ended();
  expect(stage.of("audit-head")[0]).toMatchObject({ segment: 2, n: 2 });
  expect(await checked(stage)).toMatchObject({ rows: 2, problems: [], notes: [] });
});

test("a disk that refuses the log is an outage, and the attempt waits until it is over", async () => {
  const clock = new FakeClock();
  const reported: string[] = [];
  let refusals = 3;
  const audit: AuditLog = {
    append: () => undefined,
    flush() {
      if (refusals-- > 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      return { segment: 1, n: 1, hash: "h" };
    },
  };
  const report = (fact: { readonly type: string }) => reported.push(fact.type) > 0;
  const outages = (minutes: number) => new Outages({ clock, minutes, report });
  const log = (minutes: number, signal = new AbortController().signal) =>
    auditCommands(
      { audit, outages: outages(minutes), report, batch: { agent: { kind: "claude" } } } as never,
      { ticket: { id: T1 }, n: 1, signal } as never,
    );
  const wait = async <T>(ended: Promise<T>): Promise<T> => {
    let isOver = false;
    void ended.finally(() => (isOver = true));
    while (!isOver) {
      clock.advance(Math.max(0, (clock.next ?? clock.now()) - clock.now()));
      await new Promise(setImmediate);
    }
    return ended;
  };
  await wait(log(5).end());
  expect(reported).toEqual(["outage-started", "outage-continues", "outage-continues", "outage-ended", "audit-head"]);
  refusals = Number.POSITIVE_INFINITY;
  expect(
    await wait(
      log(1)
        .end()
        .catch((error: unknown) => error),
    ),
  ).toBeInstanceOf(OutageGivenUp);
  // One that is ended from outside does not wait.
  await log(5, AbortSignal.abort()).end();
});
