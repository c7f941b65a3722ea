import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createProgramService } from "../../../../src/adapters/tracker/command/program-service.ts";
import { createServiceTracker, readServiceTickets } from "../../../../src/adapters/tracker/service/service-tracker.ts";
import { RepoId, TicketId } from "../../../../src/domain/values/ids.ts";
import { TicketConflict, TicketIdTaken, type Tracker } from "../../../../src/ports/tracker.ts";
import { scratchFolder } from "../../../helpers/scratch.ts";
import { aProgram } from "./program-stage.ts";

const folder = scratchFolder();
const A = TicketId.parse("T-1");
const D = TicketId.parse("T-1-d1");

const opened = (script: string): Tracker =>
  createServiceTracker({ service: createProgramService(aProgram(folder(), script)), ids: [A] });
const filed = { id: D, title: "A leak", body: "Look.\r\nThere.", repo: RepoId.parse("app"), note: "found by T-1" };

describe("setting through a program", () => {
  test.each([
    ["ignores the write", `print({ before: T1, after: T1 })`, /T-1 was set to done and did not read back so/],
    [
      "answers with another ticket",
      `print({ before: T1, after: { ...T2, state: "done" } })`,
      /about ticket T-1 and answered with T-2/,
    ],
    ["has read another ticket before", `print({ before: T2, after: { ...T1, state: "done" } })`, /answered with T-2/],
    ["writes a look-alike", `print({ before: T1, after: { ...T1, state: "done " } })`, /wrong answer to "set": .*state "done "/],
    ["answers with a cut line", `process.stdout.write('{"before":{"id":"T-1"')`, /wrong answer to "set": .*cut off/],
    ["answers nothing", ``, /wrong answer to "set"/],
    [
      "fails",
      `process.stderr.write("no route to host\\n"); process.exitCode = 1`,
      /^set T-1: the tracker program .* exit code 1: no route to host$/,
    ],
    ["calls an allowed state a conflict", `print({ conflict: T1 })`, /calls the state open of T-1 a conflict/],
  ])("fails if it %s", async (_, script, message) => {
    await expect(opened(script).set(A, { as: "done" }, "", [{ as: "open" }])).rejects.toThrow(message);
  });

  test("sends state, step, allowed states and a note of one line", async () => {
    const tracker = opened(`const input = await text(process.stdin); writeFileSync("input", input);
      const { state, step } = JSON.parse(input); print({ before: T1, after: { ...T1, state, step } })`);
    const gated = { as: "human-gated", step: ' press "deploy" ' } as const;
    await tracker.set(A, gated, "two\nlines", [{ as: "open" }, { as: "human-gated", step: "ask" }]);
    expect(JSON.parse(readFileSync(join(folder(), "input"), "utf8"))).toEqual({
      id: "T-1",
      state: "human-gated",
      step: 'press "deploy"',
      note: "two lines",
      from: [{ state: "open" }, { state: "human-gated", step: "ask" }],
    });
  });

  test("tells a conflict apart from a failure, and takes the wanted state for no conflict", async () => {
    const conflict = `print({ conflict: { ...T1, state: "human-gated", step: "ask Jo" } })`;
    await expect(opened(conflict).set(A, { as: "done" }, "", [{ as: "open" }])).rejects.toThrow(TicketConflict);
    const { before, after } = await opened(conflict).set(A, { as: "human-gated", step: "ask Jo" }, "", [{ as: "open" }]);
    expect(before).toBe(after);
  });

  test("starts no program for a ticket of others, or for a step that is none", async () => {
    const tracker = opened(`writeFileSync("started", "")`);
    await expect(tracker.set(D, { as: "done" }, "")).rejects.toThrow(/T-1-d1 is not one of the batch's/);
    await expect(tracker.set(A, { as: "human-gated", step: "a\nb" }, "")).rejects.toThrow();
    expect(existsSync(join(folder(), "started"))).toBe(false);
  });
});

describe("filing through a program", () => {
  const answering = (answer: string, snapshot = "T1, { tickets: 1 }"): Tracker =>
    opened(`if (verb === "snapshot") print(${snapshot}); else {
      const sent = JSON.parse(await text(process.stdin)); const { id, title, body } = sent; const kept = { id, title, body, state: "open" };
      writeFileSync("sent", JSON.stringify(sent)); print(${answer}); }`);

  test("sends every field, and allows other line ends and blanks at the end of the text", async () => {
    const tracker = answering(`{ filed: { ...kept, body: body.replaceAll("\\r", "") + "\\n\\n" } }`);
    await tracker.file({ ...filed, dependsOn: [A], exclusive: ["infra"] });
    const { body, id, repo, title } = filed;
    const sent = { id, title, body, repo, dependsOn: ["T-1"], exclusive: ["infra"], note: "found by T-1" };
    expect(JSON.parse(readFileSync(join(folder(), "sent"), "utf8"))).toEqual(sent);
  });

  test.each([
    ["another title", `{ filed: { ...kept, title: "A leek" } }`, /T-1-d1 was filed and did not read back so/],
    ["another text", `{ filed: { ...kept, body: "Look." } }`, /did not read back so/],
    ["a state that a new ticket cannot have", `{ filed: { ...kept, state: "done" } }`, /did not read back so/],
    ["another id", `{ filed: { ...kept, id: "T-1-D1" } }`, /answered with T-1-D1/],
    ["an unknown key", `{ filed: { ...kept, url: undefined, key: "X-1" } }`, /wrong answer to "file": .*unknown key "key"/],
  ])("fails if it reads back with %s", async (_, answer, message) => {
    await expect(answering(answer).file(filed)).rejects.toThrow(message);
  });

  test("finds a ticket of the same title in any state, with any text", async () => {
    const there = `{ ...T1, id: "T-1-d1", title: "A leak", body: "Other.", state: "done" }`;
    await answering(`{ filed: ${there} }`, `${there}, { tickets: 1 }`).file(filed);
  });

  test("tells a taken id apart from a failure", async () => {
    const taken = answering(`{ taken: "T-1-D1" }`).file(filed);
    await expect(taken).rejects.toThrow(TicketIdTaken);
    await expect(taken).rejects.toThrow(/T-1-D1 is another ticket/);
  });
});

describe("reading through a program", () => {
  test("fails as a whole if one line cannot be read", async () => {
    const tracker = opened(`print(T1, { ...T2, state: "Done" }, { tickets: 2 })`);
    const message = /^the tracker program .* gave a wrong answer to "snapshot": line 2, ticket "T-2": state "Done" is not one of/;
    await expect(tracker.read()).rejects.toThrow(message);
    await expect(tracker.snapshot()).rejects.toThrow(message);
    await expect(tracker.body(A)).rejects.toThrow(message);
  });

  test("gives a text of the last reading without asking again, as written since, until it is freed", async () => {
    writeFileSync(join(folder(), "asked"), "");
    const tracker = opened(`writeFileSync("asked", readFileSync("asked", "utf8") + verb + " ");
      if (verb === "set") print({ before: T1, after: { ...T1, state: "done", body: "Newer." } }); else print(...(verb === "taken" ? [{ taken: 0 }] : [T1, { tickets: 1 }]))`);
    await tracker.read();
    expect(await tracker.body(A)).toBe("Text.");
    await tracker.set(A, { as: "done" }, "");
    expect(await tracker.body(A)).toBe("Newer.");
    tracker.watch(() => undefined)();
    // A reading is freed in its turn, so that the next request comes after it.
    await tracker.taken();
    expect(await tracker.body(A)).toBe("Text.");
    expect(readFileSync(join(folder(), "asked"), "utf8")).toBe("snapshot set taken snapshot ");
  });

  test("sends one request at a time, also after one that failed", async () => {
    const tracker = opened(`if (existsSync("busy")) { print("at once"); process.exit(0); }
      writeFileSync("busy", ""); const { rmSync } = await import("node:fs");
      await new Promise((go) => setTimeout(go, 100)); rmSync("busy");
      if (verb === "taken") process.exit(1); print(T1, { tickets: 1 })`);
    const all = await Promise.allSettled([tracker.read(), tracker.taken(), tracker.read(), tracker.snapshot()]);
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  });

  test("gives the tickets for a batch, and names one that no batch may have", async () => {
    const tickets = await readServiceTickets(
      createProgramService(aProgram(folder(), `print({ ...T1, title: " One ", repo: "app" }, T2, { tickets: 2 })`)),
    );
    const rest = { body: "Text.", dependsOn: [], exclusive: [], writer: "unknown" };
    expect(tickets).toEqual([
      { id: "T-1", title: "One", repo: "app", ...rest, file: "ticket T-1 in the tracker" },
      { id: "T-2", title: "One", ...rest, file: "ticket T-2 in the tracker" },
    ]);
    const long = aProgram(folder(), `print({ ...T1, title: "x".repeat(201) }, { tickets: 1 })`);
    await expect(readServiceTickets(createProgramService(long))).rejects.toThrow(
      /the title of ticket T-1 is longer than 200 characters/,
    );
    const text = aProgram(folder(), `print({ ...T1, body: "x".repeat(64_001) }, { tickets: 1 })`);
    await expect(readServiceTickets(createProgramService(text))).rejects.toThrow(
      /the text of ticket T-1 is longer than 64,000 characters/,
    );
  });
});
