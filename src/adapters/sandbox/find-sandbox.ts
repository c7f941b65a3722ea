import { homedir, tmpdir } from "node:os";
import type { Sandbox } from "../../ports/executor.ts";
import { createExecutor } from "../executor/process-executor.ts";
import { type BubblewrapOptions, createBubblewrap, PROCESSES_MAX } from "./bubblewrap/bubblewrap.ts";
import { findGroupHome, memoryMax } from "./bubblewrap/control-group.ts";
import { boundsInotify } from "./bubblewrap/outer-namespace.ts";
import { ownMounts } from "./bubblewrap/own-mounts.ts";
import { seccompFilter } from "./bubblewrap/seccomp.ts";
import { refuseDumps } from "./bubblewrap/starter.ts";
import { bubblewrapVersion, laysOverlays, wantsNewer } from "./bubblewrap/version.ts";
import { confinedExecutor } from "./confined-executor.ts";
import { findProgram } from "./find-program.ts";
import { canLayLayers } from "./mounts/layers.ts";
import { canOverlay, notOverlaid } from "./mounts/read-overlays.ts";
import { SEATBELT } from "./seatbelt/seatbelt-config.ts";
import { runCanary } from "./self-test/canary.ts";
import { kernelSetting, NOT_INSTALLED, type WhyNot, whyItFailed } from "./why-not.ts";

export type FoundSandbox =
  | {
      readonly ok: true;
      readonly sandbox: Sandbox;
      readonly version: string;
      /** The bounds of a process in it, in words. */
      readonly bounds: string;
      /** Protections that this sandbox lacks here although other systems have them, or that could not be verified. */
      readonly lacks: readonly WhyNot[];
    }
  | ({
      readonly ok: false;
      /** Ways in which a process escaped during the self-test. The sandbox exists then but does not hold. */
      readonly escapes?: readonly string[];
    } & WhyNot);

/** Options of the search. HOME defaults to that of this process. */
export type Sought = { readonly path: string; readonly platform?: NodeJS.Platform } & Partial<
  Pick<BubblewrapOptions, "home" | "state" | "tools" | "hide" | "processes">
>;

/**
 * Finds the sandbox of this system, bubblewrap on a PATH or macOS's own, and tests it: a process in it tries to get out and must
 * fail. Without `state`, loopdash's state is hidden only as far as it lies below HOME. Throws if the temporary folder takes no
 * file.
 */
export async function findSandbox(sought: Sought): Promise<FoundSandbox> {
  const { path, platform = process.platform, ...rest } = sought;
  if (platform === "darwin") return findSeatbelt(path, rest);
  if (platform !== "linux" || seccompFilter() === undefined) {
    return no(`there is no sandbox for ${platform} on ${process.arch} yet`, "Run loopdash on Linux (x64 or arm64).");
  }
  const program = findProgram("bwrap", { cwd: "/", path });
  if (program === undefined) return { ok: false, ...NOT_INSTALLED };
  const version = await bubblewrapVersion(program);
  if (version === undefined) return no(`${program} --version printed no version`, `Run it by hand: ${program} --version.`);
  if (wantsNewer(version)) {
    return no(`${program} is ${version}, and 0.8 or newer is needed`, "Install a newer one: sudo apt install bubblewrap.");
  }
  return tryOut({ home: homedir(), ...rest, program }, version);
}

/** If bwrap fails with an optional feature, it is tried without it: a kernel may refuse overlays, for example. */
async function tryOut(plain: BubblewrapOptions, version: string): Promise<FoundSandbox> {
  const prefix = await ownMounts(plain.program);
  const groups = findGroupHome();
  const bound = { ...plain, ...(groups === undefined ? {} : { groups }) };
  const layers = await canLayLayers(plain.program, plain.state);
  const apart = { ...bound, layers, ...(prefix === undefined ? {} : { ownMounts: prefix }) };
  const shown = (await canOverlay(["/usr"])) ? [{ ...apart, readOverlays: true }] : [];
  const copies = laysOverlays(version) ? [...shown, apart].map((wish) => ({ ...wish, overlays: true })) : [];
  await refuseDumps();
  const wishes: BubblewrapOptions[] = [...copies, ...shown, apart, plain];
  let failed: FoundSandbox | undefined;
  for (const wish of wishes) {
    const sandbox = createBubblewrap(wish);
    const end = await runCanary(confinedExecutor(createExecutor(), sandbox), wish.state);
    if (!end.ran) {
      failed ??= { ok: false, ...whyItFailed(end.result.message ?? end.result.tail, kernelSetting) };
      continue;
    }
    if (end.escapes.length > 0) {
      const could = end.escapes.join(", ");
      const todo = "Check whether bwrap was replaced or wrapped, and update it.";
      return { ok: false, escapes: end.escapes, why: `a process in it could ${could}`, todo };
    }
    return { ok: true, sandbox, version, bounds: describeBounds(wish), lacks: await findLacks(wish, prefix) };
  }
  return failed ?? no("no way to start bwrap was tried", "This is a defect of loopdash.");
}

function describeBounds({ groups, processes = PROCESSES_MAX }: BubblewrapOptions): string {
  const counted = groups !== undefined || process.getuid?.() !== 0 ? `${processes} processes` : "any number of processes";
  const memory = groups?.memory === true ? `${Math.floor(memoryMax() / 2 ** 20)} MiB of memory` : "memory as there is";
  return `${counted}, ${memory}`;
}

async function findLacks(options: BubblewrapOptions, wanted: readonly string[] | undefined): Promise<WhyNot[]> {
  const { groups, ownMounts: used, readOverlays = false, home, state } = options;
  const lacks: WhyNot[] = [];
  if (groups === undefined && process.getuid?.() === 0) {
    const why = "the number of processes is not bounded: root is bound by control groups only, and none can be made here";
    lacks.push({ why, todo: "Run loopdash as an ordinary user." });
  }
  if (!readOverlays && used === undefined && (wanted === undefined || wanted.length > 0)) {
    const why = "what is mounted during a run in a visible folder can be reached in it: the mounts of this system are shared";
    lacks.push({ why, todo: "Mount nothing outside of your home, /mnt and /media during a run, or allow user namespaces." });
  }
  const bare = readOverlays ? await notOverlaid(["/usr", "/etc", home, state ?? home, tmpdir()]) : ["any folder"];
  if (bare.length > 0) {
    const why = `pipes, locks and new sockets of other programs in ${bare.join(", ")} can be reached in it where it may read them: no overlay can be mounted there`;
    lacks.push({
      why,
      todo: "Use Linux 5.11 or newer with util-linux 2.38 or newer, allow user namespaces, and mount nothing below these folders.",
    });
  }
  if (!readOverlays || !(await boundsInotify())) {
    const why =
      "what is in it can use up your instances of inotify, by which other programs watch files: they cannot be bounded here";
    lacks.push({ why, todo: "Allow user namespaces, with a writable /proc/sys/user, or raise fs.inotify.max_user_instances." });
  }
  return lacks;
}

async function findSeatbelt(path: string, rest: Omit<Sought, "path" | "platform">): Promise<FoundSandbox> {
  const program = findProgram(SEATBELT, { cwd: "/", path });
  if (program === undefined)
    return no(`there is no ${SEATBELT}`, "sandbox-exec ships with macOS: check that it was not removed.");
  // Linux never loads modules that only macOS needs.
  const { createSeatbelt } = await import("./seatbelt/seatbelt.ts");
  const sandbox = createSeatbelt({ home: homedir(), ...rest });
  const end = await runCanary(confinedExecutor(createExecutor(), sandbox), rest.state);
  if (!end.ran) {
    const said = (end.result.message ?? end.result.tail).trim().split("\n", 1)[0] ?? "";
    return no(
      `sandbox-exec does not work here: ${said}`,
      "Run it by hand to see why: sandbox-exec -p '(version 1)(allow default)' true.",
    );
  }
  if (end.escapes.length > 0) {
    const why = `a process in it could ${end.escapes.join(", ")}`;
    return { ok: false, escapes: end.escapes, why, todo: 'Report it, and set "sandbox": "off" only where you trust the agents.' };
  }
  const why =
    "untested: nobody has run loopdash's sandbox on macOS yet; it hides and closes, but bounds and kills less than on Linux";
  const lacks = [
    { why, todo: "Read docs/inside/decisions/sandbox.md, and look at what an agent does there before you leave the room." },
  ];
  return { ok: true, sandbox, version: "of macOS", bounds: "processes and memory as there are", lacks };
}

function no(why: string, todo: string): FoundSandbox {
  return { ok: false, why, todo };
}
