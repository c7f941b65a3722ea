import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCommandAgent } from "../../../src/adapters/agent/command-agent.ts";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loopdash-agent-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"] ?? "", GIT_AUTHOR_NAME: "loopdash" };
const agentOf = (script: string, usdPerAttempt?: number) =>
  createCommandAgent({
    argv: ["/bin/sh", "-c", script],
    executor: createExecutor(),
    env,
    ...(usdPerAttempt === undefined ? {} : { usdPerAttempt }),
  });

/** A command that prints events, one a line. */
function printing(events: readonly object[]): string {
  writeFileSync(join(folder, "stream"), events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  return "cat stream";
}

function taskOf(agentTask: Partial<AgentTask> = {}): AgentTask & { readonly activity: string[] } {
  const activity: string[] = [];
  return {
    ticket: TicketId.parse("T-1"),
    attempt: 2,
    marker: `agent-${folder}`,
    worktree: folder,
    promptFile: join(folder, "prompt.md"),
    outbox: join(folder, "outbox"),
    session: join(folder, "session"),
    logFile: join(folder, "logs/agent.log"),
    timeoutMs: 20_000,
    silenceMs: 20_000,
    signal: new AbortController().signal,
    onStart: () => undefined,
    onActivity: (text) => void activity.push(text),
    activity,
    ...agentTask,
  };
}

describe("an agent of kind command", () => {
  it("reads the events of a vendor's program, also long ones", async () => {
    const events: string[] = [];
    const onEvent = ({ what }: AgentEvent) => void events.push(what);
    const long = "x".repeat(100_000);
    const item = { id: "1", type: "command_execution", command: "ls", aggregated_output: long, exit_code: 0 };
    const task = taskOf({ onEvent });
    await agentOf(printing(["item.started", "item.completed"].map((type) => ({ type, item })))).run(task);
    expect(events).toEqual(["tool", "result"]);
    expect(task.activity).toEqual(["exec: ls"]);
  });

  it("shows the events of a vendor's program as that program's are; other lines stay, and the log keeps all as it came", async () => {
    const says = (...content: readonly object[]) => ({ type: "assistant", message: { content } });
    const events = [
      says({ type: "text", text: "I look.\nNow." }, { type: "tool_use", name: "Bash", input: { command: "cat src/coupon.js" } }),
      { type: "user", message: { content: [{ type: "tool_result", content: "cat: no such file", is_error: true }] } },
      { type: "result", subtype: "success", is_error: false, result: "Done." },
      { type: "result", subtype: "error_during_execution", is_error: true, result: "It broke." },
    ];
    const task = taskOf();
    await agentOf(`echo plain; ${printing(events)}; echo '{"type":"words"}'; echo '{"type":'`).run(task);
    expect(task.activity).toEqual([
      "plain",
      "I look. Now.",
      "Bash: cat src/coupon.js",
      "It broke.",
      '{"type":"words"}',
      '{"type":',
    ]);
    for (const event of events) expect(readFileSync(task.logFile, "utf8")).toContain(`${JSON.stringify(event)}\n`);
  });

  it("shows the answer of a program that prints nothing but its end", async () => {
    const task = taskOf();
    await agentOf(printing([{ type: "result", subtype: "success", is_error: false, result: "Done." }])).run(task);
    expect(task.activity).toEqual(["Done."]);
  });

  it("shows a message that comes in pieces as one line, and cuts a long line that is no event", async () => {
    const piece = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
    const task = taskOf();
    const events = [piece("I "), piece("stop."), { type: "result", status: "success" }];
    await agentOf(`${printing(events)}; head -c 100000 /dev/zero | tr '\\0' x`).run(task);
    expect(task.activity[0]).toBe("I stop.");
    expect(task.activity).toHaveLength(2);
    expect(task.activity[1]?.length).toBeLessThan(20_000);
  });

  it("is told of a heal in the place of a ticket, and costs what an attempt does", async () => {
    const { ticket: _, attempt: __, outbox: ___, ...task } = taskOf();
    const { activity } = task;
    const script = 'pwd -P; echo "$LOOPDASH_HEAL $LOOPDASH_PROMPT"; env | grep -c "^LOOPDASH_"';
    const result = await agentOf(script, 2).heal({ ...task, n: 1 });
    expect(result).toMatchObject({ ending: "exited", exitCode: 0, costUsd: 2 });
    // The third is the marker.
    expect(activity).toEqual([folder, `1 ${task.promptFile}`, "3"]);
  });

  it("runs in the worktree, told of its ticket; stdout is activity, stderr goes to the log", async () => {
    const task = taskOf();
    const script =
      'pwd -P; echo quiet >&2; echo "$LOOPDASH_TICKET/$LOOPDASH_ATTEMPT"; echo "$LOOPDASH_PROMPT"; echo "$LOOPDASH_OUTBOX"; echo "$GIT_AUTHOR_NAME"; exit 5';
    const result = await agentOf(script).run(task);
    expect(result).toMatchObject({ ending: "exited", exitCode: 5, signal: null, costUsd: 0 });
    expect(task.activity).toEqual([folder, "T-1/2", task.promptFile, task.outbox, "loopdash"]);
    expect(readFileSync(task.logFile, "utf8")).toContain("quiet\n");
    expect(result.tail).toContain("quiet\n");
  });

  it("keeps the silence away by stderr too", async () => {
    const result = await agentOf("for i in 1 2 3 4 5 6 7 8; do sleep 0.1; echo $i >&2; done").run(taskOf({ silenceMs: 600 }));
    expect(result.ending).toBe("exited");
  });

  it("is free unless the batch gives a price", async () => {
    expect(agentOf("exit 0").reserveUsd).toBe(0);
    expect((await agentOf("exit 0").run(taskOf())).costUsd).toBe(0);
  });

  it("costs its price once it ran, however it ended", async () => {
    const agent = agentOf("echo READY; exec sleep 1000", 1.5);
    expect(agent.reserveUsd).toBe(1.5);
    expect(await agentOf("exit 1", 1.5).run(taskOf())).toMatchObject({ ending: "exited", costUsd: 1.5 });
    const controller = new AbortController();
    expect(await agent.run(taskOf({ signal: controller.signal, onActivity: () => controller.abort() }))).toMatchObject({
      ending: "aborted",
      costUsd: 1.5,
    });
    expect(await agent.run(taskOf({ silenceMs: 200 }))).toMatchObject({ ending: "silent", costUsd: 1.5 });
  });

  it("costs nothing where it never ran", async () => {
    const agent = createCommandAgent({ argv: ["no-such-agent"], usdPerAttempt: 1.5, executor: createExecutor(), env });
    expect(await agent.run(taskOf())).toMatchObject({
      ending: "failed-to-start",
      costUsd: 0,
      message: "there is no program no-such-agent on the PATH",
    });
    expect(await agentOf("exit 0", 1.5).run(taskOf({ signal: AbortSignal.abort() }))).toMatchObject({
      ending: "aborted",
      costUsd: 0,
    });
  });
});
