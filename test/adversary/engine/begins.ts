import { type Ended, Stage, type Started } from "../../e2e/stage.ts";

/** The refusal that a start must meet, and the message of an engine that began and was stopped later, if there is one. */
export interface Refusal {
  readonly code: number;
  readonly says: RegExp;
  readonly tooLate?: RegExp;
}

/** True if an engine starts to work. Throws if it does not start for another reason than the refusal. */
export async function begins(run: Started, refusal: Refusal): Promise<boolean> {
  const began = await run.until(/"type":"run-(?:started|resumed)"/).then(
    () => true,
    () => false,
  );
  if (began) return true;
  const { code, stderr }: Ended = await run.ended;
  if (refusal.tooLate?.test(stderr)) return true;
  if (code !== refusal.code || !refusal.says.test(stderr))
    throw new Error(`it was not refused as it should be (${code}): ${stderr}`);
  return false;
}

/** Kills an engine, and waits until it is gone. */
export async function killEngine(run: Started): Promise<void> {
  run.child.kill("SIGKILL");
  await run.ended;
}

/** A stage with one repository and an agent. */
export function stageWith(agent: string, files?: Readonly<Record<string, string>>): Stage {
  const stage = new Stage();
  stage.repo("app", files);
  stage.agent(agent);
  return stage;
}

/** The body of an agent that says READY and continues once the file `go` exists. */
export const UNTIL_GO = 'say("READY"); while (!fs.existsSync(process.env.HOME + "/go")) await wait(20);';
