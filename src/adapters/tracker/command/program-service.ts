import type { TrackerState } from "../../../domain/run/drift-fact.ts";
import type { TicketService } from "../service/ticket-service.ts";
import { stateRecord } from "../state-record.ts";
import { type ProgramSnapshot, ProtocolError, parseFiled, parseSet, parseSnapshot, parseTaken } from "./protocol.ts";
import { type TrackerProgram, TrackerProgramError } from "./tracker-program.ts";

/** Any tracker, through a program of the user (docs/use/tracker-program.md). Each snapshot is a whole one. */
export function createProgramService(program: TrackerProgram): TicketService {
  let last: ProgramSnapshot | undefined;
  const { name } = program;
  return {
    name,
    async snapshot() {
      const text = await program.ask("snapshot");
      last = await parsed(name, "snapshot", () => parseSnapshot(text, last?.byLine));
      return last.tickets;
    },
    async taken() {
      const text = await program.ask("taken");
      return parsed(name, "taken", () => parseTaken(text));
    },
    async set({ id, state, note, from }) {
      const input = { id, ...stateInput(state), note, ...(from !== undefined && { from: from.map(stateInput) }) };
      const text = await askAbout(program, id, "set", input);
      return parsed(name, "set", () => parseSet(text));
    },
    async file({ id, title, body, repo, dependsOn = [], exclusive = [], note }) {
      const text = await askAbout(program, id, "file", { id, title, body, repo, dependsOn, exclusive, note });
      return parsed(name, "file", () => parseFiled(text));
    },
    forget() {
      last = undefined;
    },
  };
}

async function askAbout(
  program: TrackerProgram,
  id: string,
  verb: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  try {
    return await program.ask(verb, input);
  } catch (error) {
    if (!(error instanceof TrackerProgramError)) throw error;
    throw new TrackerProgramError(`${verb} ${id}: ${error.message}`, error.exitCode);
  }
}

/** The parsed answer. An error names program and verb. */
async function parsed<T>(name: string, verb: string, parse: () => T | Promise<T>): Promise<T> {
  try {
    return await parse();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new ProtocolError(`${name} gave a wrong answer to "${verb}": ${error.message}`);
  }
}

/** The state in the program's words. Throws if the step is not one line of 1 to 500 well-formed characters. */
function stateInput(state: TrackerState): Readonly<Record<string, string>> {
  const { state: word, humanStep } = stateRecord(state);
  return { state: word, ...(humanStep !== undefined && { step: humanStep }) };
}
