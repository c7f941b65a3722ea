import { describe, expect, test } from "vitest";
import { createEventLineReader } from "../../../src/adapters/agent/registry.ts";
import { auditLine } from "../../../src/domain/audit/audit-row.ts";
import { type AuditedCommand, AuditWatch } from "../../../src/domain/audit/audit-watch.ts";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { recording, VENDORS } from "../behaviour/replay.ts";

function audited(stream: string): readonly AuditedCommand[] {
  const watch = new AuditWatch();
  const read = createEventLineReader();
  const rows = stream.split("\n").flatMap((line) => (read(line) ?? []).flatMap((event) => watch.take(event)));
  return [...rows, ...watch.end()];
}

const exits = (stream: string) => audited(stream).map(({ kind, exit }) => [kind, exit]);
const json = (...events: readonly object[]) => events.map((event) => JSON.stringify(event)).join("\n");

/** What each program tells of `node check.mjs`, which fails with code 1 and prints why. */
const FAILED = { claude: 1, codex: 1, gemini: "unknown", opencode: 1 } as const;

describe.each(VENDORS)("the recorded stream of %s", (vendor) => {
  test("gives edits, and failing commands with the exit code that it tells", () => {
    const rows = audited(recording(vendor, "chases"));
    expect(rows.filter(({ kind }) => kind === "run")).toEqual(
      Array(3).fill(
        expect.objectContaining({ kind: "run", command: expect.stringContaining("node check.mjs"), exit: FAILED[vendor] }),
      ),
    );
    const edits = rows.filter(({ kind }) => kind === "edit");
    expect(edits).toEqual(Array(4).fill({ kind: "edit", command: "/work/worktree/src/sum.mjs", exit: 0 }));
    // Each edit comes before the command that it is followed by.
    expect(rows.map(({ kind }) => kind).join(" ")).toBe("edit run edit run edit run edit");
  });

  test("gives no row of what only reads", () => {
    const commands = audited(recording(vendor, "works")).map(({ command }) => command);
    expect(commands.filter((command) => /grep|Read|read/.test(command))).toEqual([]);
    expect(commands).toHaveLength(2);
  });
});

describe("claude", () => {
  const used = (input: object) => ({
    type: "assistant",
    message: { content: [{ type: "tool_use", id: "t", name: "Bash", input }] },
  });
  const result = (content: string, is_error: boolean | undefined, tool_use_result?: object) => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "t", content, is_error }] },
    tool_use_result,
  });
  const exitOf = (...told: Parameters<typeof result>) => exits(json(used({ command: "npm test" }), result(...told)))[0]?.[1];

  test("tells the code of a failed command in the first line", () => expect(exitOf("Exit code 137\nkilled", true)).toBe(137));
  test("tells a refusal without a code", () => expect(exitOf("The user doesn't want to proceed", true)).toBe("failed"));
  test("a command that prints such a line has not failed", () => expect(exitOf("Exit code 9", false)).toBe(0));
  test("calls a code that it explains no error: it is not 0", () =>
    expect(exitOf("", false, { returnCodeInterpretation: "No matches found" })).toBe("unknown"));
  test("a command in the background has no code yet", () => {
    expect(exitOf("Command running in background with ID: b1.", false)).toBe("unknown");
    expect(exitOf("", false, { backgroundTaskId: "b1" })).toBe("unknown");
  });
});

test("gemini tells the code of a command that printed nothing, and 0 by printing none", () => {
  const exitOf = (output: object) =>
    exits(
      json(
        { type: "tool_use", tool_name: "run_shell_command", tool_id: "t", parameters: { command: "npm test", dir_path: "sub" } },
        { type: "tool_result", tool_id: "t", status: "success", ...output },
      ),
    )[0]?.[1];
  expect(exitOf({ output: "Command exited with code: 3" })).toBe(3);
  expect(exitOf({})).toBe(0);
  expect(exitOf({ output: "Command exited with code: 0" })).toBe("unknown");
  expect(exitOf({ status: "error", error: { message: "no" } })).toBe("failed");
});

test("codex tells no code of a command that it declined", () => {
  const item = { id: "i", type: "command_execution", command: "npm test", exit_code: null };
  const declined = { type: "item.completed", item: { ...item, status: "declined" } };
  expect(exits(json({ type: "item.started", item }, declined))).toEqual([["run", "failed"]]);
});

describe("the watch", () => {
  const begin = (call: string, command = "npm test"): AgentEvent => ({
    what: "tool",
    text: "",
    call,
    action: { does: "run", command },
  });
  const end = (call: string, exit: number): AgentEvent => ({ what: "result", text: "", failed: exit !== 0, call, exit });
  const all = (events: readonly AgentEvent[]) => {
    const watch = new AuditWatch();
    return [...events.flatMap((event) => watch.take(event)), ...watch.end()].map(({ command, exit }) => [command, exit]);
  };

  test("tells commands at once by their own results", () => {
    expect(all([begin("a", "npm a"), begin("b", "npm b"), end("b", 2), end("a", 0)])).toEqual([
      ["npm b", 2],
      ["npm a", 0],
    ]);
  });

  test("tells a command without a result when the program has ended", () =>
    expect(all([begin("a")])).toEqual([["npm test", "unknown"]]));

  test("loses none of a program that never tells results", () => {
    expect(all(Array.from({ length: 100 }, (_, i) => begin(String(i), `npm ${i}`)))).toHaveLength(100);
    expect(all([begin(""), begin("")])).toHaveLength(2);
  });

  test("counts what is beyond its bound", () => {
    const watch = new AuditWatch();
    for (let i = 0; i < 20_003; i++) for (const event of [begin("a"), end("a", 0)]) watch.take(event);
    expect(watch.end()).toEqual([{ kind: "left-out", exit: "unknown", command: "", rows: 3 }]);
  });

  test("keeps at most 16 MiB of rows, as they are written, and counts the others", () => {
    const watch = new AuditWatch();
    const entry = { ticket: TicketId.parse("T-1"), attempt: 1, vendor: "claude" };
    // Each character takes six bytes in the log.
    const [command, cwd] = ["\u00e9".repeat(50_000), `/${"\u00e9".repeat(50_000)}`];
    let bytes = 0;
    let rows = 0;
    for (let i = 0; i < 3_000; i++) {
      const action = { does: "run", command: `npm ${command}`, cwd } as const;
      for (const event of [{ what: "tool", text: "", call: "a", action }, end("a", 0)] as const)
        for (const each of watch.take(event)) {
          bytes += auditLine({ n: 1, hash: "0".repeat(64) }, 1_700_000_000_000, { ...entry, ...each }).line.length;
          rows += 1;
        }
    }
    expect(bytes).toBeGreaterThan(12 * 2 ** 20);
    expect(bytes).toBeLessThan(17 * 2 ** 20);
    expect(watch.end()).toEqual([{ kind: "left-out", exit: "unknown", command: "", rows: 3_000 - rows }]);
  });

  test("logs a tool that nobody knows, and an edit of an unknown file", () => {
    expect(all([{ what: "tool", text: "mcp__db__drop: x" }])).toEqual([["mcp__db__drop: x", "unknown"]]);
    expect(all([{ what: "tool", text: "", action: { does: "edit", paths: [] } }])).toEqual([["?", "unknown"]]);
  });
});
