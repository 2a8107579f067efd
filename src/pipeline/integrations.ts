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

/** Older data is not used. So a revoked integration works no longer than this. */
const staleMilliseconds = 5000;
const rememberedIntegrations = 10_000;

interface Read {
  readonly startedAt: number;
  readonly integration: Promise<Integration | undefined>;
  inFlight: boolean;
}

export interface Integrations {
  /** The integration, from data at most five seconds old; undefined when it is gone. */
  get(integrationId: number): Promise<Integration | undefined>;
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
  /** The latest read of each integration. Its age counts from its start. */
  const reads = new LRUCache<number, Read>({ max: rememberedIntegrations });

  const read = (integrationId: number): Promise<Integration | undefined> => {
    const integration = find(integrationId).then((row) => row && integrationOf(row));
    const mine: Read = { startedAt: clock(), integration, inFlight: true };
    reads.set(integrationId, mine);
    integration.then(
      () => {
        mine.inFlight = false;
      },
      () => {
        if (reads.peek(integrationId) === mine) reads.delete(integrationId);
      },
    );
    return integration;
  };

  return {
    forget: () => reads.clear(),
    async get(integrationId) {
      const latest = reads.get(integrationId);
      const isFresh = latest !== undefined && clock() - latest.startedAt <= staleMilliseconds;
      return isFresh ? latest.integration : read(integrationId);
    },
    async refresh(integrationId) {
      const latest = reads.get(integrationId);
      if (!latest?.inFlight) return read(integrationId);
      // A read in flight may have started before the change, so it is not used.
      await latest.integration.catch(() => undefined);
      const next = reads.get(integrationId);
      return next === undefined || next === latest ? read(integrationId) : next.integration;
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
