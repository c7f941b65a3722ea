import { systemClock } from "../../adapters/clock/system-clock.ts";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { startNoticeProcess } from "../../adapters/notice/notice-process.ts";
import type { NoticeTrouble } from "../../adapters/notice/notice-sender.ts";
import type { OpenRoute } from "../../adapters/notice/post-notice.ts";
import type { NotifySpec } from "../../domain/batch/notify-spec.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { listNotices } from "../../domain/notice/notices.ts";
import type { RunFact } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import { formatUtc } from "../../domain/values/time.ts";
import { packageFiles } from "../package-files.ts";
import type { RunSecrets } from "./run-secrets.ts";

/** Tells the batch's receivers what becomes of a run. */
export interface Notices {
  /** Called with each new state. */
  look(state: RunState): void;
  /** Sends the last notices. */
  close(): Promise<void>;
}

/** Events of this time are one look. Milliseconds. */
const LOOK_MS = 500;

/** Starts to tell the receivers of a batch, and a person's own; undefined if there is none. A receiver that does not answer is told on the screen. */
export async function startNotices(
  { batch, run, folder, secrets, ownRoutes, env }: NoticesOptions,
  report: (fact: RunFact) => void,
): Promise<Notices | undefined> {
  const routes = [...(await openRoutes(batch.notify ?? [], secrets)), ...ownRoutes];
  if (routes.length === 0) return undefined;
  const sending = startNoticeProcess(
    { program: packageFiles().main, args: ["__notices"], env: allowedEnvironment(env, {}) },
    { routes, about: { run, batch: plainText(batch.name) }, folder, engine: process.pid },
    { clock: systemClock, onTrouble: (trouble) => void report({ type: "engine-waits", text: describeTrouble(trouble) }) },
  );
  let latest: RunState | undefined;
  let sent = "";
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    const notices = latest === undefined ? [] : listNotices(latest);
    const keys = JSON.stringify(notices.map(({ key }) => key));
    if (keys === sent) return;
    sent = keys;
    sending.look(notices);
  };
  return {
    look: (state) => {
      latest = state;
      timer ??= setTimeout(look, LOOK_MS).unref();
    },
    close: () => {
      clearTimeout(timer);
      look();
      return sending.close();
    },
  };
}

interface NoticesOptions {
  readonly batch: Pick<Batch, "name" | "notify">;
  readonly run: string;
  readonly folder: string;
  readonly secrets: RunSecrets | undefined;
  /** A person's own receivers. */
  readonly ownRoutes: readonly OpenRoute[];
  readonly env: NodeJS.ProcessEnv;
}

/** The receivers with the values of their secrets. Throws a SecretUnavailable. */
export async function openRoutes(notify: NotifySpec, secrets: RunSecrets | undefined): Promise<readonly OpenRoute[]> {
  const value = async (name: string | undefined): Promise<string | undefined> =>
    name === undefined ? undefined : (await secrets?.secrets.get(name))?.trim();
  return Promise.all(
    notify.map(async (spec, i): Promise<OpenRoute> => {
      const name = `${spec.kind} ${i + 1}`;
      if (spec.kind === "command") return { name, spec };
      const url = spec.url ?? (await value(spec.urlSecret));
      const signKey = spec.kind === "webhook" ? await value(spec.signSecret) : undefined;
      const token = spec.kind === "ntfy" ? await value(spec.tokenSecret) : undefined;
      return { name, spec, url, signKey, token };
    }),
  );
}

function describeTrouble(trouble: NoticeTrouble | "gone"): string {
  if (trouble === "gone") return "notices are no longer sent: their process has ended";
  const { route, why, left, nextAt } = trouble;
  return plainText(`notices: ${route} has a problem: ${why}; ${left} wait, next try at ${formatUtc(nextAt)}`, 300);
}
