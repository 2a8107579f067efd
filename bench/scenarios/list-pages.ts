/** How long the first, a middle and the last page of lists take, for lists that are compared with each other. */
import { HttpConnection, read, succeeded } from "../../test/support/http-connection.ts";
import { type LatencySummary, median, summaryOf } from "../report.ts";

const overdueMilliseconds = 60_000;

/** Sends requests to one path, one after the other over one connection: what a single caller waits for. */
export class SingleCaller {
  readonly #connection: HttpConnection;
  readonly #path: string;
  readonly #authorization: string;

  constructor(port: number, path: string, authorization: string) {
    this.#connection = new HttpConnection(port, overdueMilliseconds);
    this.#path = path;
    this.#authorization = authorization;
  }

  /** @returns the answer and how long it took @throws when it is no success */
  async ask(body: object) {
    const text = JSON.stringify(body);
    const sentAt = performance.now();
    const outcome = await this.#connection.post(this.#path, text, this.#authorization);
    const milliseconds = performance.now() - sentAt;
    return { answer: succeeded(this.#path, outcome), milliseconds };
  }

  close(): void {
    this.#connection.close();
  }
}

export const pages = ["first", "middle", "last"] as const;
export type PageName = (typeof pages)[number];
type ByPage<Value> = Readonly<Record<PageName, Value>>;

/** A list as one service gives it. */
export interface List {
  readonly caller: SingleCaller;
  readonly filter: object;
}

/** The latencies of all rounds together, by page. */
export interface MeasuredList extends ByPage<LatencySummary> {
  readonly rounds: readonly ByPage<LatencySummary>[];
}

/** A page is asked for so often in a row, ... */
const inRow = 20;
/** ... and so often in a round, or for as long as the round may take. */
const samples = 300;
const secondsOfRound = 12;

/**
 * Asks for the pages of lists, one request at a time: some in a row for each page of each list, and then all over again,
 * so that what befalls the machine befalls all of them. The first in a row doesn't count: it wakes processes that have
 * slept while the others were asked.
 */
export async function measureLists(lists: readonly List[], rounds: number): Promise<MeasuredList[]> {
  const subjects: Subject[] = [];
  for (const list of lists) subjects.push(await lookAt(list));
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) subject.rounds.push(byPage(() => [] as number[]));
    const until = performance.now() + secondsOfRound * 1000;
    for (let turn = 0; turn < samples / inRow && performance.now() < until; turn++) {
      for (const page of pages) {
        // Each goes first in its turn.
        for (let place = 0; place < subjects.length; place++) {
          await askInRow(subjects[(turn + place) % subjects.length] as Subject, page, round);
        }
      }
    }
  }
  return subjects.map(({ rounds: measured, all }) => ({
    rounds: measured.map((ofRound) => byPage((page) => summaryOf(ofRound[page]))),
    ...byPage((page) => summaryOf(all[page])),
  }));
}

interface Subject extends List {
  /** Of the pages. */
  readonly numbers: ByPage<number>;
  readonly rounds: ByPage<number[]>[];
  /** Of all rounds. */
  readonly all: ByPage<number[]>;
}

/** Asks for a list, and learns how many pages it has. */
async function lookAt({ caller, filter }: List): Promise<Subject> {
  const { answer } = await caller.ask(filter);
  const last = read(answer).meta.pagination?.last_page ?? 1;
  const numbers = { first: 1, middle: Math.ceil(last / 2), last };
  return { caller, filter, numbers, rounds: [], all: byPage(() => [] as number[]) };
}

async function askInRow({ caller, filter, numbers, rounds, all }: Subject, page: PageName, round: number) {
  const body = { ...filter, page: numbers[page] };
  await caller.ask(body);
  for (let count = 0; count < inRow; count++) {
    const { milliseconds } = await caller.ask(body);
    rounds[round]?.[page].push(milliseconds);
    all[page].push(milliseconds);
  }
}

/** How many times as long a page of a list takes as another one, at a percentile: the median of the rounds. */
export function ratioOf(
  at: "p50" | "p99",
  [list, page]: readonly [MeasuredList, PageName],
  [other, otherPage]: readonly [MeasuredList, PageName],
): number {
  const ratios = list.rounds.map(
    (round, index) => round[page][at] / (other.rounds[index]?.[otherPage][at] ?? Number.NaN),
  );
  return median(ratios);
}

function byPage<Value>(of: (page: PageName) => Value): ByPage<Value> {
  return { first: of("first"), middle: of("middle"), last: of("last") };
}
