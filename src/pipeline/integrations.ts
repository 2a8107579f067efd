import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { IntegrationRow } from "../database/access/integrations.ts";

/** An integration as the pipeline uses it. */
export interface Integration {
  readonly integrationId: number;
  readonly businessId: number;
  readonly enabled: boolean;
  readonly scopes: ReadonlySet<string>;
  readonly everywhere: boolean;
  readonly locationIds: ReadonlySet<number>;
  readonly generation: number;
  readonly timeZone: string;
}

/** Older than this, what is known of an integration is not used: it bounds how long a revoked one works. */
const staleMilliseconds = 5000;
/** Older than this, it is read again while what is known still serves. */
const refreshMilliseconds = 2500;
const rememberedIntegrations = 10_000;
/** How often an integration is read at most because tokens would be rejected. */
const rereadEveryMilliseconds = 1000;
/** How far the clocks of two processes may differ; a token names its time in whole seconds besides. */
const clockDifferenceMilliseconds = 2000;

const nothingUnderWay = { reading: undefined, rechecking: undefined };

interface Remembered {
  integration: Integration | undefined;
  /** When the latest read that has ended began. */
  readAt: number;
  /** When the latest read began. */
  readStartedAt: number;
  reading: Promise<Integration | undefined> | undefined;
  /** The next read, which requests wait for before they are rejected. */
  rechecking: Promise<Integration | undefined> | undefined;
}

export interface Integrations {
  /** What is known of an integration, at most five seconds old; undefined when it is gone. */
  get(integrationId: number): Promise<Integration | undefined> | Integration | undefined;
  /** Reads it now: when something is asked for that may be newer than what is known. */
  refresh(integrationId: number): Promise<Integration | undefined>;
  /**
   * Reads it again before a request is rejected for what the cache holds, at most once a second. The request waits for
   * that read if its token may be newer than what is known; otherwise what is known is returned.
   */
  recheck(integrationId: number, request: RejectedRequest): Promise<Integration | undefined>;
  /** Forgets everything: what is asked for next is read. */
  forget(): void;
}

export interface RejectedRequest {
  /** When the request arrived, by the same clock as the reads. */
  readonly arrivedAt: number;
  /** How long ago its token was issued. */
  readonly tokenAgeMilliseconds: number;
}

/** @param clock monotonic milliseconds */
export function createIntegrations(
  find: (integrationId: number) => Promise<IntegrationRow | undefined>,
  clock: () => number,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): Integrations {
  const remembered = new LRUCache<number, Remembered>({ max: rememberedIntegrations });

  /** At most one read of an integration is under way at once; its age counts from before the read. */
  const read = (integrationId: number, entry: Remembered): Promise<Integration | undefined> => {
    if (entry.reading !== undefined) return entry.reading;
    const startedAt = clock();
    entry.readStartedAt = startedAt;
    entry.reading = find(integrationId)
      .then((row) => {
        entry.integration = row && integrationOf(row);
        entry.readAt = startedAt;
        return entry.integration;
      })
      .finally(() => {
        entry.reading = undefined;
      });
    return entry.reading;
  };

  const entryOf = (integrationId: number): Remembered => {
    let entry = remembered.get(integrationId);
    if (entry === undefined) {
      const never = Number.NEGATIVE_INFINITY;
      entry = { integration: undefined, readAt: never, readStartedAt: never, ...nothingUnderWay };
      remembered.set(integrationId, entry);
    }
    return entry;
  };

  /** A read that is already under way may have begun before the change that is asked about. */
  const readAfresh = (integrationId: number, entry: Remembered) =>
    entry.reading === undefined
      ? read(integrationId, entry)
      : entry.reading.catch(() => undefined).then(() => read(integrationId, entry));

  return {
    forget: () => remembered.clear(),
    get(integrationId) {
      const entry = entryOf(integrationId);
      const age = clock() - entry.readAt;
      if (age > staleMilliseconds) return read(integrationId, entry);
      if (age > refreshMilliseconds) {
        read(integrationId, entry).catch(() => {
          // Not this request's failure: the first one past the bound will wait for a read, and see it.
        });
      }
      return entry.integration;
    },
    refresh: (integrationId) => readAfresh(integrationId, entryOf(integrationId)),
    async recheck(integrationId, { arrivedAt, tokenAgeMilliseconds }) {
      const entry = entryOf(integrationId);
      const age = clock() - entry.readAt;
      if (entry.readAt >= arrivedAt) return entry.integration;
      const mayBeNewer = tokenAgeMilliseconds < age + clockDifferenceMilliseconds;
      if (age < rereadEveryMilliseconds && !mayBeNewer) return entry.integration;
      const nextRead = rereadEveryMilliseconds - (clock() - entry.readStartedAt);
      entry.rechecking ??= pause(Math.max(0, nextRead)).then(() => {
        entry.rechecking = undefined;
        return readAfresh(integrationId, entry);
      });
      return entry.rechecking;
    },
  };
}

function integrationOf(row: IntegrationRow): Integration {
  return {
    integrationId: row.integration_id,
    businessId: row.business_id,
    enabled: row.enabled,
    scopes: new Set(row.scopes),
    everywhere: row.all_locations,
    locationIds: new Set(row.location_ids),
    generation: row.token_generation,
    timeZone: row.time_zone,
  };
}
