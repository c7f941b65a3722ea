import { connect } from "node:net";
import { text } from "node:stream/consumers";

/**
 * Hidden verb `__trial <socket> program args…`, in a reviewer's sandbox as `$LOOPDASH_RUN`: has the engine run a command on a copy of the
 * change, and prints what came of it. Gives the command's exit code, or 2 if nothing was run. Imports only Node's own modules, as the
 * relay does.
 */
export async function trial([socket, ...argv]: readonly string[]): Promise<number> {
  if (socket === undefined || argv.length === 0) {
    process.stderr.write("usage: loopdash-run program args...\n");
    return 2;
  }
  try {
    const connection = connect(socket);
    connection.end(JSON.stringify(argv));
    const told = JSON.parse(await text(connection)) as { readonly exitCode: number; readonly text: string };
    process.stdout.write(told.text);
    return told.exitCode;
  } catch {
    process.stderr.write("loopdash-run: loopdash gave no answer: the command was not run\n");
    return 2;
  }
}
