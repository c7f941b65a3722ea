import { readFileSync } from "node:fs";
import { z } from "zod";
import type { OwnColours } from "../../../components/kit/theme.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";

const Colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, "a colour is #rrggbb");
const TONES = ["plain", "running", "waiting", "good", "bad", "person", "oracle", "claim"] as const;
const ColourFile = z.strictObject(Object.fromEntries(TONES.map((tone) => [tone, Colour.optional()])));

/** The colours in the JSON file that LOOPDASH_THEME names; undefined if it names none. Throws a UserError (exit 2). */
export function ownColours({ LOOPDASH_THEME: file = "" }: Readonly<Record<string, string | undefined>>): OwnColours | undefined {
  if (!file.endsWith(".json")) return undefined;
  try {
    return ColourFile.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error);
    throw new UserError({
      what: `cannot take the colours of LOOPDASH_THEME from ${plainText(file, 200)}`,
      why: plainText(why, 500),
      todo: 'Write it like {"person": "#f2c661"}; docs/use/terminals.md names all of them. Or unset LOOPDASH_THEME.',
      exitCode: EXIT.usage,
      cause: error,
    });
  }
}
