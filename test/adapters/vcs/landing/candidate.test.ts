import { describe, expect, test } from "vitest";
import { cleanUp, git, setUp } from "../real-repo.ts";

cleanUp();

const PEOPLE = { author: "A. Person <a@example.com>", committer: "C. Person <c@example.com>", env: {} };

describe("a candidate that may land", () => {
  test("is the same commit whenever it is built, at the time of its attempt", async () => {
    const { repo, user, first } = await setUp(undefined, () => ({ commits: PEOPLE }));
    const at = Date.now() + 3_600_000;
    const build = () => repo.candidate({ tip: first, message: "T-1\n", lands: { at } });
    const one = await build();
    expect(await build()).toEqual(one);
    const commit = one.ok ? one.commit : "";
    const time = Math.floor(at / 1000);
    expect(git(user, "log", "-1", "--format=%an <%ae> %at|%cn <%ce> %ct", commit)).toBe(
      `${PEOPLE.author} ${time}|${PEOPLE.committer} ${time}`,
    );
    expect(git(user, "fsck", "--strict", "--no-dangling", commit)).toBe("");
  });

  test("is not older than what it stands on", async () => {
    const { repo, user, first } = await setUp(undefined, () => ({ commits: PEOPLE }));
    const built = await repo.candidate({ tip: first, message: "T-1\n", lands: { at: 1_000 } });
    const commit = built.ok ? built.commit : "";
    expect(git(user, "log", "-1", "--format=%ct", commit)).toBe(git(user, "log", "-1", "--format=%ct", first));
  });
});
