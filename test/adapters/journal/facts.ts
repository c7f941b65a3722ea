import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunFact } from "../../../src/domain/event.ts";
import { Fence, RunId, TicketId } from "../../../src/domain/ids.ts";
import type { RunRow } from "../../../src/ports/run-store.ts";

export const RUN = RunId.parse("plumbing-20260101-abc");

/** A state fact: written at once. */
export function stalled(reason: string): RunFact {
  return { type: "ticket-stalled", ticket: TicketId.parse("T-1"), reason };
}

/** An activity fact: may wait. */
export function activity(text: string): RunFact {
  return { type: "activity", ticket: TicketId.parse("T-1"), fence: Fence.parse(1), text, lines: 1 };
}

export function runRow(of: Partial<RunRow> = {}): Parameters<import("../../../src/ports/run-store.ts").RunStore["create"]>[0] {
  return { run: RUN, name: "plumbing", batchPath: "/b/batch.json", batchFileSha: "0".repeat(64), startedAt: 1_000, ...of };
}

/** A folder that is gone when the test is over. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
