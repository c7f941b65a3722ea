import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ciStopReason } from "../../src/domain/ci/stop-reason.ts";
import type { Confinement } from "../../src/ports/executor.ts";
import type { Repo } from "../../src/ports/vcs.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ANSWER, answers, open, result } from "./branch-stage.ts";
import type { Stage } from "./stage.ts";

cleanUp();

/** A check that a formatter could repair by its name, until an agent gives the answer. */
const FORMAT = {
  format: (read: Parameters<NonNullable<(typeof ANSWER)["test"]>>[0], sha: string) => ANSWER["test"]?.(read, sha) && "bad\n",
};

/** Gives the repository a formatter that changes this file. */
function formats(stage: Stage, file: string, scripts: Readonly<Record<string, string>> = {}): void {
  const format = `node -e "fs.writeFileSync('${file}', 'formatted')"`;
  writeFileSync(join(stage.user, "package.json"), JSON.stringify({ private: true, scripts: { format, ...scripts } }));
  stage.git("add", "package.json");
  stage.git("commit", "-q", "-m", "a formatter");
}

describe("fixers", () => {
  test("whose change is refused are not run again: it is an agent's turn", async () => {
    const { stage } = await open({ checks: FORMAT, protect: ["kept.txt"], work: answers("42") });
    using _ = stage;
    formats(stage, "kept.txt");
    stage.start();
    const state = await stage.ended();
    expect([ciStopReason(state), stage.tasks.length, stage.of("ci-fixed").length]).toEqual(["green", 1, 1]);
    expect(result(state).iterations.filter(({ commit }) => commit !== null)).toMatchObject([{ fixers: [] }]);
  });

  test("that could not start are not named", async () => {
    const { stage } = await open({ checks: { "format and lint": FORMAT.format }, work: answers("42") });
    using _ = stage;
    formats(stage, "text.txt", { "lint:fix": "no-such-tool --fix" });
    stage.start();
    expect(ciStopReason(await stage.ended())).toBe("green");
    expect(stage.of("branch-commits-observed")).toEqual([]);
    expect(stage.of("act-observed")).toEqual([]);
    expect(stage.of("ci-fixed")).toMatchObject([{ fixers: ["npm run format"] }]);
  });

  test("are shown the worktree, and nothing by which an agent speaks to the engine", async () => {
    const seen: Confinement[] = [];
    const { stage } = await open({
      checks: FORMAT,
      work: answers("42"),
      over: ({ executor }) => ({
        confined: true,
        executor: {
          killStrays: (...strays) => executor.killStrays(...strays),
          run: ({ confinement, ...request }) => {
            if (request.argv.includes("format") && confinement !== undefined) seen.push(confinement);
            return executor.run(request);
          },
        },
      }),
    });
    using _ = stage;
    formats(stage, "text.txt");
    stage.start();
    expect(ciStopReason(await stage.ended())).toBe("green");
    expect(stage.of("branch-commits-observed")).toEqual([]);
    expect(stage.of("act-observed")).toEqual([]);
    const [confinement] = seen;
    expect(confinement?.hosts).toEqual([]);
    expect(confinement?.mounts).toContainEqual(expect.objectContaining({ write: true }));
    for (const path of [...(confinement?.write ?? []), ...(confinement?.read ?? [])])
      expect(path).not.toMatch(/outbox|session|prompt/);
  });

  test("whose change is being captured when a signal stops the run have not failed", async () => {
    let stop: () => void = () => undefined;
    const { stage } = await open({
      checks: FORMAT,
      over: ({ repos }) => ({ repos: new Map([...repos].map(([id, repo]) => [id, cutOff(repo, () => stop())])) }),
    });
    using _ = stage;
    formats(stage, "text.txt");
    stop = () => stage.engine.orchestrator.stop("signal");
    stage.start();
    const state = await stage.ended();
    expect(ciStopReason(state)).toBe("interrupted");
    expect(stage.of("attempt-ended").at(-1)).toMatchObject({ outcome: "stopped" });
  });
});

/** A repository whose captures are cut off by a stop. */
function cutOff(repo: Repo, stop: () => void): Repo {
  const capture: Repo["capture"] = async ({ signal }) => {
    if (signal === undefined) throw new Error("this capture cannot be stopped");
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    stop();
    await aborted;
    throw new Error("git was killed");
  };
  return new Proxy(repo, {
    get: (target, key) => {
      if (key === "capture") return capture;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
