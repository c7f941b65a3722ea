import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventsOf, HONEST, Stage } from "./stage.ts";

const AT_WORK = /"agent-started"/;

/** An agent that waits for the file GO. */
function patient(stage: Stage): void {
  stage.agent(`while (!fs.existsSync("${stage.path("GO")}")) await wait(20); ${HONEST}`);
}

function inFolder(stage: Stage, over: Record<string, unknown> = {}): string {
  stage.write("tickets/T-1.md", "# One\n\nDo one.\n");
  return stage.batch([], { tracker: { kind: "local", path: "tickets" }, ...over });
}

function edit(batch: string, change: (file: Record<string, unknown>) => void): void {
  const file = JSON.parse(readFileSync(batch, "utf8")) as Record<string, unknown>;
  change(file);
  writeFileSync(batch, JSON.stringify(file));
}

async function stopped(stage: Stage, args: readonly string[]): Promise<void> {
  const started = stage.start([...args, "--json"]);
  await started.until(AT_WORK);
  started.child.kill("SIGINT");
  await started.ended;
}

describe("a batch that was changed in an unfinished run", () => {
  const check = { step: "check", name: "nobad", command: ["sh", "-c", "test ! -e BAD"] };

  test("is refused if its finish line is looser, though a ticket's own one is stricter", async () => {
    using stage = new Stage();
    stage.repo("app");
    patient(stage);
    const batch = stage.batch(["T-1"], { finish: [{ step: "gates" }, check, { step: "merge" }] });
    await stopped(stage, [batch]);
    edit(batch, (file) => {
      file["finish"] = [{ step: "gates" }, { step: "merge" }];
      const [first] = file["tickets"] as Record<string, unknown>[];
      if (first !== undefined) first["finish"] = [{ step: "gates" }, check, { ...check, name: "again" }, { step: "merge" }];
    });
    const again = await stage.run([batch, "--headless"]);
    expect(again).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("finish: gates nobad merge assert → gates merge assert"),
    });
  });

  test("is refused if it loses the repository's own tests, though every ticket has a line of its own", async () => {
    using stage = new Stage();
    stage.repo("app", { "package.json": JSON.stringify({ scripts: { test: "test ! -e BAD" } }) });
    patient(stage);
    const batch = stage.batch([{ id: "T-1", finish: [{ step: "gates" }, { step: "merge" }] }]);
    await stopped(stage, [batch]);
    edit(batch, (file) => {
      file["finish"] = [{ step: "gates" }, { step: "merge" }, { step: "verify", command: ["true"] }];
    });
    expect((await stage.run([batch, "--headless"])).code).toBe(4);
  });

  test("is compared again after a change that was accepted is undone", async () => {
    using stage = new Stage();
    stage.repo("app");
    patient(stage);
    const batch = stage.batch(["T-1"]);
    await stopped(stage, [batch]);
    const original = readFileSync(batch, "utf8");
    writeFileSync(batch, original.replace('"attempts": 2', '"attempts": 7'));
    await stopped(stage, [batch, "--accept-changes"]);
    writeFileSync(batch, original);
    stage.write("GO", "");
    const { events } = await stage.events(batch);
    const changed = events.filter(({ type }) => type === "batch-changed");
    expect(changed.at(-1)).toMatchObject({ limits: { attempts: 2 } });
  });

  test("goes on if people have only written in its ticket folder", async () => {
    using stage = new Stage();
    stage.repo("app");
    patient(stage);
    const batch = inFolder(stage);
    const started = stage.start([batch, "--json"]);
    await started.until(AT_WORK);
    stage.write("tickets/T-1.md", "# One\n\nDo one, but better.\n");
    await started.until(/"tracker-drifted"/);
    started.child.kill("SIGINT");
    await started.ended;
    writeFileSync(batch, `// a comment\n${readFileSync(batch, "utf8")}`);
    stage.write("GO", "");
    expect((await stage.run([batch, "--headless"])).code).toBe(0);
  });
});

describe("an added ticket", () => {
  test("is added once for each command, whoever adds at the same time", async () => {
    using stage = new Stage();
    stage.repo("app");
    patient(stage);
    const started = stage.start([stage.batch(["T-1"]), "--json"]);
    await started.until(AT_WORK);
    const files = [1, 2, 3, 4, 5, 6].map((n) => stage.write(`t${n}.json`, JSON.stringify({ title: `Ticket ${n}` })));
    const results = await Promise.all(files.map((file) => stage.run(["add", "test", file])));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    stage.write("GO", "");
    const { stdout } = await started.ended;
    const titles = eventsOf(stdout).flatMap((event) => (event.type === "ticket-added" ? [event.added.title] : []));
    expect(titles.toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `Ticket ${n}`));
  });

  test("keeps its finish line, and what it waits for, in the next run of a ticket folder", async () => {
    using stage = new Stage();
    stage.repo("app");
    patient(stage);
    const batch = inFolder(stage);
    const started = stage.start([batch, "--json"]);
    await started.until(AT_WORK);
    const refuses = { step: "check", name: "never", command: ["sh", "-c", "test ! -e T-9.txt"] };
    const ticket = { id: "T-9", title: "nine", dependsOn: ["T-1"], exclusive: ["staging"], finish: [refuses, { step: "merge" }] };
    await stage.run(["add", "test", stage.write("t9.json", JSON.stringify(ticket))]);
    stage.write("GO", "");
    expect((await started.ended).code).toBe(1);
    const again = await stage.events(batch);
    const [first] = again.events;
    expect(again.code).toBe(1);
    expect(first?.type === "run-started" && first.batch.tickets.find(({ id }) => id === "T-9")).toMatchObject({
      dependsOn: ["T-1"],
      exclusive: ["staging"],
      finish: [{ name: "never" }, { step: "merge" }, { step: "assert" }],
    });
    expect(stage.landed()).toEqual(["T-1"]);
  });
});

test.each(["done", "human-gated"])("a landed ticket that a person has set to %s is not called live by verify", async (state) => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(HONEST);
  const asked = stage.path("asked");
  const verify = { step: "verify", command: ["sh", "-c", `echo x >> ${asked}; exit 1`] };
  const batch = inFolder(stage, { limits: { attempts: 1 }, finish: [{ step: "merge" }, verify] });
  expect((await stage.run([batch, "--headless"])).code).toBe(1);
  const before = readFileSync(asked, "utf8");
  const step = state === "done" ? "" : "humanStep: look\n";
  stage.write("tickets/T-1.md", `---\nstate: ${state}\n${step}---\n# One\n\nDo one.\n`);
  const checked = await stage.run(["verify", "test"]);
  expect(checked.stdout).toMatch(/0 tickets checked at [\d:]{8}, 0 live; T-1 was settled by a person, and not checked/);
  expect(checked.code).toBe(1);
  expect(readFileSync(asked, "utf8")).toBe(before);
});
