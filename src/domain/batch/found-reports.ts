import type { Argv } from "./prepare-command.ts";
import type { Batch } from "./schema.ts";
import { type Check, FOUND_REPORT, type StepSpec } from "./step-spec.ts";

/** The distinct commands of a batch's checks that say nothing of a report. */
export function unreportedCommands({ finish = [], tickets }: Batch): readonly Argv[] {
  const steps = [...finish, ...tickets.flatMap((ticket) => ticket.finish)].filter(isUnreported);
  return [...new Map(steps.map(({ command }) => [JSON.stringify(command), command])).values()];
}

/** The batch, whose checks have found reports where `reports` knows that the command starts a test runner. */
export function withFoundReports(batch: Batch, reports: (command: Argv) => boolean): Batch {
  const told = (line: readonly StepSpec[]): readonly StepSpec[] =>
    line.map((step) => (isUnreported(step) && reports(step.command) ? { ...step, report: FOUND_REPORT } : step));
  const { finish, tickets } = batch;
  return {
    ...batch,
    ...(finish && { finish: told(finish) }),
    tickets: tickets.map((each) => ({ ...each, finish: told(each.finish) })),
  };
}

/** True for a command whose check has a found report in a batch that was read before. */
export function reportsFoundIn({ finish = [], tickets }: Pick<Batch, "finish" | "tickets">): (command: Argv) => boolean {
  const steps = [...finish, ...tickets.flatMap((ticket) => ticket.finish)];
  const found = steps.flatMap((step) => (step.step === "check" && step.report?.format === "found" ? [step.command] : []));
  const known = new Set(found.map((command) => JSON.stringify(command)));
  return (command) => known.has(JSON.stringify(command));
}

function isUnreported(step: StepSpec): step is Check {
  return step.step === "check" && step.report === undefined && step.compare === undefined && step.criterion === undefined;
}
