/** A server that judges for many short-lived callers, and how to ask it. */
export { clientArgv, type GuardSocket, SANDBOX_SOCKET } from "./client-argv.ts";
export { ownGuardServer } from "./own-server.ts";
export { answerQuestion } from "./serve.ts";
