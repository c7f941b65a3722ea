import { expect, test } from "vitest";
import { keptLines, startLines } from "../../../src/cli/ci/start-lines.ts";

const TARGET = { branch: "feature", fullName: "acme/app" };
const BEGAN = {
  agent: { kind: "claude", model: "opus" },
  limits: { attempts: 3, minutesPerRun: 20 },
  tickets: [{ id: "CI-1", allow: { scripts: true } }],
};
const ASKED = { ...BEGAN, agent: { kind: "command", command: ["sh", "/other.sh"] }, tickets: [{ id: "CI-1" }] };

test("a new loop tells its agent and limits", () => {
  const lines = startLines({ target: TARGET, flags: { agent: "sh /other.sh" }, file: { batch: ASKED }, asked: ASKED });
  expect(lines).toEqual(["feature of acme/app: sh /other.sh, at most 3 iterations and 20 min"]);
});

test("a loop that goes on tells those that it works by, and which flags are not used", () => {
  const file = { batch: BEGAN, resumes: "ci-1", kept: ["agent", "tickets"] };
  const flags = { agent: "sh /other.sh", agentKey: "KEY", allow: ["tests"], batch: "b.json" } as const;
  expect(startLines({ target: TARGET, flags, file, asked: ASKED })).toEqual([
    "feature of acme/app: claude:opus, at most 3 iterations and 20 min; goes on with ci-1",
    "as when it began: agent, tickets",
    "--agent is not used: the loop goes on with claude:opus",
    "--agent-key is not used: the loop goes on with claude:opus",
    "--allow is not used: the loop goes on with what was allowed when it began",
    "of --batch, the limits alone are used: the loop goes on with its own settings",
  ]);
});

test("a flag that changes nothing is not said to be unused", () => {
  const file = { batch: BEGAN, resumes: "ci-1", kept: ["repos", "tickets"] };
  const asked = { ...BEGAN, tickets: [{ ...BEGAN.tickets[0], body: "other words" }] };
  expect(keptLines({ flags: { agent: "claude", allow: ["scripts"] }, file, asked })).toEqual([
    "as when it began: repos, tickets",
  ]);
  expect(keptLines({ flags: { agent: "claude" }, file: { ...file, kept: [] }, asked })).toEqual([]);
});
