import { beforeAll, describe, expect, test } from "vitest";
import { pushed, queued, reads, runOfPullRequests } from "../../../store/pull-request-scenes.ts";
import { SIZES, shot } from "../../shot.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const snapshot = (name: string): string => `../__snapshots__/overview-${name}.txt`;

/** T-1 waits in the merge queue, T-2 was pushed just now. */
const both = () => pushed(queued(), "T-2", 13);

describe("the overview of tickets at their pull requests", () => {
  test.each(SIZES)("has the number, what failed, the numbers of checks and the queue at %i×%i", async (columns, rows) => {
    const screen = await shot(both(), [columns, rows], []);
    await expect(screen).toMatchFileSnapshot(snapshot(`pull-requests-${columns}x${rows}`));
  });

  test("is whole at 160 columns, and cut behind a whole part at 80", async () => {
    expect(await shot(queued(), [160, 50], [])).toContain(
      "#12 · failed: lint · 3 of 4 checks passed · merge queue: 2nd · pushed 4m ago",
    );
    expect(await shot(queued(), [80, 24], [])).toMatch(/#12 · failed: lint · 3 of 4 checks passed · merge queue: 2nd …$/m);
    expect(await shot(both(), [160, 50], [])).toContain("#13 · checks not read yet · pushed just now");
  });

  test("says since when the forge is away", async () => {
    const run = reads(pushed(runOfPullRequests(), "T-1"), "T-1");
    const times = { nextAt: run.now + 60_000, until: run.now + 600_000 };
    run.wait(60).play({ type: "outage-started", what: "forge", why: "acme.example cannot be reached", ...times });
    expect(await shot(run.wait(120), [160, 50], [])).toContain("#12 · forge away since 12:0");
  });

  test("is a dialog for a review at 80×24", async () => {
    const screen = await shot(
      queued(),
      [80, 24],
      [
        ["j", "▌"],
        ["A", "Request a review of T-1"],
        ["@ann", "@ann"],
      ],
    );
    await expect(screen).toMatchFileSnapshot("../../__snapshots__/dialog-review-80x24.txt");
  });
});
