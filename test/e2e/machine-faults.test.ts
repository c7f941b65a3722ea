import { chmodSync, copyFileSync, cpSync, globSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { eventsOf, Stage } from "./stage.ts";

/** Where a person keeps programs of their own. */
const ownPath = (stage: Stage): Record<string, string> => ({ PATH: `${stage.path("bin")}:${stage.env["PATH"]}` });

const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

const GOOD = '#!/bin/sh\necho done > "$LOOPDASH_TICKET.txt"\n';

/** A batch whose agent is a shell script; `command` names it. */
function scripted(
  script: string,
  command: readonly string[] = ["./agent.sh"],
  over: Record<string, unknown> = {},
  check?: readonly string[],
) {
  const stage = new Stage();
  stage.repo("app");
  stage.write("agent.sh", script, 0o755);
  const passes = ["check.sh", "bin/check-it"].map((name) => stage.write(name, "#!/bin/sh\nexit 0\n", 0o755));
  const finish = [{ step: "gates" }, { step: "check", name: "tests", command: check ?? passes.slice(0, 1) }, { step: "merge" }];
  return { stage, batch: stage.batch(["T-1", "T-2"], { agent: { kind: "command", command }, finish, ...over }) };
}

/** What breaks while T-1 is at work, and the repair. T-2 waits for the one worker. */
const FAULTS: readonly {
  readonly name: string;
  readonly what: "program" | "worktree" | "git" | "disk";
  readonly why: RegExp;
  readonly command?: readonly string[];
  readonly check?: readonly string[];
  readonly breaks: (stage: Stage) => string;
  readonly repair: (stage: Stage) => void;
}[] = [
  {
    name: "the agent's program is gone",
    what: "program",
    why: /the agent: there is no program .*agent\.sh/,
    breaks: (stage) => `mv ${stage.path("agent.sh")} ${stage.path("away")}`,
    repair: (stage) => renameSync(stage.path("away"), stage.path("agent.sh")),
  },
  {
    name: "the agent's script is gone",
    what: "program",
    why: /agent\.sh, which its command names, is gone/,
    command: ["sh", "agent.sh"],
    breaks: (stage) => `mv ${stage.path("agent.sh")} ${stage.path("away")}`,
    repair: (stage) => renameSync(stage.path("away"), stage.path("agent.sh")),
  },
  {
    name: "the agent's program may not be executed any more",
    what: "program",
    why: /may not be executed \(chmod \+x\)/,
    breaks: (stage) => `chmod -x ${stage.path("agent.sh")}`,
    repair: (stage) => chmodSync(stage.path("agent.sh"), 0o755),
  },
  {
    name: "the interpreter of the agent's script is gone",
    what: "program",
    why: /names an interpreter \(its #! line\) that does not exist/,
    breaks: (stage) => `sed -i '1s|.*|#!/no/such/sh|' ${stage.path("agent.sh")}`,
    repair: (stage) => stage.write("agent.sh", GOOD, 0o755),
  },
  {
    name: "the program of a check is gone",
    what: "program",
    why: /there is no program .*check\.sh/,
    breaks: (stage) => `mv ${stage.path("check.sh")} ${stage.path("away")}`,
    repair: (stage) => renameSync(stage.path("away"), stage.path("check.sh")),
  },
  {
    name: "the program of a check, which PATH has, is gone",
    what: "program",
    why: /there is no program check-it on the PATH/,
    check: ["check-it"],
    breaks: (stage) => `mv ${stage.path("bin/check-it")} ${stage.path("away")}`,
    repair: (stage) => renameSync(stage.path("away"), stage.path("bin/check-it")),
  },
  {
    name: "a program that died has left its lock on the base",
    what: "git",
    why: /main\.lock/,
    breaks: (stage) => `touch ${stage.path("app/.git/refs/heads/main.lock")}`,
    repair: (stage) => rmSync(stage.path("app/.git/refs/heads/main.lock")),
  },
  {
    name: "the repository has lost its objects",
    what: "worktree",
    why: /git .*failed/,
    breaks: (stage) =>
      `cp -r ${stage.path("app/.git/objects")} ${stage.path("saved")}; find ${stage.path("app/.git/objects")} -type f -delete`,
    repair: (stage) => cpSync(stage.path("saved"), stage.path("app/.git/objects"), { recursive: true }),
  },
  {
    name: "there is a file where the run keeps the files of its tickets",
    what: "disk",
    why: /E(?:EXIST|NOTDIR)/,
    breaks: (stage) => `rm -rf ${stage.home}/runs/*/tickets/T-2; touch $(echo ${stage.home}/runs/*/tickets)/T-2`,
    repair: (stage) => {
      for (const file of globSync(`${stage.home}/runs/*/tickets/T-2`)) rmSync(file);
    },
  },
];

describe("a fault of the machine in the middle of a run", () => {
  test.for(FAULTS)(
    "$name: no attempt is charged, one cause, exit 3, and the same command resumes",
    { timeout: 180_000 },
    async (fault) => {
      const limits = { workers: 1, attempts: 1, outageMinutes: 0.05 };
      const { stage, batch } = scripted("", fault.command ?? ["./agent.sh"], { limits }, fault.check);
      using _ = stage;
      stage.write("agent.sh", `${GOOD}[ "$LOOPDASH_TICKET" = T-2 ] || { ${fault.breaks(stage)}; }\n`, 0o755);
      const { code, stdout } = await stage.run([batch, "--json"], ownPath(stage));
      const events = eventsOf(stdout);
      expect(of(events, "outage-started")[0]).toMatchObject({ what: fault.what, why: expect.stringMatching(fault.why) });
      const ended = of(events, "attempt-ended").map(({ outcome }) => outcome);
      expect([code, ended.filter((outcome) => outcome === "failed")]).toEqual([3, []]);
      expect(of(events, "run-ended")[0]?.reason).toMatch(/once it works, the same command continues from here$/);
      fault.repair(stage);
      stage.write("agent.sh", GOOD, 0o755);
      const again = await stage.run([batch, "--headless"], ownPath(stage));
      expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("run resumed")]);
      expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
    },
  );

  test("the sandbox that no longer works costs no attempt, and the same command resumes", { timeout: 180_000 }, async () => {
    const { stage, batch } = scripted("", ["./agent.sh"], {
      sandbox: "required",
      sandboxPolicy: { read: ["signals"] },
      limits: { workers: 1, attempts: 1, outageMinutes: 0.05 },
    });
    using _ = stage;
    const broken = stage.write("broken", "#!/bin/sh\necho 'bwrap: no permissions to create a namespace' >&2\nexit 1\n", 0o755);
    const go = join(stage.write("signals/README", ""), "../go");
    stage.write("agent.sh", `${GOOD}until [ -e ${go} ]; do sleep 0.1; done\n`, 0o755);
    copyFileSync("/usr/bin/bwrap", stage.path("bin/bwrap"));
    const run = stage.start([batch, "--headless"], ownPath(stage));
    await run.until(/T-1 .*attempt 1 begins/);
    renameSync(stage.path("bin/bwrap"), stage.path("away"));
    renameSync(broken, stage.path("bin/bwrap"));
    writeFileSync(go, "");
    const { code, stdout } = await run.ended;
    expect([code, stdout]).toEqual([3, expect.stringContaining("a program cannot be started: ")]);
    expect(stdout).toContain("the sandbox could not be set up: bwrap: no permissions to create a namespace");
    expect(stdout).not.toMatch(/attempt failed|stalled/);
    renameSync(stage.path("away"), stage.path("bin/bwrap"));
    const again = await stage.run([batch, "--headless"], ownPath(stage));
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("run resumed")]);
  });

  test("that passes: the agent starts as soon as its program is back", { timeout: 180_000 }, async () => {
    const { stage, batch } = scripted("", ["./agent.sh"], { limits: { workers: 1, attempts: 1, outageMinutes: 5 } });
    using _ = stage;
    stage.write("agent.sh", `${GOOD}[ "$LOOPDASH_TICKET" = T-2 ] || mv ${stage.path("agent.sh")} ${stage.path("away")}\n`, 0o755);
    const run = stage.start([batch, "--headless"]);
    await run.until(/a program cannot be started: the agent: there is no program/);
    stage.write("agent.sh", GOOD, 0o755);
    expect(await run.ended).toMatchObject({ code: 0, stderr: "" });
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
    expect(run.stdout()).not.toContain("guard is dead");
  });
});

test("agents that fail alike and change nothing halt the run, and use up no attempt", { timeout: 120_000 }, async () => {
  const { stage, batch } = scripted("#!/bin/sh\necho 'cannot find module x' >&2\nexit 1\n", ["./agent.sh"], {
    limits: { workers: 1 },
  });
  using _ = stage;
  const { code, events } = await stage.events(batch);
  expect(code).toBe(1);
  expect(of(events, "run-ended")[0]?.reason).toMatch(
    /shared-fault\): 3 attempts, of .*it printed last: "cannot find module x".*; mend/,
  );
  stage.write("agent.sh", GOOD, 0o755);
  const again = await stage.run([batch, "--headless"]);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("run resumed")]);
});
