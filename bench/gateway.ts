import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openGateway } from "../src/adapters/gateway/open-gateway.ts";
import { childEnvironment, mustRun, ROOT, type Scratch, scratchFolder } from "./children.ts";
import { type Bench, type BenchOptions, type Figure, noteFigure, valueFigure } from "./figure.ts";
import type { Times } from "./gateway-client.ts";
import { loopdashArgv } from "./loopdash.ts";

/** Largest allowed delay of a request of the size that agents' programs send, and of an event. Milliseconds. */
const MOST_MS = 1;

/**
 * Without a bound: the delay grows with the size, for which a model takes seconds.
 */
const LARGE = new Set(["request 200", "answer 200"]);

const WHAT: Readonly<Record<string, string>> = {
  "request 1": "a request of 1 KiB",
  "request 50": "a request of 50 KiB",
  "request 200": "a request of 200 KiB",
  "answer 50": "an answer of 50 KiB",
  "answer 200": "an answer of 200 KiB",
  stream: "a stream of 200 events, as fast as they come",
  event: "one event of a stream, on its way",
};

/** The delay that a sandbox's gateway adds to a request to a model. */
export const gateway: Bench = {
  name: "gateway",
  about: "a request through relay and gateway against the same one straight to the vendor's stand-in, on loopback",
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("gateway");
    const vendor = startVendor(scratch);
    try {
      const [line] = (await once(vendor.stdout ?? vendor, "data")) as [Buffer];
      return await measure(scratch, `http://127.0.0.1:${Number(line.toString())}`, options);
    } finally {
      vendor.kill();
    }
  },
};

function startVendor(scratch: Scratch): ChildProcess {
  const env = childEnvironment(scratch.path);
  return spawn("node", [join(ROOT, "bench", "vendor.ts")], { env, stdio: ["pipe", "pipe", "inherit"] });
}

/** The gateway runs in this process, as it does in the engine's; vendor, relay and program have one each. */
async function measure(scratch: Scratch, baseUrl: string, options: BenchOptions): Promise<readonly Figure[]> {
  const rounds = options.quick ? 10 : 200;
  const prices = [{ model: "bench-*", input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }];
  const credential = { header: "x-api-key", value: () => "sk-bench-0123456789-0123456789-0123456789" } as const;
  const opened = await openGateway({
    folder: scratch.path,
    model: { api: "anthropic", baseUrl, prices, credential, capUsd: 1_000_000 },
  });
  try {
    const client = ["node", join(ROOT, "bench", "gateway-client.ts"), baseUrl, String(rounds)];
    const argv = loopdashArgv("__relay", opened.socketPath, "--base-url", "GATEWAY", "--", ...client);
    const stdout = await mustRun({ argv, cwd: scratch.path, env: childEnvironment(scratch.path) });
    const times = JSON.parse(stdout) as Readonly<Record<string, Times>>;
    return Object.entries(times).map(([name, of]) => figure(name, of, rounds));
  } finally {
    await opened.close();
  }
}

function figure(name: string, { direct, gated, directP95, gatedP95 }: Times, rounds: number): Figure {
  const of = {
    item: "gateway",
    what: `added to ${WHAT[name] ?? name}`,
    value: gated - direct,
    unit: "ms",
    floor: { what: "straight", value: direct },
    note: `medians of ${rounds} rounds in turn; p95 ${gatedP95.toFixed(2)} against ${directP95.toFixed(2)}`,
  } as const;
  const plain = LARGE.has(name) ? noteFigure(of) : valueFigure({ ...of, max: MOST_MS });
  return { ...plain, ratio: gated / direct };
}
