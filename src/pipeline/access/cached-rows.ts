/** A cache of rows that decide about access. What it says may be some seconds old. */
import { LRUCache } from "lru-cache";

interface RowRead<Row> {
  readonly startedAt: number;
  readonly row: Promise<Row | undefined>;
  inFlight: boolean;
  /** Whether the row was changing when it was read last. Then each request reads it again. */
  isChanging: boolean;
}

/** The maximum age of cached data, from the start of its read. A revoked right works at most this long. */
const staleMilliseconds = 5000;
const cachedRows = 10_000;

export class CachedRows<Key extends string | number, Row> {
  readonly #find: (key: Key) => Promise<Row | undefined>;
  readonly #clock: () => number;
  readonly #reads = new LRUCache<Key, RowRead<Row>>({ max: cachedRows });

  readonly #isChanging: (row: Row) => boolean;

  /**
   * @param clock monotonic milliseconds
   * @param isChanging whether a row must not be cached
   */
  constructor(
    find: (key: Key) => Promise<Row | undefined>,
    clock = () => performance.now(),
    isChanging: (row: Row) => boolean = () => false,
  ) {
    this.#find = find;
    this.#clock = clock;
    this.#isChanging = isChanging;
  }

  /** @returns undefined when there is no such row */
  get(key: Key): Promise<Row | undefined> {
    const latest = this.#reads.get(key);
    if (latest?.isChanging) return this.refresh(key);
    return latest !== undefined && this.#isFresh(latest) ? latest.row : this.#read(key);
  }

  /** Gets a row. If it is cached and not acceptable, it is read again, because it may have changed. */
  async getAcceptable(key: Key, accepts: (row: Row) => boolean): Promise<Row | undefined> {
    const latest = this.#reads.get(key);
    if (latest?.isChanging) return this.refresh(key);
    if (latest === undefined || !this.#isFresh(latest)) return this.#read(key);
    const row = await latest.row;
    return row !== undefined && accepts(row) ? row : this.refresh(key);
  }

  /** Reads a row again. Requests that ask while a read is in flight share the next read. */
  async refresh(key: Key): Promise<Row | undefined> {
    const latest = this.#reads.get(key);
    if (!latest?.inFlight) return this.#read(key);
    // The read in flight may have started before the latest change.
    await latest.row.catch(() => undefined);
    const next = this.#reads.get(key);
    return next === undefined || next === latest ? this.#read(key) : next.row;
  }

  #isFresh({ startedAt }: RowRead<Row>): boolean {
    return this.#clock() - startedAt <= staleMilliseconds;
  }

  #read(key: Key): Promise<Row | undefined> {
    const row = this.#find(key);
    const isChanging = this.#reads.peek(key)?.isChanging ?? false;
    const read = { startedAt: this.#clock(), row, inFlight: true, isChanging };
    this.#reads.set(key, read);
    row.then(
      (found) => {
        read.inFlight = false;
        read.isChanging = found !== undefined && this.#isChanging(found);
      },
      () => {
        if (this.#reads.peek(key) === read) this.#reads.delete(key);
      },
    );
    return row;
  }

  forget(): void {
    this.#reads.clear();
  }
}
