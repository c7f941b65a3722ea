import { beforeAll, describe, expect, test } from "vitest";
import { askedThere, failedThere, queued, runOfPullRequests } from "../../../store/pull-request-scenes.ts";
import type { RunBuilder } from "../../../store/run-builder.ts";
import { plumbing } from "../../../store/scenes.ts";
import { type Mounted, mount } from "../../mount.tsx";
import { checkedScreen, SIZES } from "../../shot.ts";
import { FakeFile } from "./view-stage.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const TRIAGE = `# What failed in \`lint\`

Ticket \`T-1\`, attempt 1, commit \`1a2b3c4d5e6f\`. 1 failure: 1 high.

## 1. high: lint

\`\`\`
eslint src/keys.ts:4: 'rotate' is assigned a value but never used (no-unused-vars)
reproduce: npx eslint src/keys.ts
\`\`\`
New in attempt 1.
`;

/** The tab of checks of a ticket. */
async function opened(run: RunBuilder, [columns, rows]: readonly [number, number], id = "T-1"): Promise<Mounted> {
  const m = await mount(run, columns, rows);
  m.store.dispatch({ type: "select", ticket: id as never });
  m.store.dispatch({ type: "view", view: "ticket" });
  await m.stage.press("C", "CHECKS");
  return m;
}

const snapshot = (name: string): string => `../__snapshots__/ticket-${name}.txt`;

describe("the tab of checks", () => {
  test.each(SIZES)("has the pull request and its checks, the failed ones first, at %i×%i", async (columns, rows) => {
    await using m = await opened(queued(), [columns, rows]);
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`checks-${columns}x${rows}`));
  });

  test.each(SIZES)("has the triage of what failed there, and says how old the reading is, at %i×%i", async (columns, rows) => {
    await using m = await opened(failedThere(), [columns, rows]);
    new FakeFile(m.store).write(TRIAGE);
    await m.stage.press("G", "New in attempt 1");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`triage-${columns}x${rows}`));
  });

  test("says what is stale, since when and why, also of a reading that has just been made", async () => {
    await using m = await opened(failedThere(), [80, 24]);
    await m.stage.shows("is not being read");
    expect(await m.stage.terminal.text()).toMatch(/stale +since \d\d:\d\d: what follows is not being read/);
    expect(await m.stage.terminal.text()).not.toContain("just now: what");
    const away = queued();
    away.play({ type: "outage-started", what: "forge", why: "ECONNREFUSED", nextAt: away.now + 4_000, until: away.now + 9_000 });
    await using other = await opened(away, [80, 24]);
    await other.stage.shows("what follows cannot be read, the forge is away");
  });

  test("is searched as the other tabs are, in the facts and in the triage", async () => {
    await using m = await opened(failedThere(), [120, 30]);
    new FakeFile(m.store).write(TRIAGE);
    await m.stage.press("/", "/█");
    await m.stage.press("lint", "in 6 lines");
    await m.stage.press("\r", "this is 1");
    await m.stage.press("n", "this is 2");
  });

  test("names required checks that nobody has registered", async () => {
    await using m = await opened(failedThere(), [120, 50]);
    await m.stage.shows("? end to end  not registered  required");
  });

  test.each([
    ["flaky", "lint; flaky, on the base, too"],
    ["infrastructure", "lint; infrastructure: a machine or a registry failed"],
    // As runs of older versions have it.
    [undefined, "lint"],
  ] as const)("names what loopdash had started again, and why: %s", async (category, text) => {
    const run = queued().of("T-1", { type: "pull-request-rerun", names: ["lint"], ...(category && { category }) });
    await using m = await opened(run, [120, 50]);
    await m.stage.shows(`re-run once  ${text}`);
  });

  test("has the words of people and bots if they alone were the reason", async () => {
    await using m = await opened(askedThere(), [120, 30]);
    new FakeFile(m.store).tell("absent");
    await m.stage.shows("ann asked for changes on #12");
    await m.stage.shows("> Say when it throws.");
    expect(await m.stage.terminal.text()).not.toContain("triage.md");
  });

  test("says why there is no pull request", async () => {
    await using m = await opened(runOfPullRequests().working("T-1", "working"), [80, 24]);
    await m.stage.shows("no pull request yet");
    await using other = await opened(plumbing(), [80, 24], "T-6");
    await other.stage.shows('no pull request: the changes of infra land by the forge "local"');
    await other.stage.press("l", "LOG");
    expect(await other.stage.terminal.text()).not.toContain("checks ");
  });
});
