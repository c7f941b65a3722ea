import { spawn } from "node:child_process";
import { errorCode, errorMessage, plainText } from "../../domain/values/text.ts";

/** Minutes before the command of a law is ended: then it does not hold. */
const LAW_MINUTES = 60;

/** Runs the command of a law as its user, with the output on stderr. Returns why it did not exit with 0; undefined if it did. */
export function failureOf([program = "", ...args]: readonly string[], cwd: string): Promise<string | undefined> {
  const shown = plainText([program, ...args].join(" "), 200);
  return new Promise((settle) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", 2, 2], timeout: LAW_MINUTES * 60_000, killSignal: "SIGKILL" });
    child.once("error", (error) => {
      const isMissing = errorCode(error) === "ENOENT";
      settle(isMissing ? `there is no program ${plainText(program, 100)}` : `${shown}: ${errorMessage(error)}`);
    });
    child.once("close", (code, signal) => settle(code === 0 ? undefined : `${shown}: exit ${code ?? signal}`));
  });
}
