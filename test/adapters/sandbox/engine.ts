import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bwrap, isRoot, NOTHING, PATH, type Stage } from "./support.ts";

const ENGINE = join(import.meta.dirname, "confine.child.ts");

/** An engine that every user may start, wherever this checkout lies: below root's home only root may. */
export async function movedEngine(stage: Stage): Promise<string[]> {
  const [program, script] = [stage.at("node"), stage.at("engine.mjs")];
  copyFileSync(process.execPath, program);
  await build({ entryPoints: [ENGINE], outfile: script, bundle: true, platform: "node", format: "esm", ...REQUIRE });
  return [program, script];
}

/** CommonJS packages in an ECMAScript bundle look for `require`. */
const REQUIRE = { banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' } };

/** What a program says that is started by somebody without root's rights: this user, or nobody. */
export function asOrdinaryUser(stage: Stage, argv: readonly string[]): string {
  const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const [program = "", ...args] = [...(isRoot ? nobody : []), ...argv];
  return spawnSync(program, args, {
    encoding: "utf8",
    env: { PATH },
    cwd: stage.folder,
    timeout: 25_000,
    stdio: ["ignore", "pipe", "inherit"],
  }).stdout;
}

/** What an engine of its own is told beyond the usual. */
interface More {
  readonly processes?: number;
  /** Whether it looks for its sandbox as a run does; else it makes a plain one. */
  readonly found?: boolean;
  readonly read?: readonly string[];
}

/** The command line of an engine of its own that runs one confined program. */
export function engineOf(
  stage: Stage,
  argv: readonly string[],
  { read = [], found = false, ...more }: More = {},
  engine: readonly string[] = [process.execPath, ENGINE],
): string[] {
  const request = {
    argv,
    cwd: stage.at("wt"),
    env: { PATH: "/usr/bin:/bin", F: stage.folder },
    logFile: stage.at("log"),
    timeoutMs: 20_000,
    marker: `engine-${process.pid}-${Math.random()}`,
  };
  const asked = {
    found,
    sandbox: { program: bwrap(), home: stage.at("home"), state: stage.at("state"), ...more },
    request: { ...request, confinement: { ...NOTHING, read, write: [stage.at("wt")] } },
  };
  return [...engine, JSON.stringify(asked)];
}
