import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contractFilesOf, misplacedContracts } from "../../../src/cli/engine/contract-files.ts";
import { ownFilesIn } from "../../../src/cli/engine/own-files.ts";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import { tempDir } from "../../adapters/vcs/real-repo.ts";
import { batchOf, ticketOf } from "../../domain/simulate.ts";

const folder = realpathSync(tempDir());
for (const name of ["contracts", "tickets/sub", "shared", "state/runs", "app/loop"])
  mkdirSync(join(folder, name), { recursive: true });

function batch(path: string, over: Partial<Batch> = {}): Batch {
  const made = batchOf([ticketOf("T-1", { contract: { path, sha: "0", body: "" } })]);
  return { ...made, sandbox: "required", sandboxPolicy: { read: [], write: [join(folder, "shared")], hosts: {} }, ...over };
}
const said = (path: string, over?: Partial<Batch>) =>
  misplacedContracts(batch(path, over), { folder, state: join(folder, "state"), locate: () => ({ line: 1, column: 1 }) }).map(
    ({ message }) => message,
  );

describe("the place of a contract", () => {
  it.each([
    ["shared/c.md", "lies where sandboxPolicy.write lets agents write"],
    ["tickets/c.md", "lies among the tickets, and would be one of them"],
    ["state/runs/c.md", "lies in loopdash's state"],
  ])("may not be %s", (path, message) => {
    expect(said(path, { tracker: { kind: "local", path: join(folder, "tickets") } })).toEqual([message]);
  });

  it.each(["contracts/c.md", "c.md", "tickets/sub/c.md"])("may be %s", (path) => {
    expect(said(path, { tracker: { kind: "local", path: join(folder, "tickets") } })).toEqual([]);
  });

  it("is protected in the repository that holds it", () => {
    const own = batch("app/loop/c.md", { repos: { app: { path: join(folder, "app"), base: "main", prepare: [] } } });
    expect(ownFilesIn(own, { file: join(folder, "b.json"), folder, contracts: contractFilesOf(own, folder) })).toEqual([
      "./loop/c.md",
    ]);
  });
});
