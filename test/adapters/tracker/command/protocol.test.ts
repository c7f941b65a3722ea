import { describe, expect, test } from "vitest";
import { parseFiled, parseSet, parseSnapshot, parseTaken } from "../../../../src/adapters/tracker/command/protocol.ts";
import { TicketId } from "../../../../src/domain/values/ids.ts";

const T1 = { id: "T-1", title: "One", body: "", state: "open" };
const lines = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** The message of the refusal of these lines, with a right end line. */
const refusal = (...tickets: unknown[]): Promise<string> =>
  parseSnapshot(lines(...tickets, { tickets: tickets.length })).then(
    () => "accepted",
    (error: Error) => error.message,
  );

describe("the answer to snapshot", () => {
  test("gives the tickets in the program's order, with every field", async () => {
    const whole = {
      ...T1,
      id: "T-2",
      repo: "app",
      dependsOn: ["T-1"],
      exclusive: ["infra"],
      url: "https://t.example/2",
      version: "7",
    };
    const gated = { ...T1, id: "T-3", state: "human-gated", step: "  press deploy " };
    const { tickets } = await parseSnapshot(lines(whole, gated, T1, { tickets: 3 }));
    expect([...tickets.values()]).toMatchObject([
      { id: "T-2", state: { as: "open" }, repo: "app", dependsOn: ["T-1"], exclusive: ["infra"], url: "https://t.example/2" },
      { id: "T-3", state: { as: "human-gated", step: "press deploy" } },
      { id: "T-1", title: "One", body: "" },
    ]);
    expect(tickets.get(TicketId.parse("T-1"))).not.toHaveProperty("dependsOn", expect.anything());
  });

  test("may have no ticket, but not nothing", async () => {
    expect((await parseSnapshot(lines({ tickets: 0 }))).tickets.size).toBe(0);
    await expect(parseSnapshot("")).rejects.toThrow(/is missing/);
  });

  test("has revisions that follow the whole line, and not the order of its keys", async () => {
    const revision = async (ticket: object) => {
      const { tickets } = await parseSnapshot(lines(ticket, { tickets: 1 }));
      return [...tickets.values()][0]?.revision;
    };
    const { id, ...rest } = T1;
    expect(await revision({ ...rest, id })).toBe(await revision(T1));
    for (const change of [{ body: " " }, { url: "x" }, { version: "2" }, { state: "done" }, { step: "x" }, { dependsOn: [] }])
      expect(await revision({ ...T1, ...change })).not.toBe(await revision(T1));
  });

  test("parses no line again that it knows", async () => {
    const first = await parseSnapshot(lines(T1, { ...T1, id: "T-2" }, { tickets: 2 }));
    const next = await parseSnapshot(lines({ ...T1, id: "T-2" }, { ...T1, title: "Other" }, { tickets: 2 }), first.byLine);
    const [one, two] = ["T-1", "T-2"].map((id) => TicketId.parse(id)) as [TicketId, TicketId];
    expect(next.tickets.get(two)).toBe(first.tickets.get(two));
    expect(next.tickets.get(one)?.title).toBe("Other");
  });

  test.each([
    ["no end line", lines(T1), /end line \{"tickets": N\} is missing/],
    ["a wrong number", lines(T1, { tickets: 2 }), /says 2, and 1 lines came before/],
    ["a number that is none", lines(T1, { tickets: "1" }), /the end line: tickets must be a whole number/],
    ["an end line with more", lines(T1, { tickets: 1, done: true }), /unknown key "done"/],
    ["the end of another verb", lines({ id: "T-1" }, { taken: 1 }), /\{"tickets": N\} is missing/],
    ["a last line without an end", lines(T1, { tickets: 1 }).trimEnd(), /cut off/],
    ["a cut line", `${JSON.stringify(T1).slice(0, 30)}\n{"tickets":1}\n`, /line 1, ticket "T-1", is not JSON, or is cut off/],
    ["a blank line", `${lines(T1)}\n${lines({ tickets: 2 })}`, /line 2 is not JSON/],
    ["lines after the end", lines(T1, { tickets: 1 }, T1), /is missing/],
    ["too many tickets", `${"{}\n".repeat(20_001)}{"tickets":20001}\n`, /has 20001 tickets, and may have 20000/],
  ])("is refused with %s", async (_, text, message) => {
    await expect(parseSnapshot(text)).rejects.toThrow(message);
  });

  test.each([
    ["an unknown key", { ...T1, verdict: "done" }, /^line 1, ticket "T-1": unknown key "verdict"/],
    ["a key in another case", { ...T1, Step: "x" }, /unknown key "Step"/],
    [
      "a state of another case",
      { ...T1, state: "Done" },
      /^line 1, ticket "T-1": state "Done" is not one of: open, done, human-gated$/,
    ],
    ["a state with a blank", { ...T1, state: "done " }, /state "done " is not one of/],
    ["a state of another alphabet", { ...T1, state: "dоne" }, /is not one of/],
    ["a state that is no text", { ...T1, state: true }, /state must be text, not true/],
    ["no state", { id: "T-1", title: "One", body: "" }, /state is missing/],
    ["a gate without a step", { ...T1, state: "human-gated" }, /state human-gated needs step/],
    ["a gate with a blank step", { ...T1, state: "human-gated", step: " \n" }, /needs step/],
    ["a step of two lines", { ...T1, state: "human-gated", step: "a\nb" }, /step must be one line/],
    ["a long step beside another state", { ...T1, step: "x".repeat(501) }, /step must be one line of at most 500/],
    ["a step that is null", { ...T1, step: null }, /step must be text, not null/],
    ["an id that names no branch", { ...T1, id: "../T" }, /ticket "\.\.\/T": .*cannot name a branch/],
    ["a title of two lines", { ...T1, title: "a\nb" }, /title must be one line/],
    ["a blank title", { ...T1, title: " " }, /title must not be blank/],
    ["an endless title", { ...T1, title: "x".repeat(1_001) }, /title must be text of at most 1000/],
    ["an endless body", { ...T1, body: "x".repeat(1024 * 1024 + 1) }, /body must be text of at most 1048576/],
    ["a list", [T1], /line 1: must be an object/],
    ["null", null, /line 1: must be an object/],
    ["dependencies that are no ids", { ...T1, dependsOn: ["a b"] }, /dependsOn\[0\] .*cannot name a branch/],
  ])("is refused with %s", async (_, ticket, message) => {
    expect(await refusal(ticket)).toMatch(message);
  });

  test("is refused with the same ticket twice", async () => {
    expect(await refusal(T1, { ...T1, title: "Other" })).toBe('line 2: ticket "T-1" is in it twice');
  });

  test("is refused in words that are safe for a terminal", async () => {
    const nasty = "\u001b]0;owned\u0007\u202e\n";
    for (const ticket of [
      { ...T1, id: nasty },
      { ...T1, state: nasty },
      { ...T1, [nasty]: 1 },
    ])
      expect(await refusal(ticket)).not.toMatch(/[\u0000-\u001f\u202e]/);
    await expect(parseSnapshot(`{"id":"${nasty}`.replace("\n", "x\n{}\n"))).rejects.toThrow(/^[^\u0000-\u001f\u202e]*$/);
  });
});

describe("the other answers", () => {
  test("taken: ids of any form, and their number", () => {
    expect(parseTaken(lines({ id: "T-1" }, { id: "Über 7/8" }, { taken: 2 }))).toEqual(["T-1", "Über 7/8"]);
    expect(() => parseTaken(lines({ id: "T-1" }, { taken: 2 }))).toThrow(/says 2/);
    expect(() => parseTaken(lines({ id: "T-1" }))).toThrow(/\{"taken": N\} is missing/);
    expect(() => parseTaken(lines(T1, { taken: 1 }))).toThrow(/unknown key/);
  });

  test("set: before and after, or a conflict, and nothing else", () => {
    expect(parseSet(lines({ before: T1, after: { ...T1, state: "done" } }))).toMatchObject({ after: { state: { as: "done" } } });
    expect(parseSet(lines({ conflict: T1 }))).toMatchObject({ conflict: { id: "T-1" } });
    for (const answer of [{ before: T1 }, { after: T1 }, { before: T1, after: T1, conflict: T1 }, {}, null, [], "done"])
      expect(() => parseSet(lines(answer)), JSON.stringify(answer)).toThrow(/before/);
    expect(() => parseSet(lines({ before: T1, after: { ...T1, state: "Done" } }))).toThrow(/"after", ticket "T-1": state "Done"/);
    expect(() => parseSet("")).toThrow(/it is empty/);
    expect(() => parseSet(lines({ conflict: T1 }, { conflict: T1 }))).toThrow(/has 2 lines, and must have one/);
  });

  test("file: the ticket, or the id that is taken", () => {
    expect(parseFiled(lines({ filed: T1 }))).toMatchObject({ filed: { id: "T-1" } });
    expect(parseFiled(lines({ taken: "t-1" }))).toEqual({ taken: "t-1" });
    for (const answer of [{ filed: T1, taken: "T-1" }, { taken: "" }, {}, 1])
      expect(() => parseFiled(lines(answer)), JSON.stringify(answer)).toThrow(/filed/);
  });
});
