import { type Bench, type BenchOptions, type Figure, noteFigure, ratioFigure, valueFigure } from "./figure.ts";
import { landNaively, repairByHand } from "./forge/naive.ts";
import { type ForgeBench, openForge, REPO, runThere, type TimedRequest } from "./forge/stage.ts";
import { median, quantile } from "./stats.ts";

const CYCLES = 10;
/** As many as the stand-in runs at the same time. */
const TICKETS = 2;
/** The duration of the check. Seconds. */
const CI_SECONDS = 60;
/** Half of the longest time between two readings. Seconds: the checks of two tickets end at opposite points of it, so that their mean stands for all. */
const PHASE_SECONDS = 2.5;

/** The most requests of a ticket, compared with a script that looks as often as loopdash looks in the end. */
const MOST_REQUESTS = 0.5;
/** The most that a cycle may take beyond CI's own time. Milliseconds. */
const MOST_OVERHEAD_MS = 1_000;

/** The cost of landing by pull requests, counted and timed by the stand-in of GitHub. */
export const forge: Bench = {
  name: "forge",
  about: "pull requests: requests from push to merge, from the last green check to the merge, ten red-to-green cycles",
  async run(options: BenchOptions): Promise<readonly Figure[]> {
    return [...(await landings(options)), ...(await cycles(options))];
  },
};

async function landings({ quick, log }: BenchOptions): Promise<readonly Figure[]> {
  const seconds = quick ? 10 : CI_SECONDS;
  const ci = ["sh", "-c", `sleep ${seconds}; if [ -e T-2.txt ] || [ -e naive-2.txt ]; then sleep ${PHASE_SECONDS}; fi`];
  await using bench = await openForge(ci);
  await runThere(bench, { agent: 'echo done > "$LOOPDASH_TICKET.txt"\n', tickets: TICKETS, workers: TICKETS });
  const asked = requestsOf(bench.requests).length;
  const waits = bench.forge().pulls.map(({ number }) => mergeDelay(bench, number));
  log(`merge requested after ${waits.map(({ delay, gap }) => `${delay} ms, readings ${gap} ms apart`).join("; ")}`);
  await using other = await openForge(ci);
  await Promise.all(Array.from({ length: TICKETS }, (_, at) => landNaively(other, `naive-${at + 1}`)));
  const naive = requestsOf(other.requests).length;
  const item = "forge";
  return [
    ratioFigure({
      ...{ item, what: `a ticket from push to merge, CI of ${seconds} s`, value: asked / TICKETS, unit: "requests" },
      floor: { what: "a script that looks every 5 s", value: naive / TICKETS },
      max: quick ? Number.POSITIVE_INFINITY : MOST_REQUESTS,
    }),
    ratioFigure({
      ...{ item, what: "last check green to merge requested", value: median(waits.map(({ delay }) => delay)), unit: "ms" },
      floor: { what: "between the two readings around it", value: median(waits.map(({ gap }) => gap)) },
      max: 1,
    }),
  ];
}

const isGit = ({ path }: TimedRequest): boolean => /\.git\//.test(path);
const isMerge = ({ method, path }: TimedRequest): boolean => method === "PUT" && /\/merge$/.test(path);

/** The requests to the API between the first push and the last merge. */
function requestsOf(requests: readonly TimedRequest[]): readonly TimedRequest[] {
  const first = requests.findIndex(({ method, path }) => method === "POST" && /git-receive-pack$/.test(path));
  const last = requests.findLastIndex(isMerge);
  const between = requests.slice(first, last + 1).filter((request) => !isGit(request));
  // Requests of a merged ticket afterwards are not on its way from push to merge.
  return between.filter(({ path }) => !/\/git\/refs?\//.test(path));
}

/** The wait between the end of a pull request's check and the request of its merge, and the time between the readings around that end. */
function mergeDelay({ requests, forge: forgeNow }: ForgeBench, number: number): { readonly delay: number; readonly gap: number } {
  const pull = forgeNow().pulls.find((each) => each.number === number);
  const done = forgeNow().ciJobs.findLast(({ sha }) => sha === pull?.headSha)?.completedAt ?? Number.NaN;
  const merged =
    requests.find((request) => isMerge(request) && request.path === `/repos/${REPO}/pulls/${number}/merge`)?.at ?? Number.NaN;
  const reads = requests.filter((request) => request.number === number && request.text.includes("statusCheckRollup"));
  const after = reads.find(({ at }) => at >= done)?.at ?? Number.NaN;
  const before = reads.findLast(({ at }) => at < done)?.at ?? Number.NaN;
  return { delay: merged - done, gap: after - before };
}

/** Tickets one after the other, whose first attempt is red and whose second is green at once. */
async function cycles({ quick, log }: BenchOptions): Promise<readonly Figure[]> {
  const count = quick ? 3 : CYCLES;
  await using bench = await openForge(["sh", "-c", "! grep -l half *.txt"]);
  const agent = 'if [ "$LOOPDASH_ATTEMPT" = 1 ]; then echo half; else echo done; fi > "$LOOPDASH_TICKET.txt"\n';
  await runThere(bench, { agent, tickets: count, workers: 1 });
  const { pulls, ciJobs } = bench.forge();
  const parts = pulls.map(({ number, headSha }) => {
    const green = ciJobs.find(({ sha }) => sha === headSha);
    const red = ciJobs.findLast(({ id, conclusion }) => conclusion === "failure" && id < (green?.id ?? 0));
    const merged = bench.requests.find((each) => isMerge(each) && each.path.includes(`/${number}/`))?.at;
    if (green?.startedAt == null || green.completedAt === null || red?.completedAt == null || merged === undefined)
      throw new Error(`pull request ${number} had no red check and then a green one`);
    return {
      repair: green.startedAt - red.completedAt,
      green: merged - green.completedAt,
      ci: green.completedAt - green.startedAt,
    };
  });
  for (const { repair, green, ci } of parts) log(`red to the next check ${repair} ms, CI ${ci} ms, green to merge ${green} ms`);
  const byHand = await repairByHand(bench, count);
  const overheads = parts.map(({ repair, green }) => repair + green);
  const what = "a red-to-green cycle beyond CI's own time";
  return [
    valueFigure({
      ...{ item: "forge", what, value: median(overheads), unit: "ms", max: MOST_OVERHEAD_MS },
      floor: { what: "a worktree, a commit and a push by hand", value: median(byHand) },
      note: `of ${count}: from red to the next check ${Math.round(median(parts.map(({ repair }) => repair)))} ms, from green to the merge ${Math.round(median(parts.map(({ green }) => green)))} ms`,
    }),
    noteFigure({ item: "forge", what: `${what}, 9 of 10 within`, value: quantile(overheads, 0.9), unit: "ms" }),
  ];
}
