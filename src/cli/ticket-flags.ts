import type { Command } from "commander";

/** An act on single tickets of a run, or a test of who is told of them. */
export type TicketRequest =
  | { readonly verb: "notify"; readonly batch?: string }
  | { readonly verb: "revert"; readonly run: string; readonly ticket: string }
  | { readonly verb: "retry"; readonly run: string; readonly tickets: readonly string[] }
  | { readonly verb: "rule"; readonly run: string; readonly ticket: string; readonly ruling: "uphold" | "reject" };

/** Adds the verbs by which a person acts on single tickets of a run. */
export function addTicketVerbs(program: Command, onRequest: (request: TicketRequest) => void): void {
  program
    .command("revert <run> <ticket>")
    .description("take back what a ticket has landed, once its checks pass without it; opens the ticket again")
    .action((run: string, ticket: string) => onRequest({ verb: "revert", run, ticket }));
  program
    .command("retry <run> [tickets...]")
    .description("let agents try stalled tickets of a run again: those named, or all with --stalled")
    .option("--stalled", "all stalled tickets")
    .action((run: string, tickets: string[], { stalled }: { stalled?: true }, command: Command) => {
      if ((tickets.length === 0) === (stalled !== true))
        command.error("error: name the tickets, or give --stalled for all that are stalled");
      onRequest({ verb: "retry", run, tickets });
    });
  program
    .command("notify <act> [batch]")
    .usage("test [batch]")
    .description("send a message to your own receivers, and to those that the batch names under notify")
    .action((act: string, batch: string | undefined, _: unknown, command: Command) => {
      if (act !== "test") return command.error("error: notify does one thing, test");
      onRequest({ verb: "notify", batch });
    });
  program
    .command("rule <run> <ticket> <ruling>")
    .usage("<run> <ticket> uphold|reject")
    .description("rule on a blocker that an agent claims, where the batch names no reviewer")
    .action((run: string, ticket: string, ruling: string, _: unknown, command: Command) => {
      if (ruling !== "uphold" && ruling !== "reject") return command.error("error: a ruling is uphold or reject");
      onRequest({ verb: "rule", run, ticket, ruling });
    });
}
