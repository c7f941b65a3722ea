import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { join, resolve } from "node:path";
import type { Gateway } from "@loopdash/model-gateway";
import { type BuildOptions, build } from "esbuild";
import { onTestFinished } from "vitest";
import type { OpenGatewayOptions } from "../../src/adapters/gateway/open-gateway.ts";
import { openGateway } from "../../src/adapters/gateway/open-gateway.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const LOAD = `() => import("./src/cli/guard/run-guard.ts")`;

/** The relay and the guard that it serves, in one file. */
export function bundleRelay(loadGuard = LOAD): Promise<string> {
  const contents = `import { relay } from "./src/cli/relay.ts"; process.exitCode = await relay(process.argv.slice(2), ${loadGuard});`;
  return bundled({ stdin: { contents, resolveDir: ROOT, loader: "ts" } });
}

/** The part of the relay that starts before every program. */
export function bundleRelayAlone(): Promise<string> {
  return bundled({ entryPoints: ["src/cli/relay.ts"], external: ["@loopdash/guard/server"] });
}

async function bundled(of: BuildOptions): Promise<string> {
  const built = { bundle: true, platform: "node", format: "esm", target: "node24", write: false } as const;
  const { outputFiles } = await build({ absWorkingDir: ROOT, ...of, ...built });
  return outputFiles[0]?.text ?? "";
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOf {
  readonly wrap?: readonly string[];
  readonly env?: Record<string, string>;
  readonly input?: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly said: () => string;
}

/** Starts the relay, whose text this is, from this folder; `wrap` goes in front of it. */
export function startRelay(
  { entry, folder }: { entry: string; folder: string },
  argv: readonly string[],
  startOf: StartOf = {},
): Started {
  const script = join(folder, "relay.mjs");
  writeFileSync(script, entry);
  const [program = "", ...args] = [...(startOf.wrap ?? []), process.execPath, script, ...argv];
  const child = spawn(program, args, { env: { PATH: process.env["PATH"], ...startOf.env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end(startOf.input ?? "");
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return { child, ended, said: () => stdout };
}

/** Runs a script by this Node. */
export const node = (script: string): string[] => [process.execPath, "-e", script];
export const NO_SOCKET = "/nonexistent/socket";

/** The built-in sandbox's way: no network but loopback, nothing shared but the socket. */
export const sandbox = (socketPath: string): string[] => [
  "bwrap",
  "--unshare-user",
  "--unshare-net",
  "--unshare-pid",
  "--die-with-parent",
  "--new-session",
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--bind",
  socketPath,
  socketPath,
];

export async function openedGateway(options: OpenGatewayOptions): Promise<Gateway> {
  const gateway = await openGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

export async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
