import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFolderTracker } from "../../../src/adapters/tracker/folder.ts";
import { readTicketFolder } from "../../../src/adapters/tracker/folder-read.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import type { TrackerWrite } from "../../../src/ports/tracker.ts";
import { withPatchedFs } from "../../helpers/patched-fs.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const put = (name: string, text: string) => writeFileSync(join(folder(), name), text);

async function refusal(): Promise<UserError> {
  const cause = await readTicketFolder(folder()).then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(cause instanceof UserError)) throw new Error("it was not refused");
  return cause;
}

describe("reading a folder of tickets", () => {
  test("everything that a ticket can say", async () => {
    put(
      "a.md",
      "---\nid: T-1\ntitle: First\nrepo: app\ndependsOn: [T-2, '007']\nexclusive:\n  - infra\nstate: human-gated\nhumanStep: press it\nowner: Jo\n---\n# Other\n\nBody\n",
    );
    put("007.md", "# Licence to build\n\nBody\n");
    put("T-2.md", "---\nstate: done\ndependsOn:\n---\nno heading\n");
    expect(await readTicketFolder(folder())).toEqual([
      {
        id: "007",
        title: "Licence to build",
        body: "# Licence to build\n\nBody\n",
        dependsOn: [],
        exclusive: [],
        state: { as: "open" },
        file: join(folder(), "007.md"),
      },
      {
        id: "T-2",
        title: "T-2",
        body: "no heading\n",
        dependsOn: [],
        exclusive: [],
        state: { as: "done" },
        file: join(folder(), "T-2.md"),
      },
      {
        id: "T-1",
        title: "First",
        body: "# Other\n\nBody\n",
        repo: "app",
        dependsOn: ["T-2", "007"],
        exclusive: ["infra"],
        state: { as: "human-gated", step: "press it" },
        file: join(folder(), "a.md"),
      },
    ]);
  });

  test("what is no ticket is not read", async () => {
    put("README.md", "---\nid: X\n---\n# Read me\n");
    put(".hidden.md", "# Hidden\n");
    put("notes.md", "just words\n");
    put("T-1.txt", "# Text\n");
    mkdirSync(join(folder(), "old.md"));
    mkdirSync(join(folder(), "sub"));
    writeFileSync(join(folder(), "sub", "T-9.md"), "# Below\n");
    expect(await readTicketFolder(folder())).toEqual([]);
  });

  test.each([
    ["bad YAML", "---\nid: T-1\ntitle: [x\n---\n", /T\.md, line 4: not valid YAML/],
    ["an early end", "---\nid: T-1\n...\n---\n", /line 3: a line `\.\.\.` ends the front matter early/],
    ["unclosed front matter", "---\nid: T-1\n", /T\.md, line 1: .*not closed/],
    [
      "another spelling of a state",
      "---\n\nstate: Done\n---\n",
      /T\.md, line 3: state "Done" is not one of: open, done, human-gated/,
    ],
    ["a state in two words", "---\nstate: human gated\n---\n", /open, done, human-gated/],
    ["an empty state", "---\nstate:\n---\n", /line 2: state is empty/],
    ["a gate without a step", "---\nstate: human-gated\n---\n", /line 2: .*needs humanStep/],
    ["a list that is none", "---\ndependsOn: T-1\n---\n", /line 2: dependsOn must be a list/],
    ["a dependency that is no id", "---\ndependsOn: [T-1, '../x']\n---\n", /line 2: dependsOn, entry 2: /],
    ["a map where a word should be", "---\nrepo: {a: b}\n---\n", /line 2: repo must be written as/],
    ["a repo that is no name", "---\nrepo: a/b\n---\n", /line 2: repo: /],
    ["control characters in the title", '---\ntitle: "a\\eb"\n---\n', /line 2: the title holds control characters/],
    ["control characters in the heading", "# a\u001bb\n", /T\.md: the title holds control characters/],
    ["a long title", `# ${"x".repeat(201)}\n`, /longer than 200/],
    ["a long body", `# T\n${"x".repeat(64_000)}\n`, /longer than 64,000/],
    ["a long front matter", `---\nx: ${"x".repeat(64_000)}\n---\n# T\n`, /T\.md, line 1: the front matter is longer than 64,000/],
    [
      "a permission",
      "---\nredFirst: true\n---\n",
      /line 2: redFirst is not read here: write it into the ticket's entry of the batch file/,
    ],
    ["a key that is nearly known", "---\ndepends_on: [T-1]\n---\n", /line 2: the key "depends_on" is not known: write dependsOn/],
    ["an id that cannot name a branch", "---\nid: a b\n---\n", /line 2: "a b" cannot name a branch/],
    ["a key twice", "---\nid: a\nid: b\n---\n", /line 3: not valid YAML/],
    ["no UTF-8", Buffer.from([0x23, 0x20, 0xff]).toString("latin1"), undefined],
  ])("%s is refused", async (_what, text, message) => {
    if (message === undefined) writeFileSync(join(folder(), "T.md"), Buffer.from(text, "latin1"));
    else put("T.md", text);
    const { why, exitCode, todo } = await refusal();
    expect(why).toMatch(message ?? /T\.md: it is not UTF-8/);
    expect([exitCode, todo]).toEqual([2, "Fix the files that are named, then start again."]);
  });

  test("a file name that is no id, ids that are there twice and links come in one error", async () => {
    put("fix the login.md", "# T\n");
    put("a.md", "---\nid: T-1\n---\n");
    put("b.md", "---\nid: T-1\n---\n");
    put("evil\u001b[2J.md", "---\nid:\n---\n");
    symlinkSync("/etc/hostname", join(folder(), "link.md"));
    const { why } = await refusal();
    expect(why).toMatch(/fix the login\.md: .*add `id: …`/);
    expect(why).toMatch(/b\.md: it has the same id, T-1, as a\.md/);
    expect(why).toMatch(/link\.md: it is a symbolic link/);
    expect(why).toContain('"evil\\u001b[2J.md", line 2: id is empty');
    expect(why).not.toContain("\u001b");
  });

  test("a folder that is not there is refused", async () => {
    await expect(readTicketFolder(join(folder(), "nowhere"))).rejects.toThrow(/no such folder/);
  });
});

describe("the folder tracker", () => {
  const A = TicketId.parse("T-1");

  test("a faulty plan does not hide a sound state, a faulty state does", async () => {
    put("T-1.md", "---\nstate: done\nrepo: a/b\n---\n");
    const tracker = createFolderTracker({ folder: folder(), ids: [A] });
    expect((await tracker.snapshot())[0]?.state).toEqual({ as: "done" });
    put("T-2.md", "---\nstate: wip\n---\n");
    await expect(tracker.snapshot()).rejects.toThrow(/T-2\.md/);
  });

  test("a ticket that moved to another file is found again, and its mode is kept", async () => {
    put("T-1.md", "# T\n");
    const tracker = createFolderTracker({ folder: folder(), ids: [A] });
    await tracker.snapshot();
    put("T-1.md", "---\nid: T-7\n---\n");
    writeFileSync(join(folder(), "moved.md"), "---\nid: T-1\n---\n", { mode: 0o640 });
    await tracker.set(A, { as: "done" }, "");
    expect(readFileSync(join(folder(), "moved.md"), "utf8")).toBe("---\nid: T-1\nstate: done\n---\n");
    expect(readFileSync(join(folder(), "T-1.md"), "utf8")).toBe("---\nid: T-7\n---\n");
    expect(statSync(join(folder(), "moved.md")).mode & 0o777).toBe(0o640);
  });

  test("another ticket's unreadable file is no obstacle to a write of a tracker that has read nothing yet", async () => {
    put("T-1.md", "# T\n");
    put("T-2.md", "---\nstate: opne\n---\n# U\n");
    const tracker = createFolderTracker({ folder: folder(), ids: [A] });
    await tracker.set(A, { as: "done" }, "");
    expect(readFileSync(join(folder(), "T-1.md"), "utf8")).toContain("state: done");
  });

  test("a link put in a ticket's place is not followed", async () => {
    const outside = join(folder(), "outside.txt");
    writeFileSync(outside, "---\nid: T-1\nstate: open\n---\n");
    put("T-1.md", "# T\n");
    const tracker = createFolderTracker({ folder: folder(), ids: [A] });
    await tracker.snapshot();
    rmSync(join(folder(), "T-1.md"));
    symlinkSync(outside, join(folder(), "T-1.md"));
    await expect(tracker.set(A, { as: "done" }, "")).rejects.toThrow(/symbolic link/);
    await expect(tracker.snapshot()).rejects.toThrow(/symbolic link/);
    expect(readFileSync(outside, "utf8")).toContain("state: open");
  });

  test("a snapshot is of one instant: tickets that change places under it are read again", async () => {
    const Z = TicketId.parse("Z-1");
    put("T-1.md", "---\nstate: done\n---\n");
    put("Z-1.md", "---\nstate: open\n---\n");
    const tracker = createFolderTracker({ folder: folder(), ids: [A, Z] });
    let swapped = false;
    let firstIsOpen: Promise<unknown> = Promise.resolve();
    const tickets = await withPatchedFs(
      "open",
      (real) => async (path, flags, mode) => {
        const opened = () => real(path, flags, mode);
        if (!String(path).endsWith("Z-1.md") || swapped) {
          const handle = opened();
          firstIsOpen = handle;
          return handle;
        }
        swapped = true;
        await firstIsOpen;
        // The first ticket is open for reading as it was; another file takes its place.
        rmSync(join(folder(), "T-1.md"));
        put("T-1.md", "---\nstate: open\n---\n");
        put("Z-1.md", "---\nstate: done\n---\n");
        return opened();
      },
      () => tracker.snapshot(),
    );
    expect(swapped).toBe(true);
    expect(tickets.map((t) => t.state.as)).toEqual(["open", "done"]);
  });

  test("a person's own long note is left alone", async () => {
    put("T-1.md", "---\nnote: |\n  mine\n  all mine\n---\n");
    await createFolderTracker({ folder: folder(), ids: [A] }).set(A, { as: "done" }, "merged");
    expect(readFileSync(join(folder(), "T-1.md"), "utf8")).toBe("---\nnote: |\n  mine\n  all mine\nstate: done\n---\n");
  });
});

test("a folder that is moved away is a change of it", async () => {
  put("T-1.md", "# Do it\n");
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const unwatch = createFolderTracker({ folder: folder(), ids: [TicketId.parse("T-1")] }).watch(resolve);
  const away = `${folder()}-away`;
  renameSync(folder(), away);
  await changed;
  unwatch();
  renameSync(away, folder());
});

describe("a person who writes a ticket right after loopdash", () => {
  const id = TicketId.parse("T-1");
  const OPEN = "---\nstate: open\n---\nBody\n";
  const path = () => join(folder(), "T-1.md");

  /** Sets the ticket to done; `person` makes another text of the written one before it is read back. */
  function setMeanwhile(person: (text: string) => string): Promise<TrackerWrite> {
    put("T-1.md", OPEN);
    const tracker = createFolderTracker({ folder: folder(), ids: [id] });
    return withPatchedFs(
      "rename",
      (real) => async (from, to) => {
        await real(from, to);
        writeFileSync(path(), person(readFileSync(path(), "utf8")));
      },
      () => tracker.set(id, { as: "done" }, "landed as 1234567"),
    );
  }

  test.each([
    ["reopens it", (text: string) => text.replace("state: done", "state: open")],
    ["rewrites its text", (text: string) => text.replace("Body", "Another body")],
  ])("%s: the write counts as done, and the person's text stays and is seen as theirs", async (_, person) => {
    const { after } = await setMeanwhile(person);
    const { tickets } = await createFolderTracker({ folder: folder(), ids: [id] }).read();
    expect(tickets.get(id)?.revision).not.toBe(after);
    expect(person(readFileSync(path(), "utf8"))).toBe(readFileSync(path(), "utf8"));
  });

  test("a write that reads back as it was before has not persisted", async () => {
    await expect(setMeanwhile(() => OPEN)).rejects.toThrow("did not read back so");
  });
});
