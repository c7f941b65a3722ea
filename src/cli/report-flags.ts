import { type Command, Option } from "commander";
import { usageError } from "./usage-error.ts";

/** A request for the result of a run, or for a check of it. */
export type ReportRequest =
  | { readonly verb: "report"; readonly run?: string; readonly format: "text" | "json" | "md" | "html" }
  | { readonly verb: "report-bundle"; readonly run?: string; readonly folder: string; readonly isForced: boolean }
  | { readonly verb: "verify-journal"; readonly run?: string; readonly json: boolean };

/** The options of `report`. */
interface ReportOptions extends Partial<Record<"json" | "md" | "html" | "force", true>> {
  readonly bundle?: string;
}

/** Adds the verb `report`. */
export function addReport(program: Command, onRequest: (request: ReportRequest) => void): void {
  program
    .command("report [run]")
    .description("print numbers and summary; --html > page.html: to show others")
    .addOption(new Option("--json", "as JSON").conflicts(["md", "html", "bundle"]))
    .addOption(new Option("--md", "as Markdown").conflicts(["html", "bundle"]))
    .addOption(new Option("--html", "as one page of HTML").conflicts("bundle"))
    .option("--bundle <folder>", "write <run>.tar.gz there: journal, results and the files of all attempts")
    .option("--force", "with --bundle: overwrite an existing archive")
    .action((name: string | undefined, { bundle: folder, force, ...given }: ReportOptions) => {
      const run = name === undefined ? {} : { run: name };
      if (folder !== undefined) return onRequest({ verb: "report-bundle", ...run, folder, isForced: force === true });
      if (force === true)
        throw usageError("--force needs --bundle", "only an archive can be overwritten", "See: loopdash report --help");
      const format = (["json", "md", "html"] as const).find((one) => given[one] === true) ?? "text";
      onRequest({ verb: "report", ...run, format });
    });
}

const WHAT_HOLDS = `
A path is that of an archive of "report --bundle", or of the folder that it was unpacked to: ./folder.
Exit 0 if all that is listed holds, 1 if something was changed or is missing, 2 if there is no such run.`;

/** Adds the verb `verify-journal`. */
export function addVerifyJournal(program: Command, onRequest: (request: ReportRequest) => void): void {
  program
    .command("verify-journal [run]")
    .description("check a run's journal and every file that it lists; takes an archive's path too")
    .option("--json", "as JSON")
    .addHelpText("after", WHAT_HOLDS)
    .action((run: string | undefined, { json }: { json?: true }) =>
      onRequest({ verb: "verify-journal", run, json: json === true }),
    );
}
