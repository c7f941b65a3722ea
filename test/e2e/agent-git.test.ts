import { expect, test } from "vitest";
import { Stage } from "./stage.ts";

const FILES = Object.fromEntries(
  ["a/x", "a/y", "b/1", "b/2", "b/3", "b/4", "c/1", "README.md"].map((path) => [path, `${path}\n`]),
);

/** An agent whose own git hides files from it, loses some, or keeps its work out of the worktree. */
const AGENT = `
set -e
git config user.name agent
git config user.email agent@example.org
case $LOOPDASH_TICKET in
  sparse) git sparse-checkout set a; echo edit >> a/x; git commit -qam work ;;
  most|allowed) rm -r b README.md ;;
  kept) echo new > n; git add n; git commit -qm work; rm c/1 ;;
  stash) echo edit >> a/y; git stash -q ;;
  both) git switch -qc mine; echo one > one; git add one; git commit -qm one; git switch -q -; echo two >> a/y; git stash -q
    grep 'left in' "$LOOPDASH_PROMPT" || : ;;
esac
`;

test("what an agent's git does to its view never lands, and what it left elsewhere is found", { timeout: 300_000 }, async () => {
  using stage = new Stage();
  stage.repo("app", FILES);
  stage.write("agent.sh", AGENT);
  const tickets = [
    "sparse",
    "most",
    { id: "allowed", allow: { deletions: true }, dependsOn: ["sparse"] },
    "kept",
    "stash",
    "both",
  ];
  const agent = { kind: "command", command: ["sh", "agent.sh"] };
  const batch = stage.batch(tickets, { agent, sandbox: "required", limits: { attempts: 2 } });
  const { code, events } = await stage.events(batch);
  const report = await stage.report();
  expect(code).toBe(1);
  expect(report.tickets.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "sparse done",
    "most open",
    "allowed done",
    "kept open",
    "stash done",
    "both open",
  ]);
  expect(stage.git("app", "ls-tree", "-r", "--name-only", "main").split("\n")).toEqual(["a/x", "a/y", "c/1"]);
  expect(stage.git("app", "show", "main:a/x")).toBe("a/x\nedit");
  expect(stage.git("app", "show", "main:a/y")).toBe("a/y\nedit");

  const refused = (ticket: string) =>
    events.flatMap((event) => (event.type === "step-ended" && event.ticket === ticket && !event.ok ? [event.summary] : []));
  expect(refused("most")).toContain("the change deletes 5 of the 8 tracked files of its base");
  expect(refused("kept")).toContain("the worktree lacks 1 file that the agent's own commits keep");
  const { run } = report;
  const at = (n: number) =>
    `loopdash/${run}/both@1.left-${n} at ${stage.git("app", "rev-parse", "--short=7", `loopdash/${run}/both@1.left-${n}`)} (1 file)`;
  const left = `work left in a stash, kept on ${at(1)}; work left in branch mine, kept on ${at(2)}`;
  expect(refused("both")).toContain(`the worktree has no change; ${left}`);
  expect(stage.git("app", "show", `loopdash/${run}/both@1.left-2:one`)).toBe("one");
  const said = events.flatMap((event) => (event.type === "activity" && event.ticket === "both" ? [event.text] : []));
  expect(said.join("\n")).toContain(`both@1.left-2`);

  const { stdout } = await stage.run(["report", run, "--md"]);
  const summary = stdout.replaceAll("\\", "");
  expect(summary).toContain(`attempt 1: ${left}`);
  expect(summary).toMatch(/stash@1\.left-1 at \w{7} \(1 file\); it is the change, because the worktree had none/);
});
