import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { RunId } from "../../../src/domain/values/ids.ts";

/** Opens the file, maybe at once with others, and uses it. Arguments: file, run. */
const [, , file = "", run = ""] = process.argv;
const store = openRunStore(file);
const journal = store.create({ run: RunId.parse(run), name: "n", batchPath: "/b", batchFileSha: "0", startedAt: 1 });
for (let i = 0; i < 50; i++) journal.append({ type: "run-paused" });
store.close();
