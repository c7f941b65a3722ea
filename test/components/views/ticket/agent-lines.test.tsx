import { beforeAll, describe, expect, test } from "vitest";
import { TicketId } from "../../../../src/domain/values/ids.ts";
import type { RunBuilder } from "../../../store/run-builder.ts";
import { plumbing } from "../../../store/scenes.ts";
import { mount } from "../../mount.tsx";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

/** The evidence of the agent of T-7's first attempt. */
async function evidence(run: RunBuilder): Promise<string> {
  await using m = await mount(run, 120, 40);
  m.store.dispatch({ type: "select", ticket: "T-7" as never });
  m.store.dispatch({ type: "view", view: "ticket" });
  await m.stage.shows("2 TICKET");
  await m.stage.press("e", "EVIDENCE");
  await m.stage.shows(", attempt 1: ");
  return await m.stage.terminal.text();
}

test("the cost tab has what the agent at work has spent so far, and what is still set aside", async () => {
  await using m = await mount(plumbing().of("T-7", { type: "agent-spent", usd: 0.31 }), 80, 24);
  m.store.dispatch({ type: "select", ticket: "T-7" as never });
  m.store.dispatch({ type: "view", view: "ticket" });
  await m.stage.press("c", "COST");
  await m.stage.shows("$0.31  so far; $0.19 more set aside until it has ended");
  await m.stage.shows("this ticket            $0.31");
});

const block = { type: "guard-blocked", rule: "git-history", alternative: "make a new commit" } as const;
const dies = { type: "attempt-ended", outcome: "lost" } as const;

function audit(run: RunBuilder, rows: number): RunBuilder {
  run.play({
    type: "audit-head",
    segment: 1,
    n: rows,
    hash: "0".repeat(64),
    of: { ticket: TicketId.parse("T-7"), attempt: 1, rows },
  });
  return run;
}

describe("what the guard of an agent told", () => {
  test("is nothing if it told nothing", async () => {
    expect(await evidence(plumbing())).not.toContain("guard");
  });

  test("is the number of blocks, the last command and what is allowed instead", async () => {
    const run = plumbing()
      .of("T-7", { ...block, command: "git rebase -i", times: 2 })
      .of("T-7", { ...block, command: "git push \u001b[2J --force" });
    const text = await evidence(run);
    expect(text).toContain("its guard, as it reported from the sandbox:");
    expect(text).toContain("its guard blocked 3 commands; the last by git-history:");
    expect(text).toMatch(/│ git push +--force/);
    expect(text).toContain("instead: make a new commit");
    expect(text).not.toContain("git rebase");
    expect(text).not.toContain("dead");
  });

  test("is that it is dead, before what it blocked", async () => {
    const why = "it does not answer: exit code 1";
    const text = await evidence(plumbing().of("T-7", { ...block, command: "rm -rf /" }, { type: "guard-dead", why }));
    expect(text).toContain(`✖ its guard is dead: ${why}`);
    expect(text.indexOf("is dead")).toBeLessThan(text.indexOf("its guard blocked 1 command;"));
  });

  test("is what its stop guard told last", async () => {
    const told = (n: number) => ({ type: "stop-guard-told", unmet: `check tests ${n}`, n, of: 3 }) as const;
    const text = await evidence(plumbing().of("T-7", told(1), told(2)));
    expect(text).toContain("stop guard: check tests 2, told 2 of 3");
    expect(text).not.toContain("told 1 of 3");
  });

  test("stays below its agent once the attempt is over, and stands below no other", async () => {
    const run = plumbing().of("T-7", { ...block, command: "git push --force" }, dies);
    expect(await evidence(run)).toContain("its guard blocked 1 command;");
    expect(await evidence(plumbing().of("T-6", { ...block, command: "git push --force" }))).not.toContain("guard");
  });
});

describe("the agent's commands in the audit log", () => {
  test("are counted", async () => {
    expect(await evidence(audit(plumbing(), 1))).toContain("1 command or edit in the audit log (audit/ in the folder");
    expect(await evidence(audit(plumbing(), 50).of("T-7", dies))).toContain("50 commands and edits in the audit log");
  });

  test("are none if its program told of none", async () => {
    const text = await evidence(audit(plumbing(), 0));
    expect(text).toContain("its program told of no command or edit");
    expect(text).not.toContain("0 commands");
  });

  test("are unknown if the attempt is over and the journal has no number, and are not told of before", async () => {
    const text = await evidence(plumbing().of("T-7", dies));
    expect(text).toContain("? commands and edits in the audit log: the journal does not tell");
    expect(text).not.toContain("told of no command");
    expect(await evidence(plumbing())).not.toContain("audit");
  });
});

describe("the plan of a ticket", () => {
  const asked = () => plumbing().of("T-7", { type: "plan-asked" });
  const written = () =>
    asked()
      .of("T-7", { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0.3 })
      .of("T-7", { type: "plan-written", digest: "0".repeat(64), text: "1. drop it" });
  const judged = (ok: boolean) =>
    written()
      .of("T-7", {
        type: "plan-judged",
        digest: "0".repeat(64),
        ok,
        summary: ok ? "no findings" : "1 finding",
        ...(!ok && { findings: "it drops too much" }),
      })
      .of("T-7", { type: "attempt-ended", outcome: ok ? "planned" : "failed" });

  test("is no word while there is none", async () => {
    expect(await evidence(plumbing())).not.toMatch(/\bplan\b/);
  });

  test("is what its agent is at while it is asked for", async () => {
    const text = await evidence(asked());
    expect(text).toContain("attempt 1 is at: plan");
    expect(text).toContain("plan, attempt 1: under way");
    expect(text).not.toMatch(/plan (approved|refused|unjudged)/);
  });

  test("is unjudged until the reviewer has judged it", async () => {
    const text = await evidence(written());
    expect(text).toContain("plan unjudged");
    expect(text).not.toMatch(/plan (approved|refused)/);
  });

  test("is approved, or refused", async () => {
    expect(await evidence(judged(true))).toContain("plan approved");
    const refused = await evidence(judged(false));
    expect(refused).toContain("plan refused");
    expect(refused).not.toContain("plan approved");
  });
});
