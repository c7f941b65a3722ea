import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as pass } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { atWork, leaves, WIDE, without } from "./mouse-scenes.ts";
import { type Pty, terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";
const ST = `${ESC}\\`;
/** Replies, and keys that a field does not know: nothing of them is text. */
const SILENT = [
  `${ESC}[1;5A`,
  `${ESC}]11;rgb:1e1e/2e2e/3e3e${ST}`,
  `${ESC}]4;1;rgb:cccc/0000/0000\u0007`,
  `${ESC}[?62;22c`,
  `${ESC}[>41;354;0c`,
  `${ESC}P>|XTerm(390)${ST}`,
  `${ESC}[?2026;2$y`,
  `${ESC}[I`,
  `${ESC}[O`,
  `${ESC}Ptmux;${ESC}${ESC}]11;rgb:0/0/0\u0007${ST}`,
];

/** A slow line: bytes one by one, this many milliseconds apart. The time between them is what is tried. */
async function relay(pty: Pty, text: string, ms: number): Promise<void> {
  for (const byte of Buffer.from(text)) {
    pty.typeBytes(Buffer.from([byte]));
    await pass(ms);
  }
}

const opensNote = (pty: Pty) => pty.press("i", "Note an intervention");

describe("over a slow line", { timeout: 300_000 }, () => {
  test.each([20, 60])("sequences whose bytes come %d ms apart type nothing, and characters are whole", async (ms) => {
    using stage = new Stage();
    const { pty } = await atWork(open, stage, ["T-1"]);
    await opensNote(pty);
    for (const text of SILENT) await relay(pty, text, ms);
    await relay(pty, "aé👍", ms);
    await pty.waitFor(/│ aé👍█ /);
    await relay(pty, `${ESC}[200~one\rtwo${ESC}[201~`, ms);
    await pty.waitFor(/│ aé👍one two█ /);
    await pty.press(ESC, without("Note an intervention"));
    await leaves(pty);
  });

  test("a sequence whose rest comes late types nothing, and a lone Escape is the key", async () => {
    using stage = new Stage();
    const { pty } = await atWork(open, stage, ["T-1"]);
    await opensNote(pty);
    for (const text of SILENT) {
      for (const at of [2, text.length - 1]) {
        pty.type(text.slice(0, at));
        await pass(400);
        pty.type(text.slice(at));
        await pass(20);
      }
    }
    await pty.press("x", /│ x█ /);
    await pty.press(ESC, without("Note an intervention"));
    await leaves(pty);
  });

  test("a paste outside a field is no key, also without marks if it is longer than what a hand types at once", async () => {
    using stage = new Stage();
    const { pty } = await atWork(open, stage, ["T-1"]);
    await relay(pty, `${ESC}[200~xyqdps${ESC}[201~`, 20);
    pty.type("please quit this and stop\rthen press yes\r");
    // The next key is a piece of its own.
    await pass(100);
    await pty.press("i", "Note an intervention");
    expect(pty.text()).toMatch(/│ █ /);
    await pty.press(ESC, without("Note an intervention"));
    await leaves(pty);
  });
});

describe("within tmux", { timeout: 300_000 }, () => {
  const sockets: string[] = [];
  afterEach(() => {
    // A server ends with its last session.
    for (const socket of sockets.splice(0)) spawnSync("tmux", ["-S", socket, "kill-server"], { stdio: "ignore" });
  });

  test.each(["tmux-256color", "screen-256color"])("as %s, torn sequences type nothing and pastes stay text", async (term) => {
    using stage = new Stage();
    const before = await atWork(open, stage, ["T-1"]);
    await leaves(before.pty);
    const socket = stage.path("tmux.sock");
    sockets.push(socket);
    const settings = stage.write("tmux.conf", `set -g default-terminal ${term}\nset -s escape-time 10\nset -g status off\n`);
    const tmux = ["tmux", "-S", socket, "-f", settings] as const;
    const argv = [...tmux, "new-session", process.execPath, stage.program, "attach"] as const;
    const pty = open(stage, [], { ...WIDE, argv: [...argv] });
    await pty.waitFor("READY T-1");
    await opensNote(pty);
    for (const text of SILENT) await relay(pty, text, 5);
    // What tmux itself passes on as it came: to the pane, not from the keyboard.
    for (const text of SILENT.slice(0, 4)) {
      for (const piece of [text.slice(0, 3), text.slice(3)]) execFileSync("tmux", ["-S", socket, "send-keys", "-l", piece]);
    }
    await pty.press("aé", /│ aé█ /);
    execFileSync("tmux", ["-S", socket, "set-buffer", "one\ntwo"]);
    execFileSync("tmux", ["-S", socket, "paste-buffer", "-p"]);
    await pty.waitFor(/│ aéone two█ /);
    pty.type(ESC);
    await pty.waitFor(without("Note an intervention"));
    await pty.press("q", "Leave the dashboard");
    pty.type("d");
    await pty.exitCode();
  });
});
