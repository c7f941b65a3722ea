import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createFrozenOracle } from "../../../src/adapters/oracle/frozen-oracle.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { Oracle } from "../../../src/ports/oracle.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const scratch = () => join(folder(), "scratch");

beforeEach(() => {
  mkdirSync(scratch());
  writeFileSync(join(folder(), "tracker.json"), "{}");
});

/** An oracle of the given source, for a batch of one ticket. */
function planted(source: string, node?: string): Oracle {
  return createFrozenOracle({
    bytes: new TextEncoder().encode(source),
    batch: { version: 1, tracker: { kind: "embedded", file: join(folder(), "tracker.json") }, tickets: [TicketId.parse("T-1")] },
    scratch: scratch(),
    ...(node !== undefined && { node }),
  });
}

describe("the priority of the oracle's process", () => {
  /** How "nice" it is, by /proc/<pid>/stat (proc(5), field 19), while it judges. */
  async function niceness(how: "background" | undefined): Promise<number> {
    const stop = new AbortController();
    const judged = planted("setInterval(() => {}, 1000);").judge(stop.signal, how);
    const stat = await vi.waitFor(
      () => {
        const pid = children().find((each) => readFileSync(`/proc/${each}/cmdline`, "utf8").includes("oracle.cjs"));
        // Node has brought it up: by then the priority has been set, which happens in the turn that starts it.
        expect(readdirSync(`/proc/${pid}/task`).length).toBeGreaterThan(1);
        return readFileSync(`/proc/${pid}/stat`, "utf8");
      },
      { timeout: 10_000, interval: 10 },
    );
    stop.abort();
    expect(await judged).toMatchObject({ verdict: "unjudged", problem: "the judgement was cancelled" });
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  }

  function children(): string[] {
    return readdirSync("/proc/self/task").flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" "),
    );
  }

  test("is lower in the background, though not the lowest, and only there", async () => {
    const mine = getPriority();
    expect(await niceness("background")).toBe(Math.max(mine, 10));
    expect(await niceness(undefined)).toBe(mine);
  });

  test("changes nothing about its verdict, also where it is gone at once or never came up", async () => {
    const done = 'console.log(\'{"id":"T-1","state":"done"}\\n{"verdict":"done","done":1,"gated":0,"open":0}\');';
    expect(await planted(done).judge(undefined, "background")).toMatchObject({ verdict: "done" });
    for (const node of ["/bin/true", join(folder(), "nowhere")]) {
      expect(await planted("", node).judge(undefined, "background")).toMatchObject({
        verdict: "unjudged",
      });
    }
  });
});
