import type { ReadStream } from "node:tty";
import type { TerminalBackground } from "../../store/terminal-capabilities.ts";

/** Longest wait for the terminal's answer: over a network it may come later, and is then passed over. Milliseconds. */
const ANSWER_MS = 150;
/** The colour of the background (OSC 11), and the terminal's kind, which every terminal answers (DA1): nothing follows that. */
const QUESTION = "\u001b]11;?\u001b\\\u001b[c";
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of a terminal
const COLOUR = /\u001b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})[^\u0007\u001b]{0,8}(?:\u0007|\u001b\\)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of a terminal
const KIND = /\u001b\[\?[\d;]{0,40}c/;

/** Asks the terminal for its background. What is typed meanwhile stays in the input, which stays raw: nothing is echoed until the dashboard reads it. */
export async function askBackground(
  stdin: Pick<ReadStream, "isTTY" | "setRawMode" | "on" | "off" | "read" | "unshift">,
  stdout: { write(text: string): unknown },
): Promise<TerminalBackground> {
  if (!stdin.isTTY) return "unknown";
  let text = "";
  const { promise, resolve } = Promise.withResolvers<void>();
  // Not by `data`, which would leave the input flowing: the dashboard reads it in the same way.
  const read = (): void => {
    for (let piece = stdin.read(); piece !== null; piece = stdin.read()) text += Buffer.from(piece).toString("latin1");
    if (KIND.test(text)) resolve();
  };
  const timer = setTimeout(resolve, ANSWER_MS);
  stdin.setRawMode(true);
  stdin.on("readable", read);
  stdout.write(QUESTION);
  await promise;
  clearTimeout(timer);
  stdin.off("readable", read);
  const typed = text.replace(COLOUR, "").replace(KIND, "");
  if (typed !== "") stdin.unshift(Buffer.from(typed, "latin1"));
  return backgroundIn(text);
}

/** Light if the perceived brightness (Rec. 709) is above the middle. */
function backgroundIn(text: string): TerminalBackground {
  const parts = COLOUR.exec(text)?.slice(1, 4);
  if (parts === undefined) return "unknown";
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? "light" : "dark";
}
