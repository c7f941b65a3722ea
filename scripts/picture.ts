/**
 * Makes pictures of the dashboard. `node scripts/picture.ts` runs the example in a folder and terminal of its own, keeps a screen with
 * live workers and the last one for the README, and then replays the run: every view, at each size and moment, to `.ci/out/pictures`.
 * `node scripts/picture.ts --home FOLDER RUN` replays another run (FOLDER is its LOOPDASH_HOME).
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { spawn } from "@lydell/node-pty";
import xterm, { type Terminal } from "@xterm/headless";
import { copyExample, setUpExample, startSurroundings, stopSurroundings } from "../example/setup.ts";
import { type Frame, frameOf, framesToSvg, screenToSvg } from "./picture/svg.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PICTURES = join(ROOT, ".ci/out/pictures");
const SIZE = { cols: 120, rows: 32 } as const;
type Size = { readonly cols: number; readonly rows: number };
/** A small terminal, half of a screen, a whole one. */
const SIZES: readonly Size[] = [
  { cols: 80, rows: 24 },
  { cols: 120, rows: 34 },
  { cols: 160, rows: 50 },
];
/** The moments of a replay, by the keys that lead to them: tenths of the run. */
const MOMENTS = { early: "3", middle: "6", late: "8" } as const;
/** The keys that lead to each view from the overview. */
const SCREENS = {
  overview: "",
  away: "w",
  help: "?",
  palette: ":",
  ticket: "j\r",
  diff: "j\rd",
  prompt: "j\rP",
  evidence: "j\re",
  cost: "j\rc",
  graph: "\t\t",
  timeline: "\t\t\t",
  oracle: "\t\t\t\t",
  ledger: "\t\t\t\t\t",
  runs: "\t\t\t\t\t\t",
  events: "v",
} as const;
/** A screen is drawn once the terminal has been given nothing for this long. */
const SETTLED_MS = 250;
const WORKERS = 2;
const DONE = 3;
const LONGEST_MS = 3 * 60_000;
/** How often the screen is kept for the picture that moves, and how many of them it has at most. */
const EVERY_MS = 1_000;
const MOST_FRAMES = 26;

const textOf = (terminal: Terminal): string =>
  Array.from(
    { length: terminal.rows },
    (_, row) => terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)?.translateToString(true) ?? "",
  ).join("\n");

/** True if several workers and some finished tickets are on the screen. */
function isLively(screen: string): boolean {
  const live = Number(/AT WORK (\d+) of \d+/.exec(screen)?.[1] ?? 0);
  const done = Number(/(\d+) done/.exec(screen)?.[1] ?? 0);
  return live >= WORKERS && done >= DONE;
}

const isOver = (screen: string): boolean => /^\W*DONE\b/m.test(screen) && !screen.includes("AT WORK");

interface Session {
  readonly terminal: Terminal;
  /** Resolves when `shown` is true for the screen. */
  until(shown: (screen: string) => boolean): Promise<void>;
  press(key: string): void;
  /** Resolves once nothing more is drawn. */
  settled(): Promise<void>;
  readonly exitCode: Promise<number>;
}

function start(home: string, args: readonly string[], size: Size): Session {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LOOPDASH_HOME: home,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
  };
  const child = spawn(process.execPath, [join(ROOT, "dist/loopdash.js"), ...args], { ...size, cwd: ROOT, env });
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true });
  const waiting = new Set<() => void>();
  child.onData((data) =>
    terminal.write(data, () => {
      for (const look of waiting) look();
    }),
  );
  const exit = Promise.withResolvers<number>();
  child.onExit(({ exitCode }) => exit.resolve(exitCode));
  const until = (shown: (screen: string) => boolean): Promise<void> => {
    const found = Promise.withResolvers<void>();
    const look = (): void => {
      if (shown(textOf(terminal))) found.resolve();
    };
    const tooLong = setTimeout(() => found.reject(new Error(`never shown; the screen:\n${textOf(terminal)}`)), LONGEST_MS);
    void exit.promise.then((code) => found.reject(new Error(`ended with ${code}; the screen:\n${textOf(terminal)}`)));
    waiting.add(look);
    look();
    return found.promise.finally(() => {
      waiting.delete(look);
      clearTimeout(tooLong);
    });
  };
  const settled = (): Promise<void> => {
    const quiet = Promise.withResolvers<void>();
    let timer = setTimeout(quiet.resolve, SETTLED_MS);
    const look = (): void => {
      clearTimeout(timer);
      timer = setTimeout(quiet.resolve, SETTLED_MS);
    };
    waiting.add(look);
    return quiet.promise.finally(() => waiting.delete(look));
  };
  return { terminal, until, settled, press: (key) => child.write(key), exitCode: exit.promise };
}

/** Screens of a run, one a second, from when the first worker is seen. */
function record(terminal: Terminal): { readonly keep: () => Frame; readonly end: () => readonly Frame[] } {
  const frames: Frame[] = [];
  const keep = (): Frame => {
    const frame = frameOf(terminal);
    frames.push(frame);
    return frame;
  };
  const timer = setInterval(() => {
    if (textOf(terminal).includes("AT WORK")) keep();
  }, EVERY_MS);
  return {
    keep,
    end: () => {
      clearInterval(timer);
      keep();
      return frames;
    },
  };
}

/** At most MOST_FRAMES of them, the last one always; who wants no motion sees `still`, or what comes after it. */
function motionPicture(all: readonly Frame[], still: Frame): string {
  const step = Math.max(1, Math.ceil((all.length - 1) / (MOST_FRAMES - 1)));
  const kept = all.flatMap((frame, i) => (i % step === 0 || i === all.length - 1 ? [{ frame, i }] : []));
  const lively = all.indexOf(still);
  return framesToSvg(
    kept.map(({ frame }) => frame),
    {
      size: { ...SIZE },
      title: "A run of the example, from its first workers to its summary",
      seconds: 0.8,
      last: 4,
      still: Math.max(
        0,
        kept.findIndex(({ i }) => i >= lively),
      ),
    },
  );
}

/** Sets up the example in `folder` with everything it needs and running environments; returns its batch file's path. */
async function exampleIn(folder: string): Promise<string> {
  const workspace = await copyExample(folder);
  await setUpExample(workspace);
  await startSurroundings(workspace, join(folder, "home"));
  return join(folder, "batch.example.json");
}

/** Replays a run at each size and keeps every view of each moment, as a picture and as text. Returns how many. */
async function drawViews(home: string, run: string): Promise<number> {
  mkdirSync(PICTURES, { recursive: true });
  let drawn = 0;
  for (const size of SIZES) {
    const session = start(home, ["replay", ...(run === "" ? [] : [run])], size);
    await session.until((screen) => screen.includes("REPLAY"));
    session.press(" ");
    for (const [moment, tenth] of Object.entries(MOMENTS)) {
      for (const [screen, keys] of Object.entries(SCREENS)) {
        session.press(tenth);
        await session.settled();
        for (const key of keys) session.press(key);
        await session.settled();
        const file = join(PICTURES, `${screen}-${moment}-${size.cols}x${size.rows}`);
        writeFileSync(`${file}.svg`, screenToSvg(session.terminal, `${screen}, ${moment}`));
        writeFileSync(`${file}.txt`, `${textOf(session.terminal)}\n`);
        drawn += 1;
        await leaveView(session);
      }
    }
    session.press("q");
    await session.exitCode;
  }
  return drawn;
}

/** Goes back to the overview, with nothing marked or asked. */
async function leaveView(session: Session): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    session.press("\u001b");
    await session.settled();
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { home: { type: "string" } }, allowPositionals: true });
  if (values.home !== undefined) {
    console.log(`wrote ${await drawViews(values.home, positionals[0] ?? "")} screens to ${PICTURES}`);
    return;
  }
  await drawExample();
}

async function drawExample(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "loopdash-picture-"));
  try {
    const home = join(folder, "home");
    const session = start(home, [await exampleIn(folder), "--fresh"], SIZE);
    const recorder = record(session.terminal);
    await session.until(isLively);
    const lively = recorder.keep();
    await session.until(isOver);
    writeFileSync(join(ROOT, "docs/run.svg"), motionPicture(recorder.end(), lively));
    writeFileSync(join(ROOT, "docs/summary.svg"), screenToSvg(session.terminal, "The summary at the end of a run"));
    session.press("q");
    const code = await session.exitCode;
    if (code !== 0) throw new Error(`the run ended with ${code}`);
    console.log("wrote docs/run.svg and docs/summary.svg");
    console.log(`wrote ${await drawViews(home, "")} screens to ${PICTURES}`);
  } finally {
    // An engine is left only after a failure; it must not outlive its folder.
    for (const file of globSync("home/runs/*/engine.pid", { cwd: folder }))
      process.kill(Number(readFileSync(join(folder, file), "utf8")));
    await stopSurroundings(join(folder, "example", "workspace"));
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
