import type { Form } from "./forms.ts";
import { type PatternHit, Patterns, type Searched } from "./patterns.ts";
import { isLoneCharacter, WrappedPatterns } from "./wrapped-patterns.ts";

/** A form of a secret, and the index of the mark that stands for it. */
export interface MarkedForm extends Form {
  readonly mark: number;
}

/** What a search for forms gives. */
export interface FormsFound extends Searched {
  /**
   * From here on, a stream holds the bytes back. That is `beginning`, but nothing is held for a single character with white space
   * behind it: many lines end so, and would come late.
   */
  readonly holdFrom: number;
}

/** Finds the forms of secrets: base64 with white space between its characters, every other form as it is. */
export class FormSearch {
  /** True if there is nothing to find. */
  readonly isEmpty: boolean;
  readonly #exact: Patterns;
  readonly #wrapped: WrappedPatterns;

  constructor(forms: readonly MarkedForm[]) {
    this.isEmpty = forms.length === 0;
    this.#exact = new Patterns(forms.filter(({ isBase64 }) => !isBase64));
    this.#wrapped = new WrappedPatterns(forms.filter(({ isBase64 }) => isBase64));
  }

  /** Every form in the bytes, by its start. They may overlap. */
  find(bytes: Buffer): readonly PatternHit[] {
    return this.search(bytes).found;
  }

  /** The same, and where the last bytes may begin a form. */
  search(bytes: Buffer): FormsFound {
    const exact = this.#exact.search(bytes);
    const wrapped = this.#wrapped.search(bytes);
    const beginning = Math.min(exact.beginning, wrapped.beginning);
    const isHeld = exact.beginning < bytes.length || !isLoneCharacter(bytes, beginning);
    const holdFrom = isHeld ? beginning : bytes.length;
    if (wrapped.found.length === 0) return { found: exact.found, beginning, holdFrom };
    const found = [...exact.found, ...wrapped.found].sort((a, b) => a.from - b.from || b.to - a.to);
    return { found, beginning, holdFrom };
  }
}
