import { describe, expect, it } from "vitest";
import { parseContractText } from "../../../src/adapters/contract/contract-file.ts";
import type { FolderTicket } from "../../../src/domain/batch/merge-folder.ts";
import { formatProblems } from "../../../src/domain/batch/problem.ts";
import { readBatch, readTrackerRequest, ticketFolder } from "../../../src/domain/batch/read.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchText, told } from "./sample.ts";

const folder = "/work/batches";
const inFolder = { tracker: { kind: "local", path: "tickets" } };

const CONTRACT = `---
criteria:
  - name: there
    command: ["test", "-e", "a.txt"]
---
# Do it
`;

function folderTicket(id: string, more: { dependsOn?: string[]; repo?: string; exclusive?: string[] } = {}): FolderTicket {
  return {
    id: TicketId.parse(id),
    title: `title of ${id}`,
    body: `body of ${id}`,
    dependsOn: (more.dependsOn ?? []).map((dep) => TicketId.parse(dep)),
    exclusive: more.exclusive ?? [],
    file: `/work/batches/tickets/${id}.md`,
    ...(more.repo !== undefined && { repo: RepoId.parse(more.repo) }),
  };
}

function batchOf(text: string, folderTickets?: readonly FolderTicket[]) {
  const reading = readBatch(text, { folder, ...(folderTickets && { folderTickets }) });
  if (!reading.ok) throw new Error(formatProblems("batch.json", reading.problems));
  return reading;
}

describe("readBatch", () => {
  it("makes paths absolute and fills in what a ticket may leave out", () => {
    const { batch } = batchOf(
      batchText({
        tickets: [
          { id: "T-1", title: " one " },
          { id: "T-2", title: "two", dependsOn: ["T-1", "T-1"] },
        ],
      }),
    );
    expect(batch.repos).toEqual({ app: { path: "/work/app", base: "main", prepare: [] } });
    expect(batch.tickets[0]).toEqual({
      id: "T-1",
      title: "one",
      body: "",
      repo: "app",
      dependsOn: [],
      exclusive: [],
      finish: [{ step: "gates" }, { step: "merge" }, { step: "assert" }],
    });
    expect(batch.tickets[1]?.dependsOn).toEqual(["T-1"]);
    expect(batch.tracker).toEqual({ kind: "local" });
  });

  it("gives a ticket its own finish line, else the batch's, and ends each with assert", () => {
    const finish = [{ step: "gates" }, { step: "check", name: "tests", command: ["t"] }, { step: "merge" }];
    const own = [{ step: "gates" }, { step: "check", command: ["u"] }, { step: "merge" }, { step: "assert" }];
    const { batch, warnings } = batchOf(
      batchText({
        finish,
        tickets: [
          { id: "T-1", title: "x" },
          { id: "T-2", title: "x", finish: own },
        ],
      }),
    );
    expect(batch.tickets.map((t) => t.finish)).toEqual([
      [...finish, { step: "assert" }],
      [{ step: "gates" }, { step: "check", name: "check", command: ["u"] }, { step: "merge" }, { step: "assert" }],
    ]);
    expect(warnings).toEqual([]);
  });

  it("warns of what runs but may not be meant", () => {
    const tickets = [
      { id: "T-1", title: "x" },
      { id: "T-2", title: "x", dependsOn: ["T-1", "T-1"], exclusive: ["db", "db"] },
    ];
    const { warnings } = batchOf(batchText({ sandbox: "off", tickets }));
    expect(
      formatProblems("b.json", warnings)
        .replace(/^b\.json:\d+:\d+ {2}/gm, "")
        .split("\n"),
    ).toEqual([
      'finish: no check runs before merge: whatever the agent leaves will land; add {"step": "check", "name": "tests", "command": [...]} with the command that runs your tests before merge',
      'tickets[1].dependsOn[1]: "T-1" is listed twice',
      'tickets[1].exclusive[1]: "db" is listed twice',
      "sandbox: agents are not confined: they can read and change what you can",
    ]);
  });

  it("warns that nothing checks a change, unless a forge or the tickets' contracts do", () => {
    const warns = (forge: object | undefined, ticket: object = {}) => {
      const repos = { app: { path: "../app", ...(forge && { forge }) } };
      const tickets = [{ id: "T-1", title: "x", ...ticket }];
      const contracts = new Map([["c.md", parseContractText(CONTRACT)]]);
      const reading = readBatch(batchText({ repos, tickets }), { folder, contracts });
      if (!reading.ok) throw new Error(formatProblems("batch.json", reading.problems));
      return reading.warnings.some(({ message }) => message.includes("no check runs before merge"));
    };
    expect(warns(undefined)).toBe(true);
    expect(warns(undefined, { contract: "c.md" })).toBe(false);
    expect(warns({ kind: "push" })).toBe(true);
    expect(warns({ kind: "github", repo: "acme/app" })).toBe(false);
    expect(warns({ kind: "github", repo: "acme/app", checks: [] })).toBe(true);
    expect(warns({ kind: "github-branch" })).toBe(false);
  });

  it("survives the journal: a batch is plain JSON", () => {
    const { batch } = batchOf(batchText());
    expect(JSON.parse(JSON.stringify(batch))).toEqual(batch);
  });
});

describe("readBatch with a ticket folder", () => {
  it("says where the folder is", () => {
    expect(ticketFolder(batchText(inFolder), folder)).toBe("/work/batches/tickets");
    expect(ticketFolder(batchText({ tracker: { kind: "local", path: "/t" } }), folder)).toBe("/t");
    for (const text of [batchText(), "{", batchText({ tracker: { kind: "local", path: "~/t" } })])
      expect(ticketFolder(text, folder)).toBeUndefined();
  });

  it("takes all tickets where the batch lists none", () => {
    const { batch } = batchOf(batchText({ ...inFolder, tickets: [] }), [
      folderTicket("A"),
      folderTicket("B", { dependsOn: ["A"] }),
    ]);
    expect(batch.tracker).toEqual({ kind: "local", path: "/work/batches/tickets" });
    expect(batch.tickets.map((t) => [t.id, t.title, t.body, t.repo, t.dependsOn])).toEqual([
      ["A", "title of A", "body of A", "app", []],
      ["B", "title of B", "body of B", "app", ["A"]],
    ]);
  });

  it("takes those that the batch lists; what the batch says of one wins, empty lists too", () => {
    const tickets = [
      { id: "B", dependsOn: [] },
      { id: "A", title: "mine", finish: [{ step: "merge" }] },
    ];
    const source = [folderTicket("A", { exclusive: ["db"] }), folderTicket("B", { dependsOn: ["A"] }), folderTicket("C")];
    const { batch } = batchOf(batchText({ ...inFolder, tickets }), source);
    expect(batch.tickets).toMatchObject([
      { id: "B", title: "title of B", body: "body of B", dependsOn: [] },
      { id: "A", title: "mine", body: "body of A", exclusive: ["db"], finish: [{ step: "merge" }, { step: "assert" }] },
    ]);
  });

  it.each<[string, object[], FolderTicket[], string]>([
    [
      "an id that the folder lacks",
      [{ id: "AB-2" }],
      [folderTicket("AB-1")],
      'batch.json:1:129  tickets[0].id: there is no ticket "AB-2" in the ticket folder; did you mean "AB-1"?',
    ],
    ["an empty folder", [], [], "batch.json:1:158  tracker.path: the folder holds no tickets; a ticket is a Markdown file"],
    [
      "an unknown dependency in a file",
      [],
      [folderTicket("A", { dependsOn: ["Q-77"] })],
      '/work/batches/tickets/A.md  dependsOn[0]: unknown ticket "Q-77"; known here: A',
    ],
    [
      "a dependency that the batch leaves out",
      [{ id: "B" }],
      [folderTicket("A"), folderTicket("B", { dependsOn: ["A"] })],
      '/work/batches/tickets/B.md  dependsOn[0]: "A" is in the ticket folder but not in this batch; add it to "tickets"',
    ],
    [
      "an unknown repository in a file",
      [{ id: "A" }],
      [folderTicket("A", { repo: "ap" })],
      '/work/batches/tickets/A.md  repo: unknown repository "ap"; did you mean "app"?',
    ],
    [
      "ids of two files that clash",
      [],
      [folderTicket("A"), folderTicket("a")],
      '/work/batches/tickets/a.md  id: "a" and "A" differ only in case; they would share a folder and a branch: rename one',
    ],
    [
      "a cycle between files",
      [],
      [folderTicket("A", { dependsOn: ["B"] }), folderTicket("B", { dependsOn: ["A"] })],
      "/work/batches/tickets/A.md  dependsOn[0]: these tickets wait for each other: A → B → A",
    ],
    [
      "a wrong field of the batch file",
      [{ id: "A", repo: "ap" }],
      [folderTicket("A")],
      'batch.json:1:140  tickets[0].repo: unknown repository "ap"; did you mean "app"?',
    ],
  ])("tells of %s", (_, tickets, folderTickets, message) => {
    expect(told(batchText({ ...inFolder, tickets }), { folder, folderTickets })).toBe(message);
  });

  it("never takes a folder that was not read for an empty one", () => {
    expect(told(batchText({ ...inFolder, tickets: [] }), { folder })).toMatch(/tracker\.path: the ticket folder was not read$/);
    expect(told(batchText({ tracker: { kind: "local", path: "~/t" } }), { folder })).toMatch(
      /tracker\.path must be written out: "~" is not expanded$/,
    );
  });
});

describe("a tracker behind a program", () => {
  const command = ["node", "{batch}/tracker.mjs", "tickets.db"];
  const withTracker = (tracker: object, over: object = {}) =>
    batchText({ tickets: [], ...over, tracker: { kind: "command", ...tracker } });
  const problemsOf = (text: string, folderTickets?: readonly FolderTicket[]) => {
    const reading = readBatch(text, { folder, ...(folderTickets && { folderTickets }) });
    return reading.ok ? [] : reading.problems.map(({ message }) => message);
  };

  it("gives its tickets to the batch, and its command the batch file's folder", () => {
    const { batch } = batchOf(withTracker({ command }), [folderTicket("A"), folderTicket("B", { dependsOn: ["A"] })]);
    expect(batch.tracker).toEqual({ kind: "command", command: ["node", `${folder}/tracker.mjs`, "tickets.db"] });
    expect(batch.tickets.map(({ id, title, dependsOn }) => [id, title, dependsOn])).toEqual([
      ["A", "title of A", []],
      ["B", "title of B", ["A"]],
    ]);
  });

  it("is asked only if nothing speaks against its command", () => {
    expect(readTrackerRequest(withTracker({ command: ["./tracker.mjs"] }), folder)).toMatchObject({
      tracker: { command: [`${folder}/tracker.mjs`] },
    });
    const secrets = { jira: { env: "JIRA_TOKEN" } };
    const env = { TOKEN: "{secret:jira}" };
    for (const text of [
      batchText(),
      "{",
      withTracker({ command, env: { TOKEN: "{secret:none}" } }, { secrets, sandbox: "required" }),
      withTracker({ command: ["npx", "tracker"], env }, { secrets, sandbox: "required" }),
      withTracker({ command, env: { NODE_OPTIONS: "--require x" } }),
      withTracker({ command: ["node", "{batch}/tracker.mjs", "{secret:jira}"] }, { secrets, sandbox: "required" }),
    ])
      expect(readTrackerRequest(text, folder), text).toBeUndefined();
    expect(readTrackerRequest(withTracker({ command, env }, { secrets, sandbox: "required" }), folder)).toMatchObject({
      secrets,
    });
  });

  it("is told of by what is wrong: its command first, then that it was not read, then its tickets", () => {
    const secret = withTracker({ command: ["npx", "tracker"], env: { TOKEN: "{secret:jira}" } });
    expect(problemsOf(secret)[0]).toMatch(/npx|has no secret/);
    expect(problemsOf(withTracker({ command }))).toEqual(["the tracker was not read"]);
    expect(problemsOf(withTracker({ command }), [])).toEqual(["its program shows no tickets"]);
    expect(problemsOf(withTracker({ command }, { tickets: [{ id: "B" }] }), [folderTicket("A")])).toEqual([
      'there is no ticket "B" in the tracker',
    ]);
  });
});

describe("rules for checks and what comes before them", () => {
  it("are frozen with the batch, and a fixer may be a file beside it", () => {
    const repos = { app: { path: "../app", fixers: [["npx", "prettier", "--write", "."], ["{batch}/fix.sh"]] } };
    const reading = readBatch(batchText({ flaky: "count", repos }), { folder });
    expect(reading).toMatchObject({
      ok: true,
      batch: { flaky: "count", repos: { app: { fixers: [["npx", "prettier", "--write", "."], ["/work/batches/fix.sh"]] } } },
    });
    expect(told(batchText({ flaky: "never" }))).toContain("flaky");
  });
});
