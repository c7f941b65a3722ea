import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

/** An answer that was read, or the reason why it cannot be used, for the person who gave it. */
export type ParsedAnswer<T> = { readonly value: T } | { readonly problem: string };

/** An answer that a person can give by its number. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A question, and everywhere its answer may come from. */
export interface InitQuestion<T> {
  /** The flag that gives the answer, with an example: `--team ENG`. */
  readonly flag: string;
  /** What the flag says; undefined if it is not given. */
  readonly given: string | undefined;
  /** The question, in at most some 60 characters. */
  readonly text: string;
  readonly choices?: readonly Choice[];
  /** The answer of Enter and of `--yes`; "" leaves the setting out. Undefined if there is none. */
  readonly fallback?: string | undefined;
  /** The answer of Enter alone, if there is no `fallback`. */
  readonly suggested?: string;
  readonly parse: (text: string) => ParsedAnswer<T> | Promise<ParsedAnswer<T>>;
}

/** How the questions are answered. */
interface InterviewOptions {
  /** Shows a prompt and reads a line. Undefined if there is no terminal, or `--yes` says to ask nothing. */
  readonly ask?: ((prompt: string) => Promise<string>) | undefined;
  /** Shows a line. */
  readonly tell: (line: string) => void;
  /** True if `--yes` takes every default. */
  readonly takesDefaults: boolean;
}

/** A question that nothing has answered. */
interface Unanswered {
  readonly flag: string;
  readonly text: string;
  /** What `--yes` would answer. */
  readonly fallback: string | undefined;
}

/** Gets answers from flags, from a person, or from defaults, and remembers which are missing. */
export class Interview {
  readonly #options: InterviewOptions;
  readonly #unanswered: Unanswered[] = [];

  constructor(options: InterviewOptions) {
    this.#options = options;
  }

  /** Shows a line of outside text. */
  tell(line: string): void {
    this.#options.tell(plainText(line));
  }

  /**
   * The answer to a question. Undefined if there is none; `refuseUnanswered` names it then. Throws a UserError (exit 2) if a flag
   * gives one that cannot be used. Asks a person until the answer can be used.
   */
  async answer<T>(question: InitQuestion<T>): Promise<T | undefined> {
    const { ask, takesDefaults } = this.#options;
    const { given, fallback, flag, text } = question;
    if (given !== undefined) return usable(await question.parse(given), question);
    if (ask !== undefined) return this.#askUntilUsable(question, ask);
    const parsed = fallback === undefined ? undefined : await question.parse(fallback);
    const isUsable = parsed !== undefined && "value" in parsed;
    if (!isUsable || !(takesDefaults || fallback === ""))
      this.#unanswered.push({ flag, text: plainText(text), fallback: isUsable ? fallback : undefined });
    return isUsable ? parsed.value : undefined;
  }

  /** True if a question was not answered by a flag, a person or `--yes`. */
  get isUnanswered(): boolean {
    return this.#unanswered.length > 0;
  }

  /** Throws a UserError (exit 2) that names the flag for each question that nothing has answered. */
  refuseUnanswered(): never {
    const needed = this.#unanswered.filter(({ fallback }) => fallback === undefined);
    const optional = this.#unanswered.filter(({ fallback }) => fallback !== undefined);
    const lines = [
      ...needed.map(({ flag, text }) => `${flag}   ${text}`),
      ...optional.map(({ flag, text, fallback = "" }) => `${flag}   ${text}; --yes takes ${plainText(fallback, 80)}`),
    ];
    throw new UserError({
      what: "loopdash init needs more answers; nothing was written",
      why: this.#options.takesDefaults ? "--yes asks nothing, and these have no default" : "there is no terminal to ask on",
      todo: ["Give them as flags:", ...lines].join("\n"),
      exitCode: EXIT.usage,
    });
  }

  async #askUntilUsable<T>(question: InitQuestion<T>, ask: (prompt: string) => Promise<string>): Promise<T> {
    const { text, choices = [], suggested, fallback = suggested } = question;
    const number = choices.findIndex(({ value }) => value === fallback) + 1;
    const shown = number > 0 ? `${number}` : plainText(fallback ?? "", 60);
    const prompt = choices.length > 0 ? "Number" : plainText(text);
    if (choices.length > 0) this.tell(text);
    for (const [i, { label }] of choices.entries()) this.tell(`${String(i + 1).padStart(4)}  ${label}`);
    for (;;) {
      const line = (await ask(`${prompt}${shown === "" ? "" : ` [${shown}]`}: `)).trim();
      const answer = line === "" ? fallback : (choices[Number(line) - 1]?.value ?? line);
      const parsed =
        answer === undefined ? { problem: "an answer is needed: there is no default" } : await question.parse(answer);
      if ("value" in parsed) return parsed.value;
      this.tell(`  ${parsed.problem}`);
    }
  }
}

function usable<T>(parsed: ParsedAnswer<T>, { flag }: InitQuestion<T>): T {
  if ("value" in parsed) return parsed.value;
  const name = flag.split(" ", 1)[0] ?? flag;
  const what = `${name} cannot be used`;
  throw new UserError({ what, why: parsed.problem, todo: `Correct ${name}; nothing was written.`, exitCode: EXIT.usage });
}
