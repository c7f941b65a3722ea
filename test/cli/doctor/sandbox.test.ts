import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkSandbox } from "../../../src/cli/doctor/sandbox.ts";
import type { SandboxMode } from "../../../src/domain/batch/schema.ts";
import { type Confinement, ConfinementRefused, type Launch, type Sandbox } from "../../../src/ports/sandbox.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const WALLS = ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent"];
/** Node itself, which may lie below /tmp. */
const NODE = ["--ro-bind", dirname(process.execPath), dirname(process.execPath)];
const FILES = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];

let place = "";
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-doctor-test-")));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

type Make = (launch: Launch, confinement: Confinement) => Launch;

/** A sandbox that starts what `make` makes of a launch. */
function sandbox(make: Make): Sandbox {
  const settle = () => Promise.resolve({ reported: true, empty: true });
  return { kind: "bubblewrap", confine: async (launch, confinement) => ({ ...make(launch, confinement), settle }) };
}

/** Bubblewrap with these flags; what may be written is bound after them. */
function wrapped(flags: readonly string[], may: (write: readonly string[]) => readonly string[] = (write) => write): Sandbox {
  return sandbox(({ argv, cwd, env }, { write }) => ({
    argv: ["bwrap", ...flags, ...NODE, ...may(write).flatMap((path) => ["--bind", path, path]), "--chdir", cwd, "--", ...argv],
    cwd,
    env,
  }));
}

function look(found: Sandbox | undefined, mode: SandboxMode = "required", at = "not/yet") {
  const none = { ok: false, why: "bubblewrap is not installed", todo: "Install it: apt-get install bubblewrap" } as const;
  const find = () => Promise.resolve(found === undefined ? none : ({ ok: true, sandbox: found, version: "0.8.0" } as const));
  return checkSandbox({ find, path: PATH, place: join(place, at), mode });
}

const canaryOf = async (found: Sandbox) => (await look(found)).find(({ check }) => check === "sandbox-canary");

describe("the canary", () => {
  test("does not get out of a sandbox that holds", async () => {
    expect(await look(wrapped([...FILES, ...WALLS]))).toEqual([
      { check: "sandbox", status: "ok", found: "bubblewrap 0.8.0", fix: null },
      {
        check: "sandbox-canary",
        status: "ok",
        found: "a process in it could not change, see or reach anything outside",
        fix: null,
      },
    ]);
  });

  test.each<[wall: string, flags: string[], could: RegExp[]]>([
    [
      "no wall at all",
      ["--dev-bind", "/", "/"],
      [/change a file/, /delete a file/, /make a file/, /see a process/, /port/, /Unix socket/, /abstract/],
    ],
    [
      "files that can be written",
      ["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", ...WALLS],
      [/change a file/, /make a file/],
    ],
    ["the network of this machine", [...FILES, ...WALLS.filter((flag) => flag !== "--unshare-net")], [/port/, /abstract/]],
    ["sockets that are files", FILES.slice(0, -2).concat(WALLS), [/reach a Unix socket/]],
    ["the processes of this machine", [...FILES, ...WALLS.filter((flag) => flag !== "--unshare-pid")], [/see a process/]],
  ])("gets out through %s, and that is bad", async (_, flags, could) => {
    const finding = await canaryOf(wrapped(flags));
    expect(finding).toMatchObject({ status: "bad", fix: expect.stringContaining("Do not run agents") });
    for (const each of could) expect(finding?.found).toMatch(each);
  });

  test("reads nothing of the state that is there, and where it can, that is bad", async () => {
    mkdirSync(join(place, "state"));
    const [, held] = await look(wrapped([...FILES, ...WALLS]), "required", "state");
    expect(held).toMatchObject({ check: "sandbox-canary", status: "ok" });
    const [, seen] = await look(wrapped([...FILES.slice(0, -2), ...WALLS]), "required", "state");
    expect(seen).toMatchObject({ status: "bad", found: expect.stringContaining("read loopdash's state") });
    rmSync(join(place, "state"), { recursive: true });
  });

  test("is tried all the same where no state can be kept", async () => {
    writeFileSync(join(place, "file"), "");
    const [, held] = await look(wrapped([...FILES, ...WALLS]), "required", "file/home");
    expect(held).toMatchObject({ check: "sandbox-canary", status: "ok" });
    rmSync(join(place, "file"));
  });

  test("gets out of a sandbox that confines nothing, whatever it says of itself", async () => {
    const finding = await canaryOf(sandbox((launch) => launch));
    expect(finding).toMatchObject({ status: "bad", found: expect.stringContaining("change a file outside its folder") });
  });

  test.each<[what: string, found: Sandbox, says: RegExp]>([
    ["does not start", wrapped(["--no-such-flag"]), /does not work: .*no-such-flag/],
    ["is not there", sandbox((of) => ({ ...of, argv: ["/nowhere/bwrap"] })), /does not work: /],
    ["lets nothing be written", wrapped([...FILES, ...WALLS], () => []), /does not work: /],
    ["does nothing and says it went well", sandbox((of) => ({ ...of, argv: ["/bin/true"] })), /does not work: /],
    [
      "refuses",
      sandbox(() => {
        throw new ConfinementRefused("the working folder is hidden");
      }),
      /does not work: the working folder is hidden/,
    ],
  ])("in a sandbox that %s proves nothing, and that is bad", async (_, found, says) => {
    expect(await canaryOf(found)).toMatchObject({ status: "bad", found: expect.stringMatching(says) });
  });

  test("believes its own eyes: what happened outside counts, whatever is said inside", async () => {
    const script = `printf '[]' >"$1/alive"; printf x >>"$1/../outside/victim"`;
    const liar = sandbox((of) => ({ ...of, argv: ["/bin/sh", "-c", script, "sh", of.cwd] }));
    expect(await canaryOf(liar)).toMatchObject({ status: "bad", found: expect.stringContaining("change a file") });
  });

  test("is told when it is over, however that went", async () => {
    let settled = 0;
    const counting = (of: Sandbox): Sandbox => ({
      kind: "bubblewrap",
      confine: async (launch, confinement) => {
        const confined = await of.confine(launch, confinement);
        return { ...confined, settle: () => (settled++, confined.settle()) };
      },
    });
    for (const flags of [[...FILES, ...WALLS], ["--no-such-flag"]]) await look(counting(wrapped(flags)));
    expect(settled).toBe(2);
  });

  test("leaves nothing behind", async () => {
    mkdirSync(join(place, "left"), { recursive: true });
    await look(wrapped(["--dev-bind", "/", "/"]));
    expect(readdirSync(place)).toEqual(["left"]);
  });
});

describe("no sandbox", () => {
  test.each<[SandboxMode, string]>([
    ["required", "bad"],
    ["auto", "warn"],
  ])("where it is %s: %s, with what to do", async (mode, status) => {
    expect(await look(undefined, mode)).toEqual([
      { check: "sandbox", status, found: "none: bubblewrap is not installed", fix: "Install it: apt-get install bubblewrap" },
    ]);
  });

  test("where the batch switches it off: said, be there one or not", async () => {
    for (const found of [undefined, wrapped([])])
      expect(await look(found, "off")).toMatchObject([
        { check: "sandbox", status: "warn", found: expect.stringContaining("your rights") },
      ]);
  });
});
