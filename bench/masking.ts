import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createExecutor } from "../src/adapters/executor/process-executor.ts";
import { createMasker, type LearningMasker } from "../src/adapters/secrets/masker.ts";
import { alternate } from "./alternate.ts";
import { childEnvironment, type Scratch, scratchFolder } from "./children.ts";
import { type Bench, type BenchOptions, type Figure, noteFigure, ratioFigure } from "./figure.ts";

/**
 * Largest allowed time with masking, as a share of the time without, for a program that makes what it prints. There, masking runs while
 * the program works. One that only copies waits for loopdash: that figure is printed, without a bound.
 */
const MOST = 1.03;
/** A log of this size reaches its limit just not. Bytes. */
const BYTES = 19 * 1024 * 1024;
/** As many as a large batch has, of the lengths that tokens have: a forge's, a registry's, a cloud's. */
const LENGTHS = [20, 36, 40, 64, 93];

/** The cost of masking a program's output, against the same output without secrets. */
export const masking: Bench = {
  name: "masking",
  about: "a program's output into log, tail and lines, with five secrets known against none",
  async run(options): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("masking");
    return await measure(scratch, options);
  },
};

async function measure(scratch: Scratch, { quick }: BenchOptions): Promise<readonly Figure[]> {
  const output = join(scratch.path, "output");
  await writeFile(output, logOf(quick ? BYTES / 10 : BYTES));
  const masker = createMasker();
  LENGTHS.forEach((length, i) => {
    masker.learn(`secret-${i}`, Array.from({ length }, (_, at) => ALPHABET[(at * 7 + i * 13) % ALPHABET.length]).join(""));
  });
  const rounds = quick ? 3 : 20;
  const lines = ["node", "-e", PRINTS, output];
  const bytes = ["/bin/cat", output];
  const [plain = 0, masked = 0, copied = 0, copiedMasked = 0] = await alternate(rounds, [
    (round) => printed(scratch, lines, `plain-${round}`, undefined),
    (round) => printed(scratch, lines, `masked-${round}`, masker),
    (round) => printed(scratch, bytes, `copied-${round}`, undefined),
    (round) => printed(scratch, bytes, `copied-masked-${round}`, masker),
  ]);
  const size = `${Math.round(BYTES / 2 ** 20)} MiB`;
  const secrets = `${LENGTHS.length} secrets known`;
  const floor = (value: number) => ({ what: "without secrets", value });
  const note = "not bounded: loopdash is slower than a copy, so all that masking does adds to the time";
  return [
    ratioFigure({
      ...{
        item: "masking",
        what: `${size} that a program makes and prints line by line as fast as it can, ${secrets}`,
        value: masked,
        unit: "ms",
        max: MOST,
      },
      floor: floor(plain),
    }),
    noteFigure({
      item: "copy",
      what: `${size} that cat copies without making anything, ${secrets}`,
      value: copiedMasked,
      unit: "ms",
      floor: floor(copied),
      note,
    }),
  ];
}

/** Prints the lines of a file one by one, as test runners and agents' programs print. */
const PRINTS =
  'for (const line of require("node:fs").readFileSync(process.argv[1], "utf8").split("\\n")) process.stdout.write(line + "\\n");';

/** Milliseconds of a program that prints as fast as it can. */
async function printed(
  scratch: Scratch,
  argv: readonly string[],
  name: string,
  masker: LearningMasker | undefined,
): Promise<number> {
  const executor = createExecutor(masker === undefined ? {} : { masker });
  let lines = 0;
  const { durationMs, exitCode } = await executor.run({
    argv,
    cwd: scratch.path,
    env: childEnvironment(scratch.path),
    logFile: join(scratch.path, `${name}.log`),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    marker: name,
    onLine: () => {
      lines += 1;
    },
  });
  if (exitCode !== 0 || lines === 0) throw new Error(`${argv[0]} ended with ${exitCode} after ${lines} lines`);
  return durationMs;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-";

/** Lines as agents and test runners print them: JSON of 1 KB, and short ones. */
function logOf(bytes: number): string {
  const lines: string[] = [];
  for (let size = 0, i = 0; size < bytes; i++) {
    const text = `step ${i} of the build wrote /work/app/src/module-${i % 977}/index.ts and went on to the next one. `;
    const line =
      i % 4 === 0
        ? JSON.stringify({ type: "assistant", id: `msg_${i * 7919}`, content: text.repeat(10) })
        : ` ✓ test/module-${i % 977}.test.ts > works (${i % 40} ms)`;
    lines.push(line);
    size += Buffer.byteLength(line) + 1;
  }
  return `${lines.join("\n")}\n`;
}
