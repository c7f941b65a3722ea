import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync } from "node:fs";
import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import type { ExecResult } from "../../../src/ports/executor.ts";
import { asOrdinaryUser, engineOf, movedEngine } from "./engine.ts";
import { isRoot, PATH, useStage } from "./support.ts";

const stage = useStage();

describe("rights", () => {
  test("no capability, no new one, a filter, no terminal", async () => {
    const { tail } = await stage.sh(
      "grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t'; ulimit -c",
      {},
    );
    const none = "0".repeat(16);
    expect(tail.split("\n").slice(0, 6)).toEqual([
      `CapPrm:${none}`,
      `CapEff:${none}`,
      `CapBnd:${none}`,
      `CapAmb:${none}`,
      "NoNewPrivs:1",
      "Seccomp:2",
    ]);
  });

  test("a program that is root's whoever starts it (setuid) is nobody's in there", async () => {
    openToAll();
    const program = stage.at("wt/id");
    copyFileSync("/usr/bin/id", program);
    chmodSync(program, 0o4755);
    // Only root can make such a program; for others one of the system shows whether it has its rights.
    const argv = isRoot ? [program, "-u"] : ["/usr/bin/passwd", "-S", userInfo().username];
    const withRights = isRoot ? /^0\n$/ : /^\S+ (L|P|NP) /;
    expect(asOrdinaryUser(stage, argv)).toMatch(withRights);
    const inside: ExecResult = JSON.parse(asOrdinaryUser(stage, engineOf(stage, argv, {}, await movedEngine(stage))));
    expect(inside).toMatchObject({ ending: "exited", tail: expect.not.stringMatching(withRights) });
    if (isRoot) expect(inside.tail).toBe("65534\n");
  });

  test("so many processes and no more", async () => {
    openToAll();
    const engine = await movedEngine(stage);
    const script = "i=0; while [ $i -lt 80 ]; do sleep 30 & i=$((i+1)); done 2>/dev/null; ls -d /proc/[0-9]* | wc -l";
    const count = (processes: number): ExecResult =>
      JSON.parse(asOrdinaryUser(stage, engineOf(stage, ["/bin/sh", "-c", script], { processes }, engine)));
    expect(count(40).exitCode).not.toBe(0);
    expect(count(4_000)).toMatchObject({ exitCode: 0, tail: expect.stringMatching(/^8\d\n$/) });
  });

  test("files that the engine was started with stay out, also folders", async () => {
    stage.put("outside/secret", "leaked");
    const look = 'for fd in /proc/self/fd/*; do cat "$fd/secret"; done 2>/dev/null; ls /proc/self/fd | tr "\\n" " "';
    const engine = engineOf(stage, ["/bin/sh", "-c", look]);
    const opened = (argv: readonly string[]) =>
      spawnSync("/bin/bash", ["-c", 'exec 7<"$0" 77<"$0"; exec "$@"', stage.at("outside"), ...argv], {
        encoding: "utf8",
        env: { PATH },
      }).stdout;
    const result = JSON.parse(opened(engine));
    expect(result).toMatchObject({ exitCode: 0, tail: "0 1 2 3 " });
    expect(opened(["/bin/sh", "-c", look])).toMatch(/^leakedleaked/);
  });
});

function openToAll(): void {
  for (const path of [stage.folder, ...["home", "state", "wt"].map((name) => stage.at(name))]) chmodSync(path, 0o777);
}
