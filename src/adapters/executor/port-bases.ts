import type { Executor } from "../../ports/executor.ts";

/** Ports of one program, and the first base. The last is below the ports that kernels hand out themselves, from 32,768 on. */
const PORTS = 100;
const FIRST = 20_000;
const SLOTS = 100;
const MOST_FOLDERS = 10_000;

/**
 * An executor that gives programs which share the machine's network a range of ports each: LOOPDASH_PORT_BASE and the 99 above are
 * no other running program's of this engine. A folder gets its last range again if that is free, so what was prepared in a worktree
 * holds for its agent. `isShared`: true if also confined programs have no network of their own.
 */
export function withPortBases(executor: Executor, isShared: boolean): Executor {
  const taken = new Set<number>();
  const last = new Map<string, number>();
  return {
    killStrays: (options) => executor.killStrays(options),
    run: async (request) => {
      if (request.confinement !== undefined && !isShared) return executor.run(request);
      const slots = [...(last.has(request.cwd) ? [last.get(request.cwd) ?? 0] : []), ...Array(SLOTS).keys()];
      const slot = slots.find((each) => !taken.has(each));
      if (slot === undefined) return executor.run(request);
      taken.add(slot);
      last.set(request.cwd, slot);
      if (last.size > MOST_FOLDERS) last.clear();
      try {
        return await executor.run({ ...request, env: { LOOPDASH_PORT_BASE: String(FIRST + PORTS * slot), ...request.env } });
      } finally {
        taken.delete(slot);
      }
    },
  };
}
