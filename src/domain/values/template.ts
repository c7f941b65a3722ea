/** Characters of a whole prompt, if whoever makes it says nothing else. */
export const PROMPT_CHARS = 64_000;

const VARIABLE = /\{\{([a-zA-Z]+)\}\}/g;

/**
 * Fills a template strictly: a variable without a value and a value without a place are defects of the template
 * and throw, and so does a text of more than `most` characters. Values are put in as they are, in one pass: what looks like a
 * variable inside a value stays text.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>, most = PROMPT_CHARS): string {
  const unused = new Set(Object.keys(values));
  const text = template.replace(VARIABLE, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new Error(`the prompt template names {{${name}}}, which has no value`);
    unused.delete(name);
    return value;
  });
  if (unused.size > 0) throw new Error(`the prompt template has no place for ${[...unused].join(", ")}`);
  if (text.length > most) throw new Error(`the prompt is ${text.length} characters long; ${most} is the most`);
  return text;
}
