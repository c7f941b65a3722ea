import { XMLValidator } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { vecFrom, vecItems } from "../../src/domain/values/vec.ts";
import { renderPage } from "../../src/report/page.ts";
import { landedCommands } from "../../src/store/results/landed-lines.ts";
import { batchOf, RunBuilder } from "../store/run-builder.ts";
import { claimsEnded, crowd, plumbing, plumbingEnded } from "../store/scenes.ts";
import { earlierRuns, HOSTILE, hostilePage, PAGES } from "./pages.ts";

/** The words of a page, without its markup. */
function wordsOf(page: string): string {
  return page
    .slice(page.indexOf("<body>"))
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
}

/** Every tag of a page with its attributes. */
function tagsOf(page: string): readonly string[] {
  return [...page.matchAll(/<([a-z][a-z0-9-]*)/g)].map(([, name = ""]) => name);
}

describe.each(Object.entries(PAGES))("the page of %s", (_, make) => {
  const page = make();

  test("holds nothing that could run or be fetched", () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`);
    expect(tagsOf(page)).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(?:script|img|link|iframe|object|embed|form|base|video|audio|use|image)$/),
      ]),
    );
    const outside = page
      .replace(/<style>[^]*<\/style>/, "")
      .matchAll(/\s(?:src|href|action|data|xlink:href|style|on\w+)="([^"]*)"/g);
    for (const [, to = ""] of outside) expect(to).toMatch(/^#[a-z]+$/);
    expect(page.match(/<style>([^]*?)<\/style>/)?.[1]).not.toMatch(/@import|url\((?!#hatch\))|expression|<\//);
  });

  test("is well-formed, each link leads somewhere, and no name is given twice", () => {
    const body = page.slice(page.indexOf("<body>"), page.indexOf("</html>"));
    expect(XMLValidator.validate(body, { unpairedTags: ["br"] })).toBe(true);
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, to] of page.matchAll(/\shref="#([^"]+)"/g)) expect(ids).toContain(to);
    for (const [, to] of page.matchAll(/\saria-labelledby="([^"]+)"/g)) expect(ids).toContain(to);
  });

  test("every table names its columns, every picture says what it shows, and headings follow each other", () => {
    for (const [table] of page.matchAll(/<table[^]*?<\/table>/g)) expect(table).toMatch(/<th scope="col"/);
    for (const [svg] of page.matchAll(/<svg[^>]*role="img"[^>]*>/g)) expect(svg).toMatch(/aria-label="[^"]{10,}"/);
    const levels = [...page.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [i, level] of levels.entries()) expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1);
  });
});

test("tickets, commits and the run lead to their pages, and nothing else leads away", () => {
  const of = { repoUrls: { app: "https://github.com/acme/app" } };
  const run = plumbingEnded("done", of).tracked((id) => `https://tracker.example/${id}`);
  const page = renderPage(run.state, false, [], [], "file:///state/runs/plumbing");
  const away = [...page.matchAll(/<a href="([^#"][^"]*)"([^>]*)>/g)].map(([, to = "", rest]) => [to, rest] as const);
  for (const [, rest] of away) expect(rest).toBe(' rel="noopener noreferrer"');
  const to = away.map(([url]) => url);
  for (const { id } of run.state.plan.tickets) expect(to).toContain(`https://tracker.example/${id}`);
  expect(to).toContain(`https://github.com/acme/app/commit/${"91fe001".padEnd(40, "0")}`);
  expect(to).toContain("file:///state/runs/plumbing");
  expect(to.filter((url) => !/^https:\/\/(?:tracker\.example|github\.com\/acme\/app)\/|^file:/.test(url))).toEqual([]);
  const forged = plumbingEnded("done").tracked(() => "javascript:alert(1)");
  expect(renderPage(forged.state)).not.toContain("javascript:");
});

describe("what a page says", () => {
  test("of a run that is done: verdict, steps word for word, commits, and the oracle's own counts", () => {
    const words = wordsOf(PAGES.done());
    expect(words).toContain("✔ DONE, says the oracle plumbing");
    expect(words).toContain("unlock the state bucket in the console, as the owner of the account: Storage, state, Unlock");
    expect(words).toContain("beef001000");
    expect(words).toContain("◆ The oracle: done");
    expect(words).not.toContain("Not done");
  });

  test("of what landed: its size and tests, the log of it and the command that takes it back", () => {
    const { state } = plumbingEnded();
    const tests = { added: 2, removed: 0 };
    const [first, ...rest] = [...vecItems(state.tickets)];
    if (first === undefined) throw new Error("no ticket");
    const landedWith = { additions: 12, deletions: 3, tests } as never;
    const words = wordsOf(renderPage({ ...state, tickets: vecFrom([{ ...first, landedWith }, ...rest]) }));
    expect(words).toContain("+12 −3 · tests +2 −0");
    for (const line of landedCommands(state))
      expect(words).toContain(line.replaceAll("&&", "&amp;&amp;").replaceAll(/\s+/g, " "));
    expect(landedCommands(state).join()).toContain("take back: ");
  });

  test("of a run that is not: what is open, and why", () => {
    const words = wordsOf(PAGES["not-done"]());
    expect(words).toMatch(/Not done 1 ✖ T-10 lock the state bucket 3 of 3 attempts failed; last: apply failed/);
    expect(words).toMatch(/Evidence of failed attempts .*T-10 lock the state bucket 3 attempts, not done/);
    expect(words).toContain("apply failed: bucket is locked (0)");
  });

  test("of a run that goes on: that nothing is final, and what its tries are at", () => {
    const words = wordsOf(PAGES.live());
    expect(words).toContain("! NEEDS YOU");
    expect(words).toMatch(
      /The run continues: this page shows it as it stood at 2026-05-04 12:45:13 UTC, event \d+\. Nothing here is final\./,
    );
    expect(words).toContain("! Unsandboxed:");
    expect(words).toContain("▶ at work T-4");
    expect(wordsOf(renderPage(plumbing().state, false, []))).toContain("■ cut off T-4");
    expect(wordsOf(renderPage(plumbing().state, false, []))).toContain("no engine is at work on it");
  });

  test("earlier runs stand beside it, those that say little marked, and what is not known is not 0", () => {
    const page = PAGES.done();
    expect(wordsOf(page)).toMatch(/05-02 12:00 ✖ not complete 05-01 12:00 ✔ done other batch/);
    expect(page).toContain(`aria-label="interventions, oldest run first: not known, 6, 1 (not complete), 3, 1"`);
    const row = page.slice(page.indexOf(">interventions</th>"));
    expect(wordsOf(`<body>${row.slice(0, row.indexOf("</tr>"))}`)).toContain("interventions 1 −2 better 3 1 6 –");
  });

  test("a run that is not complete is held against none", () => {
    expect(wordsOf(PAGES["not-done"]())).toContain("No changes are shown: this run is not complete");
    expect(wordsOf(PAGES["not-done"]())).not.toMatch(/better|worse/);
  });

  test("hostile text is read as it was written, and bidi controls are gone", () => {
    const page = hostilePage();
    for (const text of HOSTILE.slice(0, 5))
      expect(page).toContain(
        text
          .replaceAll("&", "&amp;")
          .replaceAll("<", "&lt;")
          .replaceAll(">", "&gt;")
          .replaceAll('"', "&quot;")
          .replaceAll("'", "&#39;"),
      );
    expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u001b\u0000]/);
  });

  test("a run without a try, a gate or a dependency has no empty parts", () => {
    const run = new RunBuilder(batchOf({ tickets: [{ id: "T-1" }] }));
    const page = renderPage(run.state, true, []);
    for (const id of ["yours", "open", "timeline", "graph", "evidence"]) expect(page).not.toContain(`<section id="${id}"`);
    expect(wordsOf(page)).toContain("Nobody touched this run.");
    expect(wordsOf(page)).toContain("The oracle has not judged yet");
  });

  test("a discovered ticket says who found it, and a blocker's gate what has landed", () => {
    const words = wordsOf(renderPage(claimsEnded().state, false, []));
    expect(words).toContain("rotate the credentials of the bucket (found by T-2)");
    expect(words).toContain("built: 0dd5ea1, landed, its checks passed");
  });

  test("500 tickets are all there", () => {
    const page = renderPage(crowd({ tickets: 500, workers: 64 }).state, true, []);
    expect(page.match(/<tr><td class="state/g)).toHaveLength(500);
    expect(page.length).toBeLessThan(1_000_000);
  });

  test("the same journal gives the same page", () => {
    expect(renderPage(plumbingEnded().state, false, earlierRuns())).toBe(PAGES.done());
  });
});
