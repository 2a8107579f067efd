/** A cache of rows that decide about access. What it says may be some seconds old. */
import { LRUCache } from "lru-cache";
import { Rejection } from "../../domain/rejection.ts";

interface RowRead<Row> {
  readonly startedAt: number;
  readonly row: Promise<Row | undefined>;
  inFlight: boolean;
  /** What was read, unless the read is in flight. */
  found: Row | undefined;
  /** Whether the row was changing when it was read last. Then each request reads it again. */
  isChanging: boolean;
}

/** The maximum age of cached data, from the start of its read. A revoked right works at most this long. */
const staleMilliseconds = 5000;
const mostRows = 10_000;

/**
 * Makes a cache.
 * @param clock monotonic milliseconds
 * @param isChanging whether a row must not be cached
 */
export function cachedRows<Key extends string | number, Row>(
  find: (key: Key) => Promise<Row | undefined>,
  clock = () => performance.now(),
  isChanging: (row: Row) => boolean = () => false,
) {
  const reads = new LRUCache<Key, RowRead<Row>>({ max: mostRows });
  const isFresh = ({ startedAt }: RowRead<Row>) => clock() - startedAt <= staleMilliseconds;
  const read = (key: Key): Promise<Row | undefined> => {
    const row = find(key);
    const wasChanging = reads.peek(key)?.isChanging ?? false;
    const made: RowRead<Row> = {
      startedAt: clock(),
      row,
      inFlight: true,
      found: undefined,
      isChanging: wasChanging,
    };
    reads.set(key, made);
    row.then(
      (found) => {
        made.inFlight = false;
        made.found = found;
        made.isChanging = found !== undefined && isChanging(found);
      },
      () => {
        if (reads.peek(key) === made) reads.delete(key);
      },
    );
    return row;
  };
  /** Reads a row again. Requests that ask while a read is in flight share the next read. */
  const refresh = async (key: Key): Promise<Row | undefined> => {
    const latest = reads.get(key);
    if (!latest?.inFlight) return read(key);
    // The read in flight may have started before the latest change.
    await latest.row.catch(() => undefined);
    const next = reads.get(key);
    return next === undefined || next === latest ? read(key) : next.row;
  };
  return {
    /**
     * Decides about a row; undefined: there is none. Cached data is enough to accept. Before a rejection, the row is read again, because
     * it may have changed. The decision about a cached row needs no wait.
     */
    decide<Decided>(key: Key, decide: (row: Row | undefined) => Decided): Decided | Promise<Decided> {
      const latest = reads.get(key);
      if (latest?.isChanging) return refresh(key).then(decide);
      if (latest === undefined || !isFresh(latest)) return read(key).then(decide);
      const decideAgain = (row: Row | undefined) => {
        const decided = decide(row);
        return decided instanceof Rejection ? refresh(key).then(decide) : decided;
      };
      return latest.inFlight ? latest.row.then(decideAgain) : decideAgain(latest.found);
    },
    refresh,
    forget: () => reads.clear(),
  };
}
