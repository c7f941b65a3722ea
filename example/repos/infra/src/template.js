const MARKER = /\{\{\s*([\w.]+)\s*\}\}/g;

/** Fills `{{ a.b }}` markers from `values`. Throws on a name that has no value. */
export function render(text, values) {
  return text.replace(MARKER, (_, path) => {
    const value = lookUp(values, path);
    if (value === undefined) throw new RangeError(`no value for ${path}`);
    return String(value);
  });
}

/** The value at a dotted path, or undefined. */
export function lookUp(values, path) {
  return path.split(".").reduce((value, key) => value?.[key], values);
}
