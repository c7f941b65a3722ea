/** Merges `changes` over `defaults`, key by key; lists and plain values are replaced as a whole. */
export function mergeConfig(defaults, changes) {
  const merged = { ...defaults };
  for (const [key, value] of Object.entries(changes)) {
    merged[key] = isObject(value) && isObject(merged[key]) ? mergeConfig(merged[key], value) : value;
  }
  return merged;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
