import type { BatchCommand } from "../../domain/batch/commands.ts";
import type { Batch } from "../../domain/batch/schema.ts";

/** Programs that ask a daemon, or the kernel for a container of their own: neither is in the sandbox. */
const CONTAINERS = /^(?:docker|docker-compose|podman|podman-compose|nerdctl|buildah)$/;
const COMPOSE_FILE = /(?:^|\/)(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$/;
const SOCKET = /(?:docker|podman)(?:\.sock|\/)/;

/** What a confined command that asks for containers will meet; undefined if it asks for none. */
export function dockerProblem(
  { argv, runs }: BatchCommand,
  { sandboxPolicy }: Pick<Batch, "sandboxPolicy">,
): { readonly isFatal: boolean; readonly message: string; readonly hint: string } | undefined {
  const [program = "", ...args] = argv;
  const name = program.split("/").at(-1) ?? "";
  const isOpened = (sandboxPolicy?.read ?? []).some((path) => SOCKET.test(path));
  if (isOpened) return undefined;
  const hint =
    runs === "verify"
      ? 'set "sandbox": "off" on this verify, which then runs with your rights, or move the containers out of it'
      : 'only a verify can run outside, with "sandbox": "off"; start the containers yourself and open their ports, or test without them';
  if (CONTAINERS.test(name)) {
    const message = `${name} cannot work in the sandbox: no container daemon can be reached there, and no container can be made`;
    return { isFatal: true, message, hint };
  }
  const file = args.find((word) => COMPOSE_FILE.test(word));
  if (file === undefined) return undefined;
  return { isFatal: false, message: "it names a compose file, and no container can be started in the sandbox", hint };
}
