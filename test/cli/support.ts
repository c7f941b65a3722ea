import { UserError } from "../../src/domain/values/user-error.ts";

/** A batch file's content, with these keys in place of its own. */
export const batchFile = (over: object = {}) => ({
  name: "night shift",
  repos: { app: { path: "user" } },
  agent: { kind: "command", command: ["node", "agent.mjs", "--flag", "other.mjs", "-agent.mjs"] },
  sandbox: "off",
  tickets: [
    { id: "T-1", title: "One" },
    { id: "T-2", title: "Two" },
  ],
  ...over,
});

/** The UserError that a promise is refused with. Throws where it is not. */
export async function refusal(promise: Promise<unknown>): Promise<UserError> {
  const error = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(error instanceof UserError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}
