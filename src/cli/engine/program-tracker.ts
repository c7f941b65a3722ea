import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { FENCE_VARIABLE } from "../../adapters/executor/process-table.ts";
import { freezeTrackerProgram } from "../../adapters/oracle/frozen-command.ts";
import { createProgramService } from "../../adapters/tracker/command/program-service.ts";
import { trackerProgram } from "../../adapters/tracker/command/tracker-program.ts";
import type { TrackerRequest } from "../../domain/batch/read.ts";
import type { TrackerProgramSpec } from "../../domain/batch/tracker-spec.ts";
import { textSha } from "../../domain/run/drift-fact.ts";
import { checkTrackerProgram } from "./outside-repositories.ts";
import type { OutsideTracker, TrackerSurroundings } from "./outside-tracker.ts";
import { secretsOf, variablesOf } from "./run-secrets.ts";

/** Default time limit of one request to a tracker's program. Seconds. */
const SECONDS = 60;

/** The tracker behind a program of the user. Throws a UserError (exit 4) if agents' changes could rewrite that program. */
export function programTrackerOf(
  request: TrackerRequest & { readonly tracker: TrackerProgramSpec },
  { folder, env }: TrackerSurroundings,
): OutsideTracker {
  const { tracker } = request;
  checkTrackerProgram(tracker, request.repos, folder);
  const secrets = secretsOf(request, { folder, env });
  const allowed = allowedEnvironment(env, {});
  const marker = `tracker/${textSha(folder)}/${textSha(JSON.stringify(tracker.command))}`;
  const environment = async () => ({
    ...allowed,
    [FENCE_VARIABLE]: marker,
    ...(secrets === undefined ? tracker.env : await variablesOf(secrets, tracker, { batch: request, folder })),
  });
  const mask = secrets === undefined ? undefined : (text: string) => secrets.masker.text(text);
  const deadlineMs = (tracker.seconds ?? SECONDS) * 1000;
  const command = tracker.command as readonly [string, ...string[]];
  const service = createProgramService(trackerProgram({ command, cwd: folder, environment, timeoutMs: deadlineMs, mask }));
  return {
    service,
    serviceOf: () => ({ service }),
    freeze: async () => ({
      kind: "command",
      program: await freezeTrackerProgram([...command, "snapshot"], { folder, path: allowed["PATH"] ?? "" }),
      folder,
    }),
    oracleAccess: { tracker: { environment, deadlineMs, mask } },
    endLeft: async () => void (await createExecutor().killStrays({ processes: [], markers: [marker] })),
    secrets,
  };
}
