/** How long the first, a middle and the last page of lists take, for lists that are compared with each other. */
import { Latencies, type LatencySummary } from "../load/latencies.ts";
import type { SingleCaller } from "../load/single-caller.ts";
import { median } from "../report.ts";

export const pages = ["first", "middle", "last"] as const;
export type PageName = (typeof pages)[number];
type ByPage<Value> = Readonly<Record<PageName, Value>>;

/** A list as one service gives it. */
export interface List {
  readonly caller: SingleCaller;
  readonly filter: object;
}

export interface MeasuredList extends ByPage<LatencySummary> {
  /** Milliseconds of the very first request with the filter, when nothing is known of it. */
  readonly firstTime: number;
  readonly rounds: readonly ByPage<LatencySummary>[];
}

/** In a round a page is asked for so often, or for as long as the round may take. */
const samples = 300;
const secondsOfRound = 12;

/**
 * Asks for the pages of lists in turn, one request at a time: each page of each list once, and then all over again. What
 * befalls the machine meanwhile befalls all of them alike.
 */
export async function measureLists(lists: readonly List[], rounds: number): Promise<MeasuredList[]> {
  const subjects: Subject[] = [];
  for (const list of lists) subjects.push(await lookAt(list));
  for (let round = 0; round < rounds; round++) {
    const latencies = subjects.map(() => byPage(() => new Latencies()));
    const until = performance.now() + secondsOfRound * 1000;
    for (let sample = 0; sample < samples && performance.now() < until; sample++) {
      for (const page of pages) {
        for (const [index, { caller, filter, numbers, all }] of subjects.entries()) {
          const { milliseconds } = await caller.ask({ ...filter, page: numbers[page] });
          latencies[index]?.[page].add(milliseconds);
          all[page].add(milliseconds);
        }
      }
    }
    for (const [index, ofRound] of latencies.entries()) {
      subjects[index]?.rounds.push(byPage((page) => ofRound[page].summary()));
    }
  }
  return subjects.map(({ firstTime, rounds: measured, all }) => ({
    firstTime,
    rounds: measured,
    ...byPage((page) => all[page].summary()),
  }));
}

interface Subject extends List {
  /** Of the pages. */
  readonly numbers: ByPage<number>;
  readonly firstTime: number;
  readonly rounds: ByPage<LatencySummary>[];
  /** Of all rounds. */
  readonly all: ByPage<Latencies>;
}

/** Asks for a list for the first time, and learns how many pages it has. */
async function lookAt({ caller, filter }: List): Promise<Subject> {
  const { text, milliseconds } = await caller.ask(filter);
  const answer = JSON.parse(text) as { meta: { pagination: { last_page: number } } };
  const last = answer.meta.pagination.last_page;
  const numbers = { first: 1, middle: Math.ceil(last / 2), last };
  for (const page of pages) await caller.ask({ ...filter, page: numbers[page] });
  return { caller, filter, numbers, firstTime: milliseconds, rounds: [], all: byPage(() => new Latencies()) };
}

/** How many times as long a page of a list takes at p99 as another one: the median of the rounds. */
export function ratioOf(
  [list, page]: readonly [MeasuredList, PageName],
  [other, otherPage]: readonly [MeasuredList, PageName],
): number {
  const ratios = list.rounds.map(
    (round, index) => round[page].p99 / (other.rounds[index]?.[otherPage].p99 ?? Number.NaN),
  );
  return median(ratios);
}

function byPage<Value>(of: (page: PageName) => Value): ByPage<Value> {
  return { first: of("first"), middle: of("middle"), last: of("last") };
}
