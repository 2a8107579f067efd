/**
 * Samples of the texts that searches for members look through. They tell which parts of a search are rare. They decide
 * how a search is made, never what it finds, so they may be a minute old.
 */
import { LRUCache } from "lru-cache";
import type { SearchSample } from "../../domain/search-parts.ts";
import type { Connection } from "../connection.ts";
import { memberIdsInBlock } from "./blocks.ts";

/** With fewer blocks of members, any search is quick enough. */
const blocksWorthSampling = 16;
const sampledBlocks = 64;
const sampledOfBlock = 4;

const freshMilliseconds = 60_000;
/** Of some 30 KB each. */
const rememberedBusinesses = 100;

/** Remembers samples for a minute: to take one costs a third of a search. */
export class SearchSamples {
  readonly #clock: () => number;
  /** The one taken longest ago first. */
  readonly #remembered = new LRUCache<number, { sample: SearchSample; takenAt: number }>({
    max: rememberedBusinesses,
  });

  /** @param clock monotonic milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The sample of a business, taken through the connection unless there is one that is fresh. */
  async of(sql: Connection, businessId: number): Promise<SearchSample> {
    const known = this.#remembered.peek(businessId);
    const now = this.#clock();
    if (known !== undefined && now - known.takenAt < freshMilliseconds) return known.sample;
    const sample = await takeSample(sql, businessId);
    this.#remembered.set(businessId, { sample, takenAt: now });
    return sample;
  }
}

async function takeSample(sql: Connection, businessId: number): Promise<SearchSample> {
  const rows = await sql<{ searchable_text: string; most_of_all: boolean }[]>`
    SELECT m.searchable_text, b.most_of_all
    FROM (
      SELECT block, row_number() OVER (ORDER BY block) AS nth, count(*) OVER () AS blocks,
        sum(members) OVER () * 4 >= (SELECT reltuples FROM pg_class WHERE oid = 'member'::regclass) AS most_of_all
      FROM member_block WHERE business_id = ${businessId}
    ) AS b
    CROSS JOIN LATERAL (
      SELECT searchable_text FROM member
      WHERE business_id = ${businessId} AND member_id < (b.block + 1) * ${memberIdsInBlock}
      ORDER BY member_id DESC LIMIT ${sampledOfBlock}
    ) AS m
    WHERE b.blocks >= ${blocksWorthSampling} AND b.nth % greatest(1, b.blocks / ${sampledBlocks}) = 0`;
  return { texts: rows.map((row) => row.searchable_text), mostOfAll: rows[0]?.most_of_all === true };
}
