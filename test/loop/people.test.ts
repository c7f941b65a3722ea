import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWatchedFiles } from "../../src/adapters/run-files/watched-files.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { commitOnBase as commit, drift, open, setTo, T1, T2 } from "./drift-stage.ts";
import type { Stage } from "./stage.ts";

cleanUp();

const scratch = scratchFolder();

const acts = ({ state }: Stage) => state.interventions.map((i) => [i.class, i.target, i.note, i.observed]);

test("a person's commit on the base is an intervention, once; the engine's own landing is none", async () => {
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] });
  using _ = stage;
  stage.start();
  await stage.until("fingerprints-recorded");
  await stage.until("agent-launching");
  const sha = commit(stage, "my \u001b[2Jown work").slice(0, 7);
  await stage.engine.performer.pollPeople();
  await stage.engine.performer.pollPeople();
  go(T1);
  await stage.until("merge-landed");
  await stage.engine.performer.pollPeople();
  await stage.ended();
  expect(acts(stage)).toEqual([
    ["I4", "app", expect.stringMatching(`^1 commit on main: ${sha} by Jo at .* UTC "my own work"$`), true],
  ]);
});

test("two landings of one ticket on top of a person's commit, between two polls, are no acts of that person", async () => {
  const gate = Promise.withResolvers<void>();
  const finish: StepSpec[] = [
    { step: "merge" },
    { step: "verify", name: "live", command: ["grep", "2", "T-1.txt"] },
    { step: "assert" },
  ];
  const { stage } = await open({
    tickets: [ticketOf("T-1", { finish })],
    live: { repeats: 0, everySeconds: 0.1 },
    work: async ({ worktree, attempt }) => {
      await gate.promise;
      writeFileSync(join(worktree, "T-1.txt"), `${attempt}\n`);
      return undefined;
    },
  });
  using _ = stage;
  stage.start();
  await stage.until("fingerprints-recorded");
  await stage.until("agent-launching");
  const sha = commit(stage, "theirs").slice(0, 7);
  gate.resolve();
  const { end } = await stage.ended();
  expect(end?.exitCode).toBe(0);
  expect(stage.of("merge-landed")).toHaveLength(2);
  await stage.engine.performer.pollPeople();
  expect(acts(stage).map(([, , note]) => note)).toEqual([expect.stringMatching(`^1 commit on main: ${sha} by Jo`)]);
});

test("a person's commit between two engines is counted once, whatever is killed when", async () => {
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] });
  using _ = stage;
  stage.start();
  await stage.until("fingerprints-recorded");
  await stage.until("agent-launching");
  await stage.crashAndReopen();
  commit(stage, "in between");
  await stage.crashAt((event) => event.type === "act-observed", "resume");
  await stage.crashAndReopen();
  await stage.resume();
  await stage.engine.performer.pollPeople();
  go(T1);
  await stage.ended();
  expect(acts(stage).filter(([c]) => c === "I4")).toHaveLength(1);
});

test("a base that is moved back is an intervention", async () => {
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] });
  using _ = stage;
  commit(stage, "second");
  stage.start();
  await stage.until("fingerprints-recorded");
  await stage.until("agent-launching");
  stage.git("reset", "-q", "--hard", "HEAD~1");
  await stage.engine.performer.pollPeople();
  expect(acts(stage)).toEqual([["I4", "app", expect.stringMatching(/^moved main back or aside, to [0-9a-f]{7}$/), true]]);
  go(T1);
  await stage.ended();
});

test("an edit of the batch file and of the harness in use are interventions of their classes", async () => {
  const place = { batch: "", harness: "" };
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] }, () => ({
    watchedFiles: {
      read: (known) =>
        createWatchedFiles({ batchPath: place.batch, harness: () => [{ version: "0", folder: place.harness }] }).read(known),
    },
  }));
  using _ = stage;
  place.batch = join(stage.root, "batch.json");
  place.harness = join(stage.root, "tickets");
  writeFileSync(place.batch, "{}");
  writeFileSync(join(place.harness, "hints.md"), "Be kind.");
  stage.start();
  await stage.until(
    "fingerprints-recorded",
    (e) => e.type === "fingerprints-recorded" && e.fingerprints.some(({ key }) => key === "batch"),
  );
  await stage.until("agent-launching");
  writeFileSync(place.batch, '{"limits": {}}');
  writeFileSync(join(place.harness, "hints.md"), "Wear a red hat.");
  await stage.engine.performer.pollPeople();
  await stage.engine.performer.pollPeople();
  expect(acts(stage)).toEqual([
    ["I2", "batch", "edited the batch file", true],
    ["I3", "harness", "edited hints.md of the harness", true],
  ]);

  go(T1);
  await stage.ended();
});

test("what people do is seen while a landing waits in its turn", async () => {
  const root = scratch();
  const batchPath = join(root, "batch.json");
  writeFileSync(batchPath, "{}");
  const watchedFiles = createWatchedFiles({ batchPath, harness: () => [] });
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] }, ({ clock }) => ({
    ...{ watchedFiles, clock: { ...clock, after: (ms, then) => clock.after(ms / 100, then) } },
  }));
  using _ = stage;
  stage.start();
  await stage.until("agent-launching");
  const [turn, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  void stage.engine.performer.context.merges.run("app", () => (turn.resolve(), over.promise));
  await turn.promise;
  for (const text of ["[1]", "[2]"]) {
    writeFileSync(batchPath, text);
    await stage.until("act-observed", () => stage.of("act-observed").length === Number(text[1]));
  }
  over.resolve();
  go(T1);
  await stage.ended();
});

test("an edit of a contract is an intervention, and the run keeps the one that it froze", async () => {
  const root = scratch();
  const contract = join(root, "c.md");
  writeFileSync(contract, "as it was");
  const files = createWatchedFiles({ batchPath: join(root, "batch.json"), contracts: () => ["c.md"], harness: () => [] });
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] }, () => ({ watchedFiles: files }));
  using _ = stage;
  stage.start();
  await stage.until(
    "fingerprints-recorded",
    (e) => e.type === "fingerprints-recorded" && e.fingerprints.some(({ key }) => key === "contract:c.md"),
  );
  writeFileSync(contract, "another");
  await stage.engine.performer.pollPeople();
  await stage.engine.performer.pollPeople();
  expect(acts(stage)).toEqual([["I2", "batch", "edited the contract c.md", true]]);
  go(T1);
  await stage.ended();
});

test("a script of the harness that a person edits, adds or removes is an intervention, and so is a file that is removed", async () => {
  const root = scratch();
  const folder = join(root, "0");
  mkdirSync(join(folder, "tools"), { recursive: true });
  writeFileSync(join(folder, "hints.md"), "Be kind.");
  writeFileSync(join(folder, "tools/seed.sh"), "#!/bin/sh\n");
  const files = createWatchedFiles({ batchPath: join(root, "batch.json"), harness: () => [{ version: "0", folder }] });
  const { stage, go } = await open({ tickets: [ticketOf("T-1")], held: [T1] }, () => ({ watchedFiles: files }));
  using _ = stage;
  stage.start();
  const isRead = (event: RunEvent) =>
    event.type === "fingerprints-recorded" && event.fingerprints.some(({ key }) => key === "harness:0:tools/seed.sh");
  await stage.until("fingerprints-recorded", isRead);
  const notes = () => stage.of("act-observed").map(({ class: kind, note }) => `${kind} ${note}`);
  writeFileSync(join(folder, "tools/seed.sh"), "#!/bin/sh\nrm -rf /\n");
  writeFileSync(join(folder, "tools/more.sh"), "#!/bin/sh\n");
  await stage.engine.performer.pollPeople();
  expect(notes()).toEqual(["I3 edited tools/seed.sh of the harness", "I3 added tools/more.sh of the harness"]);
  rmSync(join(folder, "tools/more.sh"));
  rmSync(join(folder, "hints.md"));
  await stage.engine.performer.pollPeople();
  await stage.engine.performer.pollPeople();
  expect(notes().slice(2).toSorted()).toEqual(["I3 removed hints.md of the harness", "I3 removed tools/more.sh of the harness"]);
  go(T1);
  await stage.ended();
});

describe("a ticket that loopdash left to a person, and that the person", () => {
  /** T-1 is gated by a person's command while T-2 is at work. */
  async function gated() {
    const { stage, go } = await open({ tickets: [ticketOf("T-1"), ticketOf("T-2")], held: [T1, T2] });
    stage.start();
    await stage.until("agent-launching", (event) => event.type === "agent-launching" && event.ticket === T2);
    stage.engine.orchestrator.command({ type: "gate", ticket: T1, step: "ask Jo for the key" });
    await stage.until("tracker-written", (event) => event.type === "tracker-written" && event.ticket === T1);
    await expect.poll(() => stage.ticket(T1).phase).toBe("human-gated");
    return { stage, go };
  }

  test("reopens for work: an obstacle is removed (I1), and it is worked on", async () => {
    const { stage, go } = await gated();
    using _ = stage;
    setTo(stage, T1, "open");
    await stage.until("tracker-drifted", drift(T1, "reopened"));
    for (const id of [T1, T2]) go(id);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "2 done" });
    expect(acts(stage).filter(([, , , observed]) => observed)).toEqual([
      ["I1", "T-1", "removed an obstacle: reopened for work what waited for a person: ask Jo for the key", true],
    ]);
  });

  test("closes, because the step is taken: it is settled, and that is no intervention", async () => {
    const { stage, go } = await gated();
    using _ = stage;
    setTo(stage, T1, "done");
    await stage.until("tracker-drifted", drift(T1, "closed"));
    go(T2);
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "2 done" });
    expect(acts(stage).filter(([, , , observed]) => observed)).toEqual([]);
  });
});
