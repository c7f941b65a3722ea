import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createExecutor } from "../../../../src/adapters/executor/process-executor.ts";
import { confinedExecutor } from "../../../../src/adapters/sandbox/confined-executor.ts";
import { type CanaryEnd, runCanary } from "../../../../src/adapters/sandbox/self-test/canary.ts";
import { type Confinement, ConfinementRefused, type Launch, type Sandbox } from "../../../../src/ports/executor.ts";
import { bwrap, useStage } from "../support.ts";

const stage = useStage();
const WALLS = ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent"];
const FILES = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];
/** Node itself, which may lie below /tmp. */
const NODE = ["--ro-bind", process.execPath, process.execPath];
const READ_ONLY_PROC = ["--remount-ro", "/proc"];

type Make = (launch: Launch, confinement: Confinement) => Launch;
let settled = 0;

/** A sandbox that starts what `make` makes of a launch. */
function sandbox(make: Make): Sandbox {
  const settle = async () => {
    settled += 1;
    return { reported: true, empty: true };
  };
  return {
    kind: "bubblewrap",
    layers: false,
    confine: async (launch, confinement) => ({ ...make(launch, confinement), settle }),
  };
}

/** Bubblewrap with these flags, and what may be written and read bound after them. */
function wrapped(flags: readonly string[], may = true): Sandbox {
  return sandbox(({ argv, cwd, env }, { write, read }) => ({
    argv: [
      ...[bwrap(), ...flags, ...NODE],
      ...(may ? write : []).flatMap((path) => ["--bind", path, path]),
      ...read.flatMap((path) => ["--ro-bind", path, path]),
      ...[...READ_ONLY_PROC, "--chdir", cwd, "--", ...argv],
    ],
    cwd,
    env,
  }));
}

const tryOut = (sandbox: Sandbox): Promise<CanaryEnd> =>
  runCanary(confinedExecutor(createExecutor(), sandbox), stage.at("state"));

describe("the canary", () => {
  test("does not get out of a sandbox that holds", async () => {
    expect(await tryOut(wrapped([...FILES, ...WALLS]))).toEqual({ ran: true, escapes: [] });
    expect(settled).toBe(1);
  });

  test.each<[wall: string, flags: string[], could: RegExp[]]>([
    [
      "no wall at all",
      ["--dev-bind", "/", "/"],
      [
        /change a file/,
        /write a file/,
        /delete a hidden/,
        /see loopdash's state/,
        /see a process/,
        /port/,
        /a socket/,
        /abstract/,
      ],
    ],
    [
      "files that can be written",
      ["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", ...WALLS],
      [/change a file/, /write a file/, /read a hidden file/],
    ],
    ["the network of this machine", [...FILES, ...WALLS.filter((flag) => flag !== "--unshare-net")], [/port/, /abstract/]],
    ["what is not hidden", FILES.slice(0, -2).concat(WALLS), [/reach a socket/, /read a hidden/, /see loopdash's state/]],
    ["the processes of this machine", [...FILES, ...WALLS.filter((flag) => flag !== "--unshare-pid")], [/see a process/]],
  ])("gets out through %s, and says so", async (_, flags, could) => {
    const end = await tryOut(wrapped(flags));
    expect(end.ran).toBe(true);
    for (const each of could) expect(end.ran && end.escapes.join(", ")).toMatch(each);
  });

  test("gets out of a sandbox that confines nothing, whatever it says of itself", async () => {
    expect(await tryOut(sandbox((launch) => launch))).toMatchObject({
      ran: true,
      escapes: expect.arrayContaining(["change a file outside", "reach somebody outside"]),
    });
  });

  test("believes its own eyes: what happened outside counts, whatever is said inside", async () => {
    const liar = sandbox((options) => ({ ...options, argv: ["/bin/sh", "-c", "printf x >>../kept/file; echo '[\"own\"]'"] }));
    expect(await tryOut(liar)).toEqual({ ran: true, escapes: ["change a file outside"] });
  });

  test.each<[what: string, found: () => Sandbox, says: RegExp]>([
    ["does not start", () => wrapped(["--no-such-flag"]), /no-such-flag/],
    ["is not there", () => sandbox((options) => ({ ...options, argv: ["/nowhere/bwrap"] })), /nowhere/],
    ["lets nothing be written", () => wrapped([...FILES, ...WALLS], false), /./],
    ["does nothing and says it went well", () => sandbox((options) => ({ ...options, argv: ["/bin/true"] })), /^$/],
    [
      "refuses",
      () =>
        sandbox(() => {
          throw new ConfinementRefused("the working folder is hidden");
        }),
      /the working folder is hidden/,
    ],
  ])("in a sandbox that %s proves nothing", async (_, found, says) => {
    const end = await tryOut(found());
    expect(end.ran).toBe(false);
    if (!end.ran) expect(end.result.message ?? end.result.tail).toMatch(says);
    expect(existsSync(stage.at("state"))).toBe(true);
  });
});
