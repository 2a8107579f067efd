/**
 * Searches for members, and what they found. To find what many members have in common takes up to a second where there
 * are a million of them, and whoever turns the page asks for the same again. So what a search found is remembered, with
 * the snapshot that it was found in. A page is read by the member_ids that are known, and answered if no member has been
 * changed that this snapshot doesn't see; of those that have been, it is looked up whether they match.
 *
 * When PostgreSQL has crashed, or another server has taken over, it may use ids of transactions again that had left no
 * trace, and a snapshot from before says nothing. No server process outlives that. So what was found is believed only to
 * a server process that was met before.
 */
import { LRUCache } from "lru-cache";
import type { Fragment } from "postgres";
import { digitValues, firstDigit, IdsByBlock, idsInBlock } from "../domain/ids-by-block.ts";
import type { ListedMember, MemberSearch } from "../domain/member-search.ts";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import type { SearchSample } from "../domain/search-parts.ts";
import { fold } from "../domain/text.ts";
import { plainArray } from "./array-text.ts";
import type { Connection } from "./connection.ts";
import { allMatches, matches } from "./member-matches.ts";
import { pageOf } from "./page.ts";
import type { SearchSamples } from "./search-samples.ts";

export interface MemberSearchSettings {
  /** The most memory for what was found, of all searches together; those that were asked for longest ago go first. */
  readonly mostBytes: number;
  /** When more members than these have changed, all matches are found anew. */
  readonly mostChanged: number;
  /** How often a page is read, and has to be read again because members have changed since its matches were found. */
  readonly tries: number;
}

/** 65,000 matches among a million members take 230 KB. */
const usual: MemberSearchSettings = { mostBytes: 16 * 2 ** 20, mostChanged: 1000, tries: 3 };

/** What a search found. */
interface Found {
  readonly matches: IdsByBlock;
  /** As PostgreSQL writes it (pg_snapshot). */
  readonly snapshot: string;
  /** A moment before. */
  readonly since: number;
}

/** Where searches are made: `sql` for those that may take long, `lookUps` for the rest. */
export interface SearchedPools {
  readonly sql: Connection;
  readonly lookUps: Connection;
}

/** Server processes that are remembered: one that was forgotten is taken for one that was never met. */
const mostServers = 1000;

export class MemberSearches {
  readonly #samples: Pick<SearchSamples, "of">;
  readonly #settings: MemberSearchSettings;
  readonly #found: LRUCache<string, Found>;
  /** The moment at which each server process was met. */
  readonly #met = new LRUCache<string, number>({ max: mostServers });
  /** One after the other, so that it can be told which was first. */
  #moments = 0;

  /** @param samples tell which parts of a search few members have */
  constructor(samples: Pick<SearchSamples, "of">, settings: Partial<MemberSearchSettings> = {}) {
    this.#samples = samples;
    this.#settings = { ...usual, ...settings };
    this.#found = new LRUCache({
      maxSize: this.#settings.mostBytes,
      sizeCalculation: ({ matches, snapshot }, key) => matches.bytes + snapshot.length + 2 * key.length,
    });
  }

  /**
   * A page of the members that a search finds, newest first, with the total; both from one snapshot.
   * @param pools whose connections are in no transaction that has changed members: it might be rolled back
   */
  async list(pools: SearchedPools, searched: MemberSearch, page: PageRequest): Promise<Page<ListedMember>> {
    const sample = await this.#samples.of(pools.sql, searched.businessId);
    // Where there are few members, to find all of them costs less than to ask whether they have changed.
    const tries = sample.texts.length > 0 ? this.#settings.tries : 0;
    const key = [searched.businessId, searched.includeInactive, fold(searched.search)].join(" ");
    let tried: Found | undefined;
    let foundAll = false;
    for (let attempt = 0; attempt < tries; attempt++) {
      const known = this.#found.get(key);
      if (known !== undefined && known !== tried) {
        // Somebody else may have found it again meanwhile.
        tried = known;
      } else {
        const renewed = known && (await this.#renew(pools.lookUps, searched, known));
        if (renewed === undefined && foundAll) break;
        foundAll ||= renewed === undefined;
        tried = renewed ?? (await this.#findAll(pools, searched, sample));
        this.#found.set(key, tried);
      }
      const since = this.#nextMoment();
      const { server, snapshot, rows } = await readPage(pools.lookUps, searched.businessId, tried, page);
      const { matches } = tried;
      if (!this.#wasMetBefore(server, tried)) this.#found.delete(key);
      else if (rows !== undefined) {
        // As of now: what a long transaction has left unseen by the snapshot of before is not to be looked at for good.
        this.#found.set(key, { matches, snapshot, since });
        return { total: matches.size, rows };
      }
    }
    // Few members, or they are changing all the time: then at once, from one snapshot.
    return findAndRead(pools.sql, searched, sample, page);
  }

  async #findAll(
    { sql, lookUps }: SearchedPools,
    searched: MemberSearch,
    sample: SearchSample,
  ): Promise<Found> {
    // Those that will be asked for the page; two at once, for there are two.
    for (const server of await Promise.all([whoAnswers(lookUps), whoAnswers(lookUps)])) this.#meet(server);
    const since = this.#nextMoment();
    return { ...(await findAll(sql, searched, sample)), since };
  }

  /**
   * Looks up which of the matches have come and gone.
   * @returns undefined when all have to be found anew
   */
  async #renew(lookUps: Connection, searched: MemberSearch, known: Found): Promise<Found | undefined> {
    const since = this.#nextMoment();
    const { mostChanged } = this.#settings;
    const changed = await findChanged(lookUps, searched, known, mostChanged);
    const [first] = changed;
    if (first === undefined) return known;
    if (changed.length > mostChanged || !this.#wasMetBefore(first.server, known)) return undefined;
    return { matches: known.matches.with(changed), snapshot: first.snapshot, since };
  }

  /** Whether a server process was there already when something was found, and so has been ever since. */
  #wasMetBefore(server: string, found: Found): boolean {
    return this.#meet(server) < found.since;
  }

  /** @returns the moment at which a server process was first met */
  #meet(server: string): number {
    const met = this.#met.get(server) ?? this.#nextMoment();
    this.#met.set(server, met);
    return met;
  }

  #nextMoment(): number {
    this.#moments += 1;
    return this.#moments;
  }
}

/** What tells a server process from all others, those of other servers included. */
const serverProcess = (sql: Connection) =>
  sql`(SELECT pid || ' ' || backend_start FROM pg_stat_get_activity(pg_backend_pid()))`;

async function whoAnswers(sql: Connection): Promise<string> {
  const [row] = await sql<{ server: string }[]>`SELECT ${serverProcess(sql)} AS server`;
  return row?.server ?? "";
}

/**
 * The condition on members that have been changed, and a snapshot doesn't see it. No member is ever deleted. Who has been
 * restored from a dump may bear a transaction that is yet to come: that is none that changed it.
 */
const changedSince = (sql: Connection, businessId: number, snapshot: string) => sql`
  business_id = ${businessId} AND changed_in >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
  AND changed_in < pg_snapshot_xmax(pg_current_snapshot())
  AND NOT pg_visible_in_snapshot(changed_in, ${snapshot}::pg_snapshot)`;

interface PageRead {
  /** Of the page. */
  readonly snapshot: string;
  readonly server: string;
  /** Undefined when members have changed since the matches were found. */
  readonly rows: ListedMember[] | undefined;
}

/**
 * Reads a page of what was found. The order of the changes and OFFSET 0 have the one index used that serves each step:
 * of a business that has come since the tables were last analysed, the planner expects no members at all.
 */
async function readPage(
  sql: Connection,
  businessId: number,
  { matches, snapshot }: Found,
  page: PageRequest,
): Promise<PageRead> {
  const memberIds = matches.highest(offsetOf(page), page.perPage);
  const rows = await sql<(ListedMember & Omit<PageRead, "rows"> & { readonly unchanged: boolean })[]>`
    SELECT now.*, listed.*
    FROM (
      SELECT ${serverProcess(sql)} AS server, pg_current_snapshot()::text AS snapshot, (
        SELECT changed_in FROM member WHERE ${changedSince(sql, businessId, snapshot)} ORDER BY changed_in LIMIT 1
      ) IS NULL AS unchanged
    ) AS now
    LEFT JOIN (
      SELECT m.* FROM unnest(${plainArray(memberIds)}::bigint[]) AS wanted (id) CROSS JOIN LATERAL (
        SELECT member_id, contact_id, first_name, last_name, phone_number FROM member
        WHERE business_id = ${businessId} AND member_id = wanted.id OFFSET 0
      ) AS m
    ) AS listed ON true
    ORDER BY listed.member_id DESC`;
  const { server = "", snapshot: now = "", unchanged = false } = rows[0] ?? {};
  const members = rows
    .filter((row) => row.member_id !== null)
    .map(({ server: _, snapshot: __, unchanged: ___, ...member }) => member);
  return { server, snapshot: now, rows: unchanged ? members : undefined };
}

interface ChangedMember {
  readonly id: number;
  /** Whether the search finds it. */
  readonly there: boolean;
  /** In which snapshot this was looked up, and by which server process. */
  readonly snapshot: string;
  readonly server: string;
}

/** @returns none when there is none; more than `most` when there are too many, and then not all of them */
function findChanged(
  sql: Connection,
  searched: MemberSearch,
  { snapshot }: Found,
  most: number,
): Promise<ChangedMember[]> {
  return sql<ChangedMember[]>`
    SELECT member_id AS id, ${matches(sql, searched)} AS there,
      pg_current_snapshot()::text AS snapshot, ${serverProcess(sql)} AS server
    FROM member WHERE ${changedSince(sql, searched.businessId, snapshot)}
    ORDER BY changed_in LIMIT ${most + 1}`;
}

async function findAll(
  sql: Connection,
  searched: MemberSearch,
  sample: SearchSample,
): Promise<Omit<Found, "since">> {
  const digit = (value: Fragment) => sql`chr(${firstDigit}::integer + (${value})::integer)`;
  const place = sql`member_id % ${idsInBlock}::bigint`;
  const values = sql`${digitValues}::bigint`;
  const rows = await sql<{ block: number | null; text: string }[]>`
    WITH found AS MATERIALIZED (${allMatches(sql, searched, sample)})
    SELECT NULL::bigint AS block, pg_current_snapshot()::text AS text
    UNION ALL
    SELECT member_id / ${idsInBlock}::bigint,
      string_agg(${digit(sql`${place} / ${values}`)} || ${digit(sql`${place} % ${values}`)}, '')
    FROM found GROUP BY 1`;
  const blocks: [block: number, ids: string][] = [];
  let snapshot = "";
  for (const { block, text } of rows) {
    if (block === null) snapshot = text;
    else blocks.push([block, text]);
  }
  return { matches: new IdsByBlock(blocks), snapshot };
}

type CountedRow = ListedMember & { readonly total: number };

/** Finds all matches, and reads those of a page; both in one snapshot. */
async function findAndRead(
  sql: Connection,
  searched: MemberSearch,
  sample: SearchSample,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const rows = await sql<CountedRow[]>`
    WITH found AS MATERIALIZED (${allMatches(sql, searched, sample)}), listed AS (
      SELECT m.member_id, m.contact_id, m.first_name, m.last_name, m.phone_number
      FROM (
        SELECT member_id FROM found ORDER BY member_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
      ) AS wanted
      JOIN member m ON m.business_id = ${searched.businessId} AND m.member_id = wanted.member_id
    )
    SELECT listed.*, counted.total FROM (SELECT count(*) AS total FROM found) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`;
  return pageOf(rows, "member_id");
}
