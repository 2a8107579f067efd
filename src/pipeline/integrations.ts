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

/**
 * Data about an integration that is older is not used. So a revoked integration works no longer than this.
 */
const staleMilliseconds = 5000;
/** Data that is older is read again, and is used meanwhile. */
const refreshMilliseconds = 2500;
const rememberedIntegrations = 10_000;

interface Remembered {
  integration: Integration | undefined;
  /** When the latest read that has ended began. */
  readAt: number;
  reading: Promise<Integration | undefined> | undefined;
}

export interface Integrations {
  /** The integration, from data at most five seconds old; undefined when it is gone. */
  get(integrationId: number): Promise<Integration | undefined> | Integration | undefined;
  /** Reads the integration now. Requests that ask at the same time share a read. */
  refresh(integrationId: number): Promise<Integration | undefined>;
  /** Drops all data: the next request reads it. */
  forget(): void;
}

/** @param clock monotonic milliseconds */
export function createIntegrations(
  find: (integrationId: number) => Promise<IntegrationRow | undefined>,
  clock: () => number,
): Integrations {
  const remembered = new LRUCache<number, Remembered>({ max: rememberedIntegrations });

  /**
   * Each integration has at most one read in flight. The age of its data counts from the start of the read.
   */
  const read = (integrationId: number, entry: Remembered): Promise<Integration | undefined> => {
    if (entry.reading !== undefined) return entry.reading;
    const startedAt = clock();
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
      entry = { integration: undefined, readAt: Number.NEGATIVE_INFINITY, reading: undefined };
      remembered.set(integrationId, entry);
    }
    return entry;
  };

  return {
    forget: () => remembered.clear(),
    get(integrationId) {
      const entry = entryOf(integrationId);
      const age = clock() - entry.readAt;
      if (age > staleMilliseconds) return read(integrationId, entry);
      if (age > refreshMilliseconds) {
        read(integrationId, entry).catch(() => {
          // This request does not fail: the first one past the limit waits for a read and fails with it.
        });
      }
      return entry.integration;
    },
    refresh(integrationId) {
      const entry = entryOf(integrationId);
      // A read in flight may have started before the change, so it is not used.
      return entry.reading === undefined
        ? read(integrationId, entry)
        : entry.reading.catch(() => undefined).then(() => read(integrationId, entry));
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
