/** The guard as a program: it reads settings and stdin, runs checks at a stop, and prints verdicts. */
export { type Caller, thisProcess } from "./caller.ts";
export { guardCheck, worktreeOf } from "./check-command.ts";
export type { GuardHost } from "./guard-host.ts";
export { settingsOf } from "./hook/guard-settings.ts";
export { hook } from "./hook/hook.ts";
export { realPath } from "./hook/hook-contexts.ts";
export type { StopChecks } from "./hook/stop-look.ts";
export { runGuard } from "./run-guard.ts";
