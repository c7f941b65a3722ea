import { stripVTControlCharacters } from "node:util";
import { cleanup, render } from "ink-testing-library";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { renderDashboard } from "../../components/app/render-dashboard.tsx";
import { divideTerminal } from "../../components/frame/layout.ts";
import { DashboardContext } from "../../components/kit/dashboard-context.ts";
import { cutSpans, Inner, Line, linkSpans, type Span, Spans, spansWidth } from "../../components/kit/spans.tsx";
import { DEFAULT_THEME } from "../../components/kit/theme.ts";
import { FeedView } from "../../components/views/overview/feed-view.tsx";
import { RunId } from "../../src/domain/values/ids.ts";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import type { ListedRun } from "../../src/store/run-list.ts";
import { VIEWS, type ViewName } from "../../src/store/views/view-name.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { plumbing, plumbingEnded } from "../store/scenes.ts";
import { linksOn } from "./screen/cell-link.ts";
import { Stage, storeOf, until } from "./stage.ts";

const repoUrls = { app: "https://github.com/acme/app" };
const page = (id: string) => `https://tracker.example/${id}`;
const commit = (sha: string) => `https://github.com/acme/app/commit/${sha.padEnd(40, "0")}`;
const atWork = () => plumbing({ repoUrls }).tracked(page);
const ended = () => plumbingEnded("done", { repoUrls }).tracked(page);
const FOLDER = "file://here/state/runs/plumbing";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

/** The dashboard as it ships on a terminal with hyperlinks, or without. */
async function dashboard(run: RunBuilder, [columns, rows]: readonly [number, number], links: boolean) {
  vi.setSystemTime(run.now);
  const stage = new Stage(columns, rows);
  const { store } = storeOf(run);
  const capabilities = { colours: "16", background: "unknown", glyphs: "unicode", links, hasScreenReader: false } as const;
  const { promise: drawn, resolve } = Promise.withResolvers<void>();
  const { keyboard: stdin, terminal: stdout } = stage;
  const done = renderDashboard({ store, stdin, stdout, capabilities, onDrawn: () => resolve() });
  await drawn;
  return {
    stage,
    store,
    /** What it shows; blanks at the end of a line may be written or erased. */
    text: async () => (await stdout.lines()).map((line) => line.trimEnd()).join("\n"),
    links: async () => linksOn(await stdout.screen()),
    async [Symbol.asyncDispose]() {
      stdin.end();
      await done;
    },
  };
}

const RUNS: readonly ListedRun[] = [
  {
    run: RunId.parse("plumbing-1"),
    name: "plumbing",
    batchPath: "/work/batch.json",
    standing: "ended",
    startedAt: 1,
    endedAt: 2,
    url: FOLDER,
  },
];

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 30],
  [200, 60],
] as const;

/** True if the third line, where each view has its title, is that of this view. */
function isShown(view: ViewName, [, , title = ""]: readonly string[]): boolean {
  const shown = VIEWS.filter((each) => each !== "overview").find((each) => title.includes(` ${each.toUpperCase()} `));
  return (shown ?? "overview") === view;
}

test.each([
  ["at work", atWork],
  ["ended", ended],
])("links move no cell of a run that is %s, in any view, at any size", { timeout: 120_000 }, async (_, scene) => {
  for (const size of SIZES) {
    await using on = await dashboard(scene(), size, true);
    await using off = await dashboard(scene(), size, false);
    for (const { store } of [on, off]) store.setState({ runList: RUNS, runUrl: { run: scene().state.run, url: FOLDER } });
    for (const view of VIEWS) {
      for (const { store } of [on, off]) store.dispatch({ type: "view", view });
      const shows = async () => (await on.text()) === (await off.text()) && isShown(view, await off.stage.terminal.lines());
      const what = `${view} at ${size.join("×")}`;
      await until(shows, async () => `${what}\n${await on.text()}\nbeside\n${await off.text()}`);
      expect(await on.stage.terminal.overruns(), what).toEqual([]);
    }
    expect(off.stage.terminal.raw).not.toContain("\u001b]8;");
  }
});

describe("what leads somewhere", () => {
  test("tickets and their commits, in the overview", async () => {
    await using m = await dashboard(atWork(), [120, 30], true);
    await m.stage.shows("T-7");
    const links = await m.links();
    for (const id of ["T-4", "T-6", "T-7", "T-5", "T-9"]) expect(links).toContainEqual([id, page(id)]);
    expect(links).toContainEqual(["91fe001", commit("91fe001")]);
  });

  test("a discovered ticket by what people call it in the tracker, too", async () => {
    const run = atWork();
    const words = { revision: "r", titleSha: "t", bodySha: "b" };
    run.play({ type: "tracker-read", tickets: [{ id: "T-8" as never, ...words, url: page("ENG-31"), serviceId: "ENG-31" }] });
    await using d = await dashboard(run, [120, 30], true);
    await d.stage.shows("ENG-31");
    const both = [
      ["ENG-31", page("ENG-31")],
      ["T-8", page("ENG-31")],
    ];
    expect(await d.links()).toEqual(expect.arrayContaining(both));
    d.store.dispatch({ type: "select", ticket: "T-8" as never });
    d.store.dispatch({ type: "view", view: "ticket" });
    await d.stage.shows("2 TICKET");
    expect(await d.links()).toEqual(expect.arrayContaining(both));
  });

  test("the chosen ticket and its commit, in its view", async () => {
    await using m = await dashboard(ended(), [120, 30], true);
    m.store.dispatch({ type: "view", view: "ticket" });
    m.store.dispatch({ type: "select", ticket: ended().state.plan.tickets[0]?.id as never });
    await m.stage.shows("91fe001");
    expect(await m.links()).toEqual(
      expect.arrayContaining([
        ["T-1", page("T-1")],
        ["91fe001", commit("91fe001")],
      ]),
    );
  });

  test.each(["graph", "oracle"] as const)("tickets, in the view %s", async (view) => {
    await using m = await dashboard(atWork(), [160, 50], true);
    m.store.dispatch({ type: "view", view });
    await until(
      async () => (await m.links()).some(([text, url]) => text === "T-11" && url === page("T-11")),
      async () => `${JSON.stringify(await m.links())}\n${await m.text()}`,
    );
  });

  test("the run's files, tickets and commits, in the summary", async () => {
    await using m = await dashboard(ended(), [120, 40], true);
    m.store.setState({ runUrl: { run: ended().state.run, url: FOLDER } });
    await until(
      async () => (await m.links()).some(([, url]) => url === FOLDER),
      () => m.text(),
    );
    const links = await m.links();
    expect(links.some(([text]) => /^✔ DONE/.test(text ?? ""))).toBe(true);
    expect(links).toContainEqual(["T-10", page("T-10")]);
    expect(links).toContainEqual(["91fe001", commit("91fe001")]);
  });

  test("runs whose files are there, in their view", async () => {
    await using m = await dashboard(ended(), [120, 30], true);
    m.store.setState({ runList: RUNS });
    m.store.dispatch({ type: "view", view: "runs" });
    await until(
      async () => (await m.links()).length === 2,
      () => m.text(),
    );
    expect(await m.links()).toEqual([
      ["plumbing", FOLDER],
      ["plumbing-1", FOLDER],
    ]);
  });

  test("no commit of a repository whose page is not known, and no ticket without a page", async () => {
    await using m = await dashboard(plumbing(), [120, 30], true);
    await m.stage.shows("91fe001");
    expect(m.stage.terminal.raw).not.toContain("\u001b]8;");
  });

  test("a dialog in front of links leaves those beside it", async () => {
    await using m = await dashboard(atWork(), [120, 30], true);
    m.store.dispatch({ type: "open", modal: { kind: "leave" } });
    await until(
      async () => (await m.text()).includes("Leave the dashboard"),
      () => m.text(),
    );
    expect(await m.links()).toContainEqual(["T-4", page("T-4")]);
    expect(await m.links()).not.toContainEqual(["91fe001", commit("91fe001")]);
    m.store.dispatch({ type: "close" });
    await until(
      async () => (await m.links()).some(([text]) => text === "91fe001"),
      () => m.text(),
    );
  });
});

describe("one component, as Ink alone draws it", () => {
  const shown = (view: React.ReactNode, hasLinks: boolean, run = atWork()): string => {
    const { store, feed } = storeOf(run);
    const { lastFrame } = render(<DashboardContext value={{ store, theme: DEFAULT_THEME, hasLinks }}>{view}</DashboardContext>);
    feed.close();
    return lastFrame() ?? "";
  };

  test("the feed has links, and the same text as without", () => {
    const feed = <FeedView layout={divideTerminal(100, 30, { workers: 4, rows: 4 })} />;
    const [on, off] = [shown(feed, true), shown(feed, false)];
    expect(on).toContain(`\u001b]8;;${page("T-6")}\u0007T-6\u001b]8;;\u0007`);
    expect(off).not.toContain("\u001b]8;");
    expect(stripVTControlCharacters(on)).toBe(stripVTControlCharacters(off));
  });

  test("an address that a record was forged with forms no control sequence", () => {
    const run = plumbing({ repoUrls }).tracked(() => "https://x.example/\u0007\u001b[2J\u009b31m");
    const on = shown(<FeedView layout={divideTerminal(100, 30, { workers: 4, rows: 4 })} />, true, run);
    expect(on).toContain("\u001b]8;;https://x.example/%07%1B[2J%C2%9B31m\u0007T-6\u001b]8;;\u0007");
    expect(on).not.toContain("\u001b[2J");
  });

  test("a line that Ink cuts loses no end of a link", () => {
    const line: readonly Span[] = [{ text: "x".repeat(90) }, { text: "a long name of a run", link: FOLDER }];
    const cut = shown(
      <Line>
        <Inner line={line} />
      </Line>,
      true,
    );
    expect(stripVTControlCharacters(cut)).toBe(`${"x".repeat(90)}a long na…`);
    expect(cut.match(/\u001b\]8;;file:[!-~]*\u0007/g)).toHaveLength(1);
    expect(cut.match(/\u001b\]8;;\u0007/g)).toHaveLength(1);
    expect(cut.replaceAll(/\u001b\]8;;[!-~]*\u0007/g, "")).not.toContain("\u001b]");
  });

  test("a line that is cut as data keeps its link on what is left", () => {
    const line = cutSpans(linkSpans<Span>([{ text: "see T-1234567890 now" }], [{ text: "T-1234567890", url: FOLDER }]), 10);
    expect(spansWidth(line)).toBe(10);
    expect(line).toEqual([{ text: "see " }, { text: "T-123…", link: FOLDER }]);
    const store = createDashboardStore();
    const { lastFrame } = render(
      <DashboardContext value={{ store, theme: DEFAULT_THEME, hasLinks: true }}>
        <Spans line={line} />
      </DashboardContext>,
    );
    expect(lastFrame()).toBe(`see \u001b]8;;${FOLDER}\u0007T-123…\u001b]8;;\u0007`);
  });
});
