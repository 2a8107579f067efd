/**
 * Searches for members. A search that finds many of a million members takes up to a second, and each page of its list
 * repeats it. So the member_ids found are remembered, with the snapshot in which they were found. A page is read by
 * those member_ids. If members have changed since that snapshot, the changed ones are compared with the search again.
 *
 * After a crash or a failover, PostgreSQL may reuse ids of transactions that left no trace, and an older snapshot says
 * nothing. No server process survives that. So what was found is used only with a server process that was known before.
 */
import { LRUCache } from "lru-cache";
import { FairQueue } from "../../domain/fair-queue.ts";
import type { ListedMember, MemberSearch } from "../../domain/member-search.ts";
import type { Page, PageRequest } from "../../domain/pagination.ts";
import type { SearchSample } from "../../domain/search-parts.ts";
import { fold } from "../../domain/text.ts";
import type { Connection, Database } from "../connection.ts";
import { findAll, findAndRead, findChanged, type Matches, readPage, whoAnswers } from "./search-reads.ts";
import type { SearchSamples } from "./search-samples.ts";

export interface MemberSearchSettings {
  /** The most memory for what was found, of all searches together; those that were asked for longest ago go first. */
  readonly mostBytes: number;
  /** When more members than these have changed, all matches are found anew. */
  readonly mostChanged: number;
  /** How often a page is read, and has to be read again because members have changed since its matches were found. */
  readonly tries: number;
  /**
   * How many searches for all matches are made at the same time. What no index finds takes 0.2 s of a core among a
   * hundred thousand members, and one partner may ask for a hundred such searches a second.
   */
  readonly atOnce: number;
  /** How many of one business wait for that, and of all together: some seconds. */
  readonly mostWaiting: number;
  readonly mostInAll: number;
}

/** 65,000 matches among a million members take 230 KB. */
const usual: MemberSearchSettings = {
  mostBytes: 16 * 2 ** 20,
  mostChanged: 1000,
  tries: 3,
  atOnce: 2,
  mostWaiting: 50,
  mostInAll: 100,
};
/** What an entry takes besides what it holds. */
const bytesOfEntry = 500;
const retryAfterSeconds = 2;

/** What a search found. */
interface Found extends Matches {
  /** A moment before. */
  readonly since: number;
}

/** Where searches are made: `sql` for those that may take long, `lookUps` for the rest. */
export interface SearchedPools {
  readonly sql: Database;
  readonly lookUps: Connection;
}

/** How many server processes are remembered; a forgotten one counts as unknown. */
const mostServers = 1000;

export class MemberSearches {
  readonly #samples: Pick<SearchSamples, "of">;
  readonly #settings: MemberSearchSettings;
  readonly #found: LRUCache<string, Found>;
  /** For what may take long. */
  readonly #queue: FairQueue;
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
      sizeCalculation: ({ matches, snapshot }, key) =>
        matches.bytes + snapshot.length + 2 * key.length + bytesOfEntry,
    });
    const { atOnce, mostWaiting, mostInAll } = this.#settings;
    this.#queue = new FairQueue({ atOnce, mostWaiting, mostInAll, retryAfterSeconds });
  }

  /**
   * A page of the members that a search finds, newest first, with the total; both from one snapshot.
   * @param pools whose connections are in no transaction that has changed members: it might be rolled back
   * @throws OverloadedError when too many searches of the business wait already
   */
  async list(pools: SearchedPools, searched: MemberSearch, page: PageRequest): Promise<Page<ListedMember>> {
    const sample = await this.#samples.of(pools.sql, searched.businessId);
    // Among few members, finding all matches costs less than checking which have changed.
    const tries = sample.texts.length > 0 ? this.#settings.tries : 0;
    const key = [searched.businessId, searched.includeInactive, fold(searched.search)].join(" ");
    let tried: Found | undefined;
    let foundAll = false;
    for (let attempt = 0; attempt < tries; attempt++) {
      const known = this.#found.get(key);
      if (known !== undefined && known !== tried) {
        // Another request may have found it again.
        tried = known;
      } else {
        const renewed = known && (await this.#renew(pools.lookUps, searched, known));
        if (renewed === undefined && foundAll) break;
        foundAll ||= renewed === undefined;
        if (renewed !== undefined) this.#found.set(key, renewed);
        tried = renewed ?? (await this.#findInTurn(pools, searched, sample, { key, known }));
      }
      const since = this.#nextMoment();
      const { server, snapshot, rows } = await readPage(pools.lookUps, searched.businessId, tried, page);
      const { matches } = tried;
      if (!this.#wasMetBefore(server, tried)) this.#found.delete(key);
      else if (rows !== undefined) {
        // The newer snapshot: changes by a long transaction that the old one doesn't see are compared only once.
        this.#found.set(key, { matches, snapshot, since });
        return { total: matches.size, rows };
      }
    }
    // There are few members, or they change all the time: find and read in one snapshot.
    const find = () => findAndRead(pools.sql, searched, sample, page);
    return tries === 0 ? find() : this.#queue.run(searched.businessId, find);
  }

  /** Finds all matches when it is the business's turn, unless another request has found them by then. */
  #findInTurn(
    pools: SearchedPools,
    searched: MemberSearch,
    sample: SearchSample,
    { key, known }: { readonly key: string; readonly known: Found | undefined },
  ): Promise<Found> {
    return this.#queue.run(searched.businessId, async () => {
      const meanwhile = this.#found.get(key);
      if (meanwhile !== undefined && meanwhile !== known) return meanwhile;
      const found = await this.#findAll(pools, searched, sample);
      // Before the next turn, which may be a search for the same.
      this.#found.set(key, found);
      return found;
    });
  }

  async #findAll(
    { sql, lookUps }: SearchedPools,
    searched: MemberSearch,
    sample: SearchSample,
  ): Promise<Found> {
    // The server processes that will read the page: two connections share the look-ups.
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
