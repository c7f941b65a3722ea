import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";

const WORDS = "words of a file outside of the run";

/** A run with one ticket. OUTSIDE in the agent's body is a folder that is not the run's. */
async function played(program: string, body: string, over: Record<string, unknown>) {
  const stage = new Stage(program);
  stage.repo("app");
  stage.write("outside/private.md", `${WORDS}\n`);
  stage.agent(body.replaceAll("OUTSIDE", JSON.stringify(stage.path("outside"))));
  const { stdout, stderr } = await stage.run([stage.batch(["T-1"], over), "--headless"]);
  const [run = ""] = readdirSync(join(stage.home, "runs"));
  return { stage, run, said: stdout + stderr };
}

/** True if an archive of the run holds what lies outside of it. */
async function takesOutside(program: string, link: string): Promise<boolean> {
  const body = `const box = process.env.LOOPDASH_OUTBOX; ${link} fs.writeFileSync("T-1.txt", "done\\n");`;
  const { stage, run, said } = await played(program, body, { sandbox: "required" });
  using _ = stage;
  const packed = await stage.run(["report", run, "--bundle", "out"]);
  if (packed.code !== 0) throw new Error(`there is no archive: ${packed.stderr}\n${said}`);
  mkdirSync(stage.path("open"));
  execFileSync("tar", ["xzf", stage.path("out", `${run}.tar.gz`), "-C", stage.path("open")]);
  const files = readdirSync(stage.path("open"), { recursive: true, withFileTypes: true });
  // The agent's own words have the path, not the content.
  return files.some((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name), "utf8").includes(WORDS));
}

/** True if the second attempt changes what the first one left, and `verify-journal` does not tell. */
async function isHidden(program: string, change: string): Promise<boolean> {
  const body = `const box = process.env.LOOPDASH_OUTBOX, note = box + "/note.md";
    if (attempt === 1) { fs.writeFileSync(note, "as it was\\n"); fs.writeFileSync(box + "/bundle.json", "{}"); process.exit(1); }
    const first = box.replace("attempt-2", "attempt-1").replace(/\\/outbox$/, ""), old = first + "/outbox/note.md";
    const list = first + "/bundle.json";
    while (!fs.existsSync(list)) await wait(20);
    ${change} fs.writeFileSync("T-1.txt", "done\\n");`;
  const { stage, run, said } = await played(program, body, { sandbox: "off" });
  using _ = stage;
  const note = join(stage.home, "runs", run, "tickets/T-1/attempt-1/outbox/note.md");
  if (!readFileSync(note, "utf8").startsWith("another")) throw new Error(`it could not be changed:\n${said}`);
  const { code, stdout } = await stage.run(["verify-journal", run]);
  return code === 0 || !stdout.includes("changed:");
}

const CHANGE = 'fs.writeFileSync(old, "another\\n");';
/** The list gets the sum of what is there now. */
const RELIST = `const { createHash } = await import("node:crypto");
  const sum = (text) => createHash("sha256").update(text).digest("hex");
  fs.writeFileSync(list, fs.readFileSync(list, "utf8").replaceAll(sum("as it was\\n"), sum("another\\n")).replace('"bytes": 10', '"bytes": 8'));`;

/** Agents change what a bundle lists, or get something else into an archive. */
export const BUNDLES: readonly Attack[] = [
  {
    id: "F22-link",
    what: "leaves a link to a file outside of the run in its outbox",
    defence: DEFENCES.bundledFiles,
    succeeds: (program) => takesOutside(program, 'fs.symlinkSync(OUTSIDE + "/private.md", box + "/notes.txt");'),
  },
  {
    id: "F22-changed",
    what: "changes a file of an attempt that has ended, as only an agent without a sandbox can",
    defence: DEFENCES.bundleSums,
    succeeds: (program) => isHidden(program, CHANGE),
  },
  {
    id: "F22-relisted",
    what: "changes such a file, and the list that names it",
    defence: DEFENCES.bundleListSums,
    succeeds: (program) => isHidden(program, `${CHANGE} ${RELIST}`),
  },
];
