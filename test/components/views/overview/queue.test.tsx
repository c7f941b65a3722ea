import { cleanup } from "ink-testing-library";
import { afterEach, describe, expect, test } from "vitest";
import { divideTerminal } from "../../../../components/frame/layout.ts";
import { textWidth } from "../../../../components/kit/fit.ts";
import { Needs } from "../../../../components/views/overview/needs.tsx";
import { Queue, wordAndTitle } from "../../../../components/views/overview/queue.tsx";
import { queueLines } from "../../../../components/views/overview/sections.ts";
import { TicketId } from "../../../../src/domain/values/ids.ts";
import { displayText } from "../../../../src/store/format.ts";
import { NO_LISTS, selectable, sortTickets } from "../../../../src/store/lists.ts";
import { batchOf, RunBuilder } from "../../../store/run-builder.ts";
import { claims, finishLine, hostile, plumbing } from "../../../store/scenes.ts";
import { show } from "../../part.tsx";

afterEach(cleanup);

describe("queue", () => {
  test("every waiting ticket says why", () => {
    const text = show(plumbing(), <Queue layout={divideTerminal(120, 30, { workers: 4, rows: 4 })} />);
    for (const words of [/T-8 +ready/, /T-10 +infra is held by T-6/, /T-9 +waits for T-4, T-6/, /T-11 +waits for T-9/])
      expect(text).toMatch(words);
  });

  test("one list for all sections has the heading of its first row, however far it is scrolled", () => {
    const lists = sortTickets(finishLine().state, NO_LISTS);
    const titles: Record<string, string> = { waiting: "NEXT", done: "DONE" };
    const headings = selectable({ ...lists, rows: [], needsYou: [] }).map((selected) => {
      const [heading, top] = queueLines(lists, { width: 80, height: 3 }, selected);
      if (heading?.line !== "title" || top?.line !== "ticket") throw new Error("no heading with a row");
      expect(heading.title, selected).toBe(titles[top.section]);
      return `${heading.title} ${heading.count}`;
    });
    expect(headings[0]).toBe("NEXT 1 · done 1");
  });

  test("a title stands there whole or has a mark in its place, however long the reason and narrow the row", () => {
    const words = [
      "queued",
      "waits for T-3, T-9",
      "署名鍵を毎週ローテーション",
      "approve the DNS change at the registrar: zone example.org",
    ];
    for (const section of ["landed", "waiting", "done"] as const) {
      for (const word of words) {
        for (const title of ["", "x", "tidy up", "rotate the signing keys", words[2] ?? ""]) {
          for (let room = 10; room <= 130; room++) {
            const text = wordAndTitle(section, { text: word }, title, room)
              .map((span) => span.text)
              .join("");
            expect(textWidth(text)).toBe(room + 1);
            expect(text.includes(title) || text.includes("…"), `${room}: ${text}`).toBe(true);
            expect(text.includes(word) || text.includes("…"), `${room}: ${text}`).toBe(true);
          }
        }
      }
    }
  });

  test.each([60, 80, 100, 140])("so it is in a queue that is %i columns wide", (columns) => {
    for (const run of [plumbing(), claims(), hostile()]) {
      const tickets = run.state.plan.tickets.map(({ id, title }) => ({ id, title: displayText(title) }));
      const rows = show(run, <Queue layout={divideTerminal(columns, 40, { workers: 4, rows: 4 })} />)
        .split("\n")
        .flatMap((line) => {
          const ticket = tickets.find(({ id }) => new RegExp(`^│?.[^A-Z\\d] ${id} `).test(line));
          return ticket === undefined ? [] : [{ line, title: ticket.title }];
        });
      expect(rows.length).toBeGreaterThan(0);
      for (const { line, title } of rows) if (!line.includes(title)) expect(line).toContain("…");
    }
  });

  test("a step that is left to a person is whole, at every width", () => {
    const step = "approve the DNS change at the registrar: zone example.org, ticket 4711";
    const row = (columns: number) =>
      show(plumbing(), <Needs layout={divideTerminal(columns, 40, { workers: 4, rows: 4, needs: 9 })} />)
        .split("\n")
        .map((line) =>
          line
            .replace(/ since .*/, "")
            .replace(/│/, "")
            .replace(/^ ! T-5/, ""),
        )
        .slice(1)
        .join(" ")
        .replace(/\s+/g, " ")
        .trim();
    for (const columns of [60, 80, 100]) expect(row(columns)).toBe(step);
  });

  test("a ticket that a worker found says who, wherever it stands, and that it is being filed", () => {
    const queue = <Queue layout={divideTerminal(80, 40, { workers: 4, rows: 4 })} />;
    const run = claims();
    expect(show(run, queue)).toContain("T-2-d1 held till");
    expect(show(run, queue)).toContain("· found by T-2");
    expect(show(run, queue)).toMatch(/T-3-d1 it is being filed in the tracker · found by T-3/);
    run.working("T-2-d1").ships("T-2-d1");
    expect(show(run, queue)).toMatch(/✔ T-2-d1 5c1e0aa +found by T-2 · rotate the credentials/);
  });

  test("a step that is left to a person stands before the commit of what was built", () => {
    const text = show(claims(), <Needs layout={divideTerminal(80, 40, { workers: 4, rows: 4, needs: 9 })} />);
    expect(text).toMatch(/! T-5 {4}approve the DNS change [^]* · built: 0dd5ea1/);
  });

  test("what is stalled says why, and nothing waiting reads as empty", () => {
    const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }] }));
    run.fails("A");
    run.play({ type: "ticket-stalled", ticket: TicketId.parse("A"), reason: "out of attempts" });
    expect(show(run, <Needs layout={divideTerminal(80, 24, { workers: 4, rows: 4, needs: 1 })} />)).toMatch(
      /! A +out of attempts/,
    );
    const busy = new RunBuilder(batchOf({ tickets: [{ id: "A" }] })).working("A");
    expect(show(busy, <Queue layout={divideTerminal(80, 24, { workers: 4, rows: 4 })} />)).toContain("QUEUE empty");
  });
});
