import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Notice, NoticeMessage } from "../../domain/notice/notices.ts";
import { hasErrorCode } from "../../domain/values/text.ts";
import type { Clock } from "../../ports/clock.ts";
import { NoticeSender, type NoticeTrouble } from "./notice-sender.ts";
import { type OpenRoute, postNotice } from "./post-notice.ts";
import { openToldKeys } from "./told-keys.ts";

/** What the process is to do: the first message. */
interface Opening {
  readonly open: {
    readonly routes: readonly OpenRoute[];
    readonly about: Pick<NoticeMessage, "run" | "batch">;
    /** The folder of the run. */
    readonly folder: string;
    readonly engine: number;
  };
}
type Request = Opening | { readonly notices: readonly Notice[] } | { readonly bye: true };

/** The process that sends an engine's notices. */
export interface NoticeProcess {
  look(notices: readonly Notice[]): void;
  /** Lets it send what is left, by itself if that takes long. Settles once it has, at most after some seconds. */
  close(): Promise<void>;
}

/** The engine waits this long for the last notices; then they are sent without it. Milliseconds. */
const CLOSE_MS = 10_000;
/** The process gives up what it could not send this long after its engine. Milliseconds. */
const LEFT_MS = 24 * 60 * 60_000;
/** An engine that is gone may have been replaced at once: nobody is told before. Milliseconds. */
const REPLACED_MS = 10_000;

/**
 * Starts a process of its own session that sends notices, so that a receiver never holds the engine, quiet hours outlast a run, and somebody is
 * left to tell that the engine has died. The addresses and keys reach it by its channel alone.
 */
export function startNoticeProcess(
  {
    program,
    args,
    env,
  }: { readonly program: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> },
  opening: Opening["open"],
  { clock, onTrouble }: { readonly clock: Clock; readonly onTrouble: (trouble: NoticeTrouble | "gone") => void },
): NoticeProcess {
  const child = fork(program, [...args], { detached: true, env: { ...env }, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  let isClosing = false;
  const gone = new Promise<void>((settle) => {
    const end = (): void => {
      if (!isClosing) onTrouble("gone");
      settle();
    };
    child.once("exit", end);
    child.once("error", end);
  });
  child.on("message", (trouble: NoticeTrouble) => onTrouble(trouble));
  const send = (request: Request): void => void (child.connected && child.send(request, () => undefined));
  send({ open: opening });
  return {
    look: (notices) => send({ notices }),
    close: async () => {
      isClosing = true;
      send({ bye: true });
      child.unref();
      await Promise.race([gone, new Promise<void>((settle) => void clock.after(CLOSE_MS, settle))]);
      if (child.connected) child.disconnect();
    },
  };
}

/** The process itself: the hidden verb `__notices`. */
export async function runNoticeProcess(clock: Clock): Promise<void> {
  const left = Promise.withResolvers<"bye" | "died">();
  let sender: NoticeSender | undefined;
  let opened: Opening["open"] | undefined;
  let last: readonly Notice[] = [];
  process.on("message", (request: Request) => {
    if ("open" in request) {
      opened = request.open;
      sender = openSender(request.open, clock);
    } else if ("notices" in request) {
      last = request.notices;
      sender?.look(last);
    } else left.resolve("bye");
  });
  process.once("disconnect", () => left.resolve("died"));
  const how = await left.promise;
  if (sender === undefined || opened === undefined) return;
  // The channel no longer keeps the process alive.
  const end = setTimeout(() => process.exit(0), LEFT_MS);
  if (how === "died") {
    await new Promise((settle) => setTimeout(settle, REPLACED_MS));
    if (!isReplaced(opened)) sender.look([diedNotice(opened), ...last]);
  }
  await sender.finish();
  clearTimeout(end);
  process.exit(0);
}

function diedNotice({ engine, about }: Opening["open"]): Notice {
  const says = `the engine of ${about.run} died, and nothing is worked: start it again with the same command`;
  return { key: `died ${engine}`, kind: "engine-died", says };
}

function openSender({ routes, about, folder }: Opening["open"], clock: Clock): NoticeSender {
  const owner = join(folder, "notices.pid");
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 });
  return new NoticeSender({
    ...{ routes, about, clock },
    told: openToldKeys(join(folder, "notices.json")),
    post: (route, message, now) => {
      // The run's next engine has a process of its own, which tells what is left.
      if (readFileSync(owner, "utf8").trim() !== String(process.pid)) process.exit(0);
      return postNotice(route, message, now);
    },
    onTrouble: (trouble) => void (process.connected && process.send?.(trouble)),
  });
}

/** True if another engine works on the run. */
function isReplaced({ folder, engine }: Opening["open"]): boolean {
  try {
    const pid = Number(readFileSync(join(folder, "engine.pid"), "utf8"));
    return pid !== engine && process.kill(pid, 0);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ESRCH")) return false;
    throw error;
  }
}
