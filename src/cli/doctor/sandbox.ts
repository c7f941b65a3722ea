import { randomUUID } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { systemCode } from "../../adapters/disk-error.ts";
import type { FoundSandbox } from "../../adapters/sandbox/find-sandbox.ts";
import type { SandboxMode } from "../../domain/batch/schema.ts";
import { ConfinementRefused, type Sandbox } from "../../ports/sandbox.ts";
import { CANARY, type CanaryTask, canaryFiles, openDoors } from "./canary.ts";
import { bad, type Finding, ok, warn } from "./finding.ts";
import { nearestExisting, withProbeFolder } from "./probe-folder.ts";

/** What looks for a sandbox that hides `state`, where that is there; see the adapter. */
type FindSandbox = (of: { readonly path: string; readonly state?: string }) => Promise<FoundSandbox>;

/** How long a canary may take. Milliseconds. */
const DEADLINE_MS = 20_000;

const BROKEN = "Do not run agents with it. Update it, and look whether its program was replaced or wrapped.";

/**
 * Whether there is a sandbox and whether it holds: a canary in it tries to get out, and must fail. `mode` is the batch's; without a
 * batch it is what a batch has by default. `place` is where state is kept, which is what the sandbox has to keep agents from.
 */
export async function checkSandbox(of: {
  readonly find: FindSandbox;
  readonly path: string;
  readonly place: string;
  readonly mode: SandboxMode;
}): Promise<readonly Finding[]> {
  if (of.mode === "off") {
    const fix = 'Set "sandbox" to "required" in the batch file, or leave it out.';
    return [warn("sandbox", "the batch switches it off: agents and commands have your rights", fix)];
  }
  const found = await of.find({ path: of.path, ...(existsSync(of.place) ? { state: of.place } : {}) });
  if (!found.ok) return [(of.mode === "required" ? bad : warn)("sandbox", `none: ${found.why}`, found.todo)];
  const { sandbox, version } = found;
  return [ok("sandbox", `${sandbox.kind} ${version}`), await canary(sandbox, of)];
}

async function canary(sandbox: Sandbox, of: { readonly path: string; readonly place: string }): Promise<Finding> {
  // Where no state can be kept another check says so; whether the sandbox holds can be told all the same.
  const near = nearestExisting(of.place);
  const usable = statSync(near).isDirectory() && isWritable(near);
  return withProbeFolder(usable ? near : tmpdir(), async (probe) => {
    const [inside, outside] = [join(probe, "inside"), join(probe, "outside")];
    for (const folder of [inside, outside]) mkdirSync(folder);
    const token = randomUUID();
    const files = canaryFiles(inside, outside);
    writeFileSync(files.victim, token);
    await using doors = await openDoors(token, files.socket);
    using outsider = startOutsider(token);
    const tokenBackwards = [...token].reverse().join("");
    // What is only to be made cannot be hidden yet, nor what lies around it.
    const secret = usable && existsSync(of.place) ? files.victim : "";
    const task = { ...files, secret, tokenBackwards, port: doors.port };
    const said = await launch(sandbox, { task, inside, path: of.path }).catch(refusalIn);
    const did = new Set(escapes(files.alive));
    for (const deed of deeds(files, token)) did.add(deed);
    if (doors.visited()) did.add("reach somebody outside");
    if (!outsider.alive()) did.add("end a process outside");
    if (did.size > 0) return bad("sandbox-canary", `a process in it could ${[...did].join(", ")}`, BROKEN);
    if (!existsSync(files.alive))
      return bad("sandbox-canary", `a process in it does not work: ${said}`, "See that it runs as this user.");
    return ok("sandbox-canary", "a process in it could not change, see or reach anything outside");
  });
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

/** Runs the canary confined, to its end. Gives what it said on stderr. */
async function launch(
  sandbox: Sandbox,
  of: { readonly task: CanaryTask; readonly inside: string; readonly path: string },
): Promise<string> {
  const confined = await sandbox.confine(
    { argv: [process.execPath, "-e", CANARY, JSON.stringify(of.task)], cwd: of.inside, env: { PATH: of.path } },
    { write: [of.inside], read: [dirname(process.execPath)], mounts: [], sockets: [] },
  );
  try {
    const [program = "", ...args] = confined.argv;
    const given = { cwd: confined.cwd, env: { ...confined.env }, extendEnv: false } as const;
    const options = { reject: false, stdin: "ignore", timeout: DEADLINE_MS, killSignal: "SIGKILL" } as const;
    const { stderr, exitCode, shortMessage } = await execa(program, args, { ...given, ...options });
    return stderr.trim().slice(0, 400) || shortMessage || `exit code ${exitCode ?? "none"} and no word`;
  } finally {
    await confined.settle();
  }
}

/** A sandbox that refuses so little is of no use. */
function refusalIn(error: unknown): string {
  if (error instanceof ConfinementRefused) return error.message;
  throw error;
}

/** What the canary says it could do. Where it wrote something else it is not to be trusted in either way. */
function escapes(alive: string): readonly string[] {
  if (!existsSync(alive)) return [];
  const did: unknown = JSON.parse(readFileSync(alive, "utf8"));
  return Array.isArray(did) ? did.map(String) : ["write what it was not asked to"];
}

/** What can be seen of it in the files outside, whatever it says. */
function deeds({ victim, escaped }: Pick<CanaryTask, "victim" | "escaped">, text: string): readonly string[] {
  const isUnchanged = existsSync(victim) && readFileSync(victim, "utf8") === text;
  return [
    ...(isUnchanged ? [] : ["change a file outside its folder"]),
    ...(existsSync(escaped) ? ["make a file outside its folder"] : []),
  ];
}

/** A process that does nothing, with the token in its command line, for the canary not to find. */
function startOutsider(token: string): Disposable & { readonly alive: () => boolean } {
  const script = "setTimeout(() => undefined, 60_000)";
  const child = execa(process.execPath, ["-e", script, token], { env: {}, extendEnv: false, reject: false, stdio: "ignore" });
  const { nodeChildProcess } = child;
  return {
    alive: () => nodeChildProcess.exitCode === null && nodeChildProcess.signalCode === null,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}
