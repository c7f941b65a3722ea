import { z } from "zod";
import type { OwnColours } from "../../components/kit/theme.ts";
import { errorMessage, plainText } from "../domain/values/text.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";

const Colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "a colour is #rrggbb");
const TONES = ["plain", "running", "waiting", "good", "bad", "person", "oracle", "claim"] as const;
const ColourFile = z.strictObject(Object.fromEntries(TONES.map((tone) => [tone, Colour.optional()])));

/** Parses a file of colours (JSON). `file` is its name for people. Throws a UserError (exit 2). */
export function coloursFrom(text: string, file: string): OwnColours {
  try {
    return ColourFile.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error);
    throw new UserError({
      what: `the colours in ${plainText(file, 200)} cannot be used`,
      why: plainText(why, 500),
      todo: 'Write them like {"person": "#f2c661"}; docs/use/terminals.md names all of them. Or unset LOOPDASH_THEME.',
      exitCode: EXIT.usage,
      cause: error,
    });
  }
}
