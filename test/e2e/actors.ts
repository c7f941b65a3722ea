import { existsSync, globSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { HONEST, pidsUnder, type Stage } from "./stage.ts";

/**
 * An agent that writes its process id to `pid-<ticket>-<attempt>`, says READY and its ticket, and does its work once there is
 * a file `go` or `go-<ticket>`.
 */
export function patientAgent(stage: Stage, then = HONEST): void {
  stage.agent(`
    const at = (name) => ${JSON.stringify(stage.root)} + "/" + name;
    fs.writeFileSync(at("pid-" + ticket + "-" + attempt), String(process.pid));
    say("READY " + ticket);
    while (!fs.existsSync(at("go")) && !fs.existsSync(at("go-" + ticket))) await wait(20);
    ${then}`);
}

/** Waits until something holds; fails after 90 seconds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 90_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`never came: ${what}`);
    await wait(10);
  }
}

/** The process that a patient agent said it is. */
export function agentPid(stage: Stage, ticket: string, attempt = 1): number {
  return Number(readFileSync(stage.path(`pid-${ticket}-${attempt}`), "utf8"));
}

/** Whether a process is there and runs: one that only waits to be collected does not. */
export function isAlive(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  try {
    return existsSync(file) && !/^\d+ \(.*\) Z /s.test(readFileSync(file, "utf8"));
  } catch {
    // It went between the two looks.
    return false;
  }
}

/** The process of the engine that works on the stage's only run. */
export function enginePid(stage: Stage): number {
  const [file] = globSync("runs/*/engine.pid", { cwd: stage.home });
  if (file === undefined) throw new Error("no engine is at work");
  return Number(readFileSync(`${stage.home}/${file}`, "utf8"));
}

/** Engine processes of this stage, also those that have not said a word yet. */
export function engines(stage: Stage): number[] {
  return pidsUnder(stage.root).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0__engine\0");
    } catch {
      // It went between the two looks.
      return false;
    }
  });
}
