import { describe, expect, it } from "vitest";
import { checkBatch } from "../../../src/domain/batch/check.ts";
import { type FolderTicket, mergeFolder } from "../../../src/domain/batch/merge-folder.ts";
import { parseBatchFile } from "../../../src/domain/batch/parse.ts";
import { formatProblems, type Path } from "../../../src/domain/batch/problem.ts";
import { readBatch } from "../../../src/domain/batch/read.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchText, batchValue } from "./sample.ts";

/** What is found, each with the path at which it stands. */
function found(part: Readonly<Record<string, unknown>>): readonly string[] {
  const paths: Path[] = [];
  const locate = (path: Path) => {
    paths.push(path);
    return { line: paths.length, column: 1 };
  };
  const problems = checkBatch(BatchFile.parse(batchValue(part)), locate);
  return problems.map((problem) => {
    const line = /^\D*(\d+):1/.exec(formatProblems("b", [problem]))?.[1];
    return `${(paths[Number(line) - 1] ?? []).join(".")}: ${formatProblems("b", [problem]).replace(/^b:\d+:1 {2}/, "")}`;
  });
}

const ticket = (id: string, more: object = {}) => ({ id, title: "x", ...more });

describe("what keeps a batch from running is found at its place", () => {
  it.each<[string, object, RegExp[]]>([
    ["a word of the oracle's command", { oracle: { command: ["a", "b\nc"] } }, [/^oracle\.command\.1: /]],
    ["a word of the agent's command", { agent: { kind: "command", command: ["a", "b\nc"] } }, [/^agent\.command\.1: /]],
    ["a protected path", { protect: ["a", ".."] }, [/^protect\.1: /]],
    ["a finish line without a merge", { finish: [{ step: "gates" }] }, [/^finish: .*has no merge/]],
    [
      "a word of a step's command",
      { finish: [{ step: "check", name: "t", command: ["a", "b\nc"] }, { step: "merge" }] },
      [/^finish\.0\.command\.1: /],
    ],
    [
      "the place of a report",
      { finish: [{ step: "check", name: "t", command: ["a"], report: { format: "junit", path: "../x" } }, { step: "merge" }] },
      [/^finish\.0\.report\.path: /],
    ],
    ["a step out of order", { finish: [{ step: "merge" }, { step: "gates" }] }, [/^finish\.1: .*gates must come before merge/]],
    [
      "two steps of one name",
      {
        finish: [
          { step: "check", name: "t", command: ["a"] },
          { step: "merge" },
          { step: "verify", name: "v", command: ["a"] },
          { step: "verify", name: "v", command: ["a"] },
        ],
      },
      [/^finish\.3\.name: .*finish\[2\] is a verify named "v" as well/],
    ],
    ["nothing, with an agent that is no command", { agent: { kind: "claude", apiKeyEnv: "KEY" } }, []],
    ["a repository's name", { repos: { constructor: { path: "a" } } }, [/^repos\.constructor: .*reserved word/]],
    ["a repository's path", { repos: { app: { path: "a\u0000b" } } }, [/^repos\.app\.path: /]],
    ["a repository's base", { repos: { app: { path: "a", base: "a..b" } } }, [/^repos\.app\.base: /]],
    [
      "a word of a preparation",
      { repos: { app: { path: "a", prepare: [["a"], ["b", "c\nd"]] } } },
      [/^repos\.app\.prepare\.1\.1: /],
    ],
    ["a tracker's path", { tracker: { kind: "local", path: "a\u0000b" } }, [/^tracker\.path: /]],
    [
      "an empty folder",
      { tracker: { kind: "local", path: "t" }, tickets: [] },
      [/^tracker\.path: .*the folder holds no tickets/],
    ],
    ["no tickets", { tickets: [] }, [/^tickets: .*the batch has no tickets/]],
    ["a title over two lines", { tickets: [ticket("A", { title: "x\ny" })] }, [/^tickets\.0\.title: /]],
    ["a missing title", { tickets: [{ id: "A" }] }, [/^tickets\.0\.title: .*is missing/]],
    ["a ticket's finish line", { tickets: [ticket("A", { finish: [{ step: "gates" }] })] }, [/^tickets\.0\.finish: .*no merge/]],
    [
      "a command of a ticket's finish line",
      { tickets: [ticket("A", { finish: [{ step: "check", name: "t", command: ["b\nc"] }, { step: "merge" }] })] },
      [/^tickets\.0\.finish\.0\.command\.0: /],
    ],
    [
      "an unknown repository",
      { tickets: [ticket("A", { repo: "web" })] },
      [/^tickets\.0\.repo: .*unknown repository "web"; known here: app/],
    ],
    [
      "a repository that is not named where there are two",
      { repos: { app: { path: "a" }, web: { path: "b" } } },
      [/^tickets\.0\.repo: .*is missing: there is more than one repository; known here: app, web/],
    ],
    [
      "a ticket that waits for itself",
      { tickets: [ticket("A", { dependsOn: ["A"] })] },
      [/^tickets\.0\.dependsOn\.0: .*cannot depend on itself/],
    ],
    [
      "two tickets that wait for each other",
      { tickets: [ticket("A", { dependsOn: ["C", "B"] }), ticket("B", { dependsOn: ["A"] }), ticket("C")] },
      [/^tickets\.0\.dependsOn\.1: .*wait for each other: A → B → A$/],
    ],
    [
      "an id in other letters, by which others may still wait for it",
      { tickets: [ticket("a"), ticket("A"), ticket("B", { dependsOn: ["A"] })] },
      [/^tickets\.1\.id: .*"A" and "a" differ only in case/],
    ],
    ["an id twice", { tickets: [ticket("A"), ticket("A")] }, [/^tickets\.1\.id: .*there is a ticket "A" already$/]],
    [
      "an agent dearer than two limits",
      { agent: { kind: "command", command: ["a"], usdPerAttempt: 20 }, limits: { usdPerRun: 20 } },
      [/^agent\.usdPerAttempt: .*costs 20 dollars, more than limits.usdPerAttempt of 5, limits.usdPerTicket of 15: /],
    ],
  ])("%s", (_what, part, problems) => {
    const all = found({ ...part });
    expect(all).toHaveLength(problems.length);
    problems.forEach((problem, i) => {
      expect(all[i]).toMatch(problem);
    });
  });

  it("gives a hint for the first 40 unknown tickets and no more", () => {
    const dependsOn = Array.from({ length: 42 }, (_, i) => `ticket-name-${i}`);
    const all = found({ tickets: [ticket("ticket-name-x", { dependsOn })] });
    expect(all.filter((line) => line.includes("did you mean"))).toHaveLength(40);
    expect(all).toHaveLength(42);
  });

  it("shows a cycle of eight in full and a longer one in short", () => {
    const ring = (n: number) =>
      found({ tickets: Array.from({ length: n }, (_, i) => ticket(`T${i}`, { dependsOn: [`T${(i + 1) % n}`] })) })[0];
    expect(ring(8)).toMatch(/: T0 → T1 → T2 → T3 → T4 → T5 → T6 → T7 → T0$/);
    expect(ring(9)).toMatch(/: T0 → T1 → T2 → T3 → T4 → T5 → T6 → T7 → T8 → T0$/);
    expect(ring(10)).toMatch(/: T0 → T1 → T2 → T3 → T4 → T5 → T6 → \(3 more\) → T0$/);
  });
});

describe("a problem of a ticket from the folder", () => {
  const from = (id: string, more: Partial<FolderTicket> = {}): FolderTicket => ({
    id: TicketId.parse(id),
    title: `title of ${id}`,
    body: "",
    dependsOn: [],
    exclusive: [],
    file: `/t/${id}.md`,
    ...more,
  });
  const gone = [TicketId.parse("gone")];
  const told = (tickets: readonly object[], folderTickets: readonly FolderTicket[]) => {
    const reading = readBatch(batchText({ tracker: { kind: "local", path: "t" }, tickets }), { folder: "/", folderTickets });
    return reading.ok ? [] : formatProblems("batch.json", reading.problems).split("\n");
  };

  it("stands in the file that gave it", () => {
    const waiting = from("A", { dependsOn: gone });
    expect(told([], [waiting])[0]).toMatch(/^\/t\/A\.md.*dependsOn.*unknown ticket "gone"/);
    expect(told([{ id: "A" }], [waiting])[0]).toMatch(/^\/t\/A\.md.*dependsOn.*unknown ticket "gone"/);
    expect(told([{ id: "A", dependsOn: ["lost"] }], [waiting])[0]).toMatch(/^batch\.json:\d+:\d+ .*unknown ticket "lost"/);
    expect(told([{ id: "A", title: "own", dependsOn: [] }], [waiting])).toEqual([]);
    expect(told([{ id: "A", finish: [{ step: "gates" }] }], [from("A")])[0]).toMatch(/^batch\.json:\d+:\d+ .*has no merge/);
  });

  const merged = (tickets: readonly object[], folderTickets: readonly FolderTicket[], more: object = {}) => {
    const parsed = parseBatchFile(batchText({ tracker: { kind: "local", path: "t" }, tickets, ...more }));
    if (!parsed.ok) throw new Error(formatProblems("batch.json", parsed.problems));
    return mergeFolder(parsed, folderTickets);
  };

  it.each([{ redFirst: true }, { fixes: ["a"] }, { complexity: "simple" }, { allow: { scripts: true } }])(
    "what only the batch file says of a ticket is kept: %j",
    (own) => {
      expect(merged([{ id: "A", ...own }], [from("A")]).file.tickets[0]).toMatchObject({ id: "A", ...own });
    },
  );

  it("each field stands where it was given, what nobody gave nowhere", () => {
    const listed = [{ id: "B" }, { id: "A", dependsOn: [] }, { id: "lost" }];
    const { locate, elsewhere } = merged(listed, [from("A"), from("B"), from("C")]);
    expect(locate(["tickets", 0, "dependsOn", 0])).toEqual({ file: "/t/B.md", path: "dependsOn[0]" });
    expect(locate(["tickets", 1, "repo"])).toEqual({ file: "/t/A.md", path: "repo" });
    expect(locate(["tickets", 1, "dependsOn"])).toMatchObject({ line: 1 });
    expect(locate(["tickets", 1, "dependsOn", 0])).toBeUndefined();
    expect(locate(["tickets", 0, "finish"])).toBeUndefined();
    expect(locate(["tickets", 2, "repo"])).toBeUndefined();
    expect(elsewhere).toEqual(new Set(["C"]));
  });

  it("a problem of the batch's own finish line stays in the batch file", () => {
    const check = { step: "check", command: ["t"] };
    const { file, locate } = merged([], [from("A"), from("B")], { finish: [check, check, { step: "merge" }] });
    const said = formatProblems("batch.json", checkBatch(file, locate));
    expect(said).toMatch(/^batch\.json:1:\d+ {2}finish\[1\]\.name: finish\[0\] is a check named "check" as well/);
  });

  it("a ticket that the folder lacks is said with the nearest, for the first 40", () => {
    const tickets = Array.from({ length: 42 }, (_, i) => ({ id: `ticket-name-${i}`, title: "x" }));
    const reading = readBatch(batchText({ tracker: { kind: "local", path: "t" }, tickets }), {
      folder: "/",
      folderTickets: [from("ticket-name-x")],
    });
    const problems = reading.ok ? [] : reading.problems.filter(({ message }) => message.startsWith("there is no ticket"));
    expect(problems).toHaveLength(42);
    expect(problems.filter(({ hint }) => hint === 'did you mean "ticket-name-x"?')).toHaveLength(40);
    expect(told([{ id: "zzzzzz", title: "x" }], [from("T-1")])[0]).toMatch(/there is no ticket "zzzzzz" in the ticket folder$/);
  });

  it("what the batch gives wins, and what it allows comes along", () => {
    const allow = { suppressions: true };
    const reading = readBatch(
      batchText({ tracker: { kind: "local", path: "t" }, tickets: [{ id: "A", title: "own", allow }, { id: "B" }] }),
      { folder: "/", folderTickets: [from("A"), from("B"), from("C")] },
    );
    expect(reading.ok && reading.batch.tickets).toMatchObject([
      { id: "A", title: "own", allow },
      { id: "B", title: "title of B" },
    ]);
    expect(reading.ok && reading.batch.tickets[1]).not.toHaveProperty("allow");
    const waiting = told([{ id: "A", dependsOn: ["C"] }], [from("A"), from("C")]);
    expect(waiting[0]).toMatch(/"C" is in the ticket folder but not in this batch; add it to "tickets"$/);
    expect(told([{ id: "A", dependsOn: ["A", "B"] }, { id: "B" }], [from("A"), from("B")])[0]).toMatch(/cannot depend on itself/);
  });
});
