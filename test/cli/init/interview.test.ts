import { describe, expect, test } from "vitest";
import { type InitQuestion, Interview } from "../../../src/cli/init/interview.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { refusal } from "../support.ts";

const COLOUR: InitQuestion<string> = {
  flag: "--colour red",
  given: undefined,
  text: "Colour",
  choices: [
    { value: "red", label: "Red" },
    { value: "blue", label: "\u001b[2JBlue" },
  ],
  fallback: "blue",
  parse: (text) => (text === "red" || text === "blue" ? { value: text } : { problem: `no ${text}` }),
};

/** An interview with a person who types these lines; `shown` is what the person sees. */
function aPerson(...typed: string[]) {
  const shown: string[] = [];
  const ask = (prompt: string) => {
    const line = typed.shift();
    shown.push(prompt + (line ?? ""));
    return line === undefined ? Promise.reject(new Error("nothing more is typed")) : Promise.resolve(line);
  };
  return { shown, interview: new Interview({ ask, tell: (line) => shown.push(line), takesDefaults: false }) };
}

const nobody = (takesDefaults: boolean) => new Interview({ tell: () => undefined, takesDefaults });

function refused(interview: Interview): UserError {
  try {
    interview.refuseUnanswered();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

describe("Interview", () => {
  test("asks with numbers and a default, and again until the answer can be used", async () => {
    const { shown, interview } = aPerson("green", "9", " 1 ");
    expect(await interview.answer(COLOUR)).toBe("red");
    expect(shown).toEqual([
      "Colour",
      "   1  Red",
      "   2  Blue",
      "Number [2]: green",
      "  no green",
      "Number [2]: 9",
      "  no 9",
      "Number [2]:  1 ",
    ]);
  });

  test("takes the default for Enter, a suggestion too, and insists where there is none", async () => {
    expect(await aPerson("").interview.answer(COLOUR)).toBe("blue");
    const { fallback: _, choices: __, ...bare } = COLOUR;
    expect(await aPerson("").interview.answer({ ...bare, suggested: "red" })).toBe("red");
    const { shown, interview } = aPerson("", "red");
    expect(await interview.answer(bare)).toBe("red");
    expect(shown).toEqual(["Colour: ", "  an answer is needed: there is no default", "Colour: red"]);
  });

  test("asks nothing that a flag answers, and refuses a flag that cannot be used", async () => {
    const { interview, shown } = aPerson();
    expect(await interview.answer({ ...COLOUR, given: "red" })).toBe("red");
    expect(shown).toEqual([]);
    expect(await refusal(interview.answer({ ...COLOUR, given: "green" }))).toMatchObject({
      exitCode: 2,
      what: "--colour cannot be used",
      why: "no green",
    });
  });

  test("with --yes, takes defaults and names what has none; a suggestion is no default", async () => {
    const interview = nobody(true);
    expect(await interview.answer(COLOUR)).toBe("blue");
    expect(interview.isUnanswered).toBe(false);
    const { fallback: _, ...bare } = COLOUR;
    expect(await interview.answer({ ...bare, suggested: "red" })).toBeUndefined();
    expect(await interview.answer({ ...COLOUR, flag: "--size N", text: "Size", fallback: "unfit" })).toBeUndefined();
    expect(refused(interview)).toMatchObject({
      exitCode: 2,
      why: "--yes asks nothing, and these have no default",
      todo: "Give them as flags:\n--colour red   Colour\n--size N   Size",
    });
  });

  test("without a terminal, names every question, first those without a default; what may be left out is no question", async () => {
    const interview = nobody(false);
    expect(await interview.answer(COLOUR)).toBe("blue");
    const { fallback: _, ...bare } = COLOUR;
    await interview.answer({ ...bare, flag: "--size N", text: "Size" });
    expect(await interview.answer({ ...COLOUR, fallback: "", parse: (text) => ({ value: text }) })).toBe("");
    expect(refused(interview)).toMatchObject({
      why: "there is no terminal to ask on",
      todo: "Give them as flags:\n--size N   Size\n--colour red   Colour; --yes takes blue",
    });
  });
});
