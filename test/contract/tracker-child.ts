import fsp from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { RepoId, TicketId } from "../../src/domain/values/ids.ts";
import { trackersUnderTest } from "./tracker-kinds.ts";

// A process that writes a tracker and is to die while it does: `tracker-child.ts <kind> <folder> <how> <id>…`.
const [kind = "", folder = "", how = "", ...names] = process.argv.slice(2);
const ids = names.map((name) => TicketId.parse(name));
const under = trackersUnderTest.find((t) => t.kind === kind);
if (under === undefined) throw new Error(`no tracker kind ${kind}`);

if (how === "dies-before-rename") {
  fsp.rename = () => {
    process.kill(process.pid, "SIGKILL");
    return new Promise<void>(() => undefined);
  };
  syncBuiltinESMExports();
}

const tracker = under.open(folder, ids);
for (let n = 0; how === "files"; n += 1) {
  const id = TicketId.parse(`T-1-d${n + 1}`);
  await tracker.file({ id, title: `Title of ${id}`, body: "Some text.", repo: RepoId.parse("app"), note: "found" });
  process.stdout.write(".");
}
for (let round = 0; ; round += 1) {
  for (const id of ids) {
    await tracker.set(id, round % 2 === 0 ? { as: "done" } : { as: "human-gated", step: `step ${round}` }, `round ${round}`);
    process.stdout.write(".");
  }
}
