import { Pty } from "../../e2e/pty.ts";
import type { Attack } from "../suite.ts";
import { stageWith } from "./begins.ts";
import { DEFENCES } from "./defences.ts";

/** What a terminal would obey or be led astray by: a title, a cleared screen, a colour, and a turned direction. */
const EVIL = "\u001b]0;owned\u0007\u001b[2J\u202e\u001b[31mevil";
const SOURCE = JSON.stringify(EVIL);

export const TERMINAL: readonly Attack[] = [
  {
    id: "E11-name",
    what: "gives a protected file a name that a terminal obeys",
    defence: DEFENCES.plainText,
    async succeeds(program) {
      using stage = stageWith(`fs.writeFileSync(${SOURCE} + "name", "x");`);
      const batch = stage.batch(["T-1"], { protect: ["*name"], limits: { attempts: 1 } });
      const run = stage.start([batch, "--headless"], {}, program);
      await run.until(/evilname/);
      return /[\u001b\u0007\u009b\u202e]/.test(run.stdout());
    },
  },
  {
    id: "E11-screen",
    what: "prints what a terminal obeys, and its line is drawn",
    defence: DEFENCES.plainText,
    async succeeds(program) {
      using stage = stageWith(`say(${SOURCE} + " output"); await wait(60_000);`);
      stage.batch(["T-1"]);
      const argv = [process.execPath, program, "batch.json"] as const;
      const env = { ...stage.env, TERM: "xterm-256color" };
      const pty = new Pty({ argv: [...argv], cwd: stage.root, env, size: { columns: 120, rows: 32 } });
      try {
        await pty.waitFor(/evil ?output/);
        // Ink lets no more than colours through; a colour alone can hide a line.
        return /\u001b\]0;owned|\u202e|\u001b\[31mevil/.test(pty.raw);
      } finally {
        pty.close();
      }
    },
  },
];
