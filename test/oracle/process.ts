import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { bundleOracle } from "../helpers/bundle-oracle.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { oracleEnvironment } from "./mutant.ts";

/** What a run of the oracle as a process came to. */
interface Said {
  readonly code: number | null;
  readonly lines: readonly unknown[];
  readonly stderr: string;
}

/** The oracle as it ships, in a fresh folder for each test, with a tracker file, a tickets folder and a batch beside it. */
export function oracleInFolder() {
  const folder = scratchFolder();
  const tracker = () => join(folder(), "tracker.json");
  const tickets = () => join(folder(), "tickets");
  const program = () => join(folder(), "oracle.cjs");
  let source = "";
  beforeEach(async () => {
    const bundle = await bundleOracle();
    source = Buffer.from(bundle).toString("utf8");
    writeFileSync(program(), bundle);
    mkdirSync(tickets());
  });
  /** An empty environment, but for a mutant under trial. */
  const env = () => oracleEnvironment(source);

  async function ask(...args: readonly string[]): Promise<Said> {
    const child = spawn(process.execPath, [program(), ...args], { env: env(), stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await once(child, "close");
    const lines = stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
    return { code: child.exitCode, lines, stderr };
  }

  function batch(ids: readonly string[], place: object = { kind: "embedded", file: tracker() }): string {
    const file = join(folder(), "batch.json");
    writeFileSync(file, JSON.stringify({ version: 1, tracker: place, tickets: ids }));
    return file;
  }

  return { folder, tracker, tickets, program, env, ask, batch, inFolder: () => ({ kind: "folder", folder: tickets() }) };
}

export const ticket = (id: string, state: string, more: object = {}) => ({ id, title: id, body: "", state, ...more });
export const embedded = (...list: readonly object[]) => JSON.stringify({ version: 1, tickets: list });
