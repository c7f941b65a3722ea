/**
 * Cycles in a graph in which `edges[i]` are the indices that i depends on: each as its members in order, starting with the
 * smallest. None for a graph without cycles; at least one of cycles that share members. Linear time, no recursion.
 */
export function findCycles(edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const stuck = unorderable(edges);
  const seenIn = new Int32Array(edges.length);
  const cycles: number[][] = [];
  for (let start = 0; start < edges.length; start++) {
    const trail: number[] = [];
    let at: number | undefined = start;
    while (at !== undefined && stuck[at] && seenIn[at] === 0) {
      seenIn[at] = start + 1;
      trail.push(at);
      at = edges[at]?.find((to) => stuck[to]);
    }
    if (at !== undefined && stuck[at] && seenIn[at] === start + 1) cycles.push(fromSmallest(trail.slice(trail.indexOf(at))));
  }
  return cycles;
}

/** Nodes that can never come after all their dependencies: those in a cycle, or behind one (Kahn's order). */
function unorderable(edges: readonly (readonly number[])[]): readonly boolean[] {
  const dependents: number[][] = edges.map(() => []);
  const missing = edges.map((targets) => targets.length);
  edges.forEach((targets, i) => {
    for (const to of targets) dependents[to]?.push(i);
  });
  const order = missing.flatMap((count, i) => (count === 0 ? [i] : []));
  for (let at = 0; at < order.length; at++) {
    for (const i of dependents[order[at] ?? 0] ?? []) {
      missing[i] = (missing[i] ?? 0) - 1;
      if (missing[i] === 0) order.push(i);
    }
  }
  return missing.map((count) => count > 0);
}

function fromSmallest(cycle: readonly number[]): number[] {
  let smallest = 0;
  cycle.forEach((node, i) => {
    if (node < (cycle[smallest] ?? 0)) smallest = i;
  });
  return [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
}
