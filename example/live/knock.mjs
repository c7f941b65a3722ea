// Whether an environment answers, or ends when it is asked to: `node knock.mjs <workspace> dev|prod GET|POST`. The exit code says it.
import { ask } from "./ask.mjs";

const [, , workspace = "", name = "", method = "GET"] = process.argv;
process.chdir(workspace);
await ask(`${name}.sock`, method === "POST" ? "/stop" : "/shop", { method });
