import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { HONEST, PROGRAM, Stage } from "./stage.ts";

/** How much longer a process takes than it ever does. Milliseconds. */
const LONGER = 1_500;

/** A copy of the program as it ships, where one of its hidden verbs does something else first. `await` may be used in it. */
function installed(stage: Stage, verb: "__engine" | "__git", first: string): string {
  const root = stage.path("installed");
  const packaged = dirname(dirname(PROGRAM));
  for (const part of ["dist", "prompts", "package.json"]) cpSync(join(packaged, part), join(root, part), { recursive: true });
  const program = join(root, "dist", "loopdash.js");
  const [shebang, ...rest] = readFileSync(program, "utf8").split("\n");
  const before = `if (process.argv[2] === "${verb}") {\n${first}\n}`;
  writeFileSync(program, [shebang, 'import * as fs from "node:fs";', ...rest.slice(0, 2), before, ...rest.slice(2)].join("\n"));
  return program;
}

/** Marks, `LONGER` later, that it has come so far. */
const later = (mark: string): string =>
  `await new Promise((go) => setTimeout(go, ${LONGER}));\nfs.writeFileSync(${JSON.stringify(mark)}, "");`;

describe("a start", { timeout: 300_000 }, () => {
  test("that is refused is over when the engine is gone, however long that takes", async () => {
    using stage = new Stage();
    stage.repo("app");
    const gone = stage.path("gone");
    const refusal = JSON.stringify({ ok: false, what: "no", why: "it is a test", todo: "Nothing.", exitCode: 4 });
    const refuse = `fs.writeSync(3, ${JSON.stringify(refusal)});\nfs.closeSync(3);\n${later(gone)}\nprocess.exit(4);`;
    const { code, stderr } = await stage.start([stage.batch(["T-1"]), "--detach"], {}, installed(stage, "__engine", refuse))
      .ended;
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("it is a test") as string });
    expect(existsSync(gone)).toBe(true);
  });

  test("looks at the repositories before there is a process for git, and begins nothing before that", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    const up = stage.path("up");
    const program = installed(stage, "__git", later(up));
    const { code, stderr } = await stage.start([stage.batch(["T-1"]), "--detach"], {}, program).ended;
    expect({ code, up: existsSync(up) }, stderr).toEqual({ code: 0, up: true });
  });
});
