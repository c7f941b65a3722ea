import type { Readable } from "node:stream";
import type { Masker } from "@loopdash/model-gateway";
import type { ExecRequest } from "../../ports/executor.ts";
import { createOutputLines, type OutputLines } from "./lines.ts";
import type { LogFile } from "./log-file.ts";
import { ranMs } from "./run-time.ts";
import { createTail } from "./tail.ts";

/** Passes a program's output to the log, the tail and the lines. */
export interface Output {
  /** Starts reading. Lines and bytes are counted from here on. */
  attach(streams: { readonly stdout: Readable; readonly stderr: Readable }, log: LogFile): void;
  /** Resumes after the log accepts more. */
  resume(): void;
  /** Milliseconds (ranMs) of the last byte; the current time while the log holds the output up. */
  lastByteAt(): number;
  /** Emits unfinished lines, and bytes that were held back. Call once, after both streams have ended. */
  end(): void;
  tail(): string;
}

/**
 * `onDefect` gets errors that a callback throws: they are defects of the engine, not of the program. What `masker` hides reaches
 * neither log nor tail nor lines.
 */
export function createOutput(
  { onLine, lineChars }: Pick<ExecRequest, "onLine" | "lineChars">,
  onDefect: (error: unknown) => void,
  masker?: Masker,
): Output {
  const tail = createTail();
  const ends: (() => void)[] = [];
  let streams: readonly Readable[] = [];
  let held = false;
  let lastByteAt = ranMs();

  const lines = (name: "stdout" | "stderr"): OutputLines | undefined => {
    if (onLine === undefined) return undefined;
    return createOutputLines((line) => {
      try {
        onLine(line, name);
      } catch (error) {
        onDefect(error);
      }
    }, lineChars);
  };
  const read = (stream: Readable, splitter: OutputLines | undefined, log: LogFile) => {
    const mask = masker?.stream();
    const take = (chunk: Buffer): void => {
      if (chunk.length === 0) return;
      tail.push(chunk);
      if (!log.write(chunk)) {
        held = true;
        for (const each of streams) each.pause();
      }
      splitter?.push(chunk);
    };
    stream.on("data", (chunk: Buffer) => {
      lastByteAt = ranMs();
      take(mask === undefined ? chunk : mask.push(chunk));
    });
    ends.push(() => {
      if (mask !== undefined) take(mask.end());
      splitter?.end();
    });
  };
  return {
    attach({ stdout, stderr }, log) {
      streams = [stdout, stderr];
      lastByteAt = ranMs();
      read(stdout, lines("stdout"), log);
      read(stderr, lines("stderr"), log);
    },
    resume() {
      held = false;
      for (const each of streams) each.resume();
    },
    lastByteAt: () => (held ? ranMs() : lastByteAt),
    end() {
      for (const end of ends) end();
    },
    tail: () => tail.text(),
  };
}
