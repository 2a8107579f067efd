/** The writers, readers and walkers that are at the lists together. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LoyaltyClient } from "loyalty-sdk";
import { HttpConnection, read, succeeded } from "../../test/support/http-connection.ts";
import type { Random } from "../../test/support/random.ts";
import type { Violations } from "../chaos.ts";
import type { Business, ExportedEntry, Operator } from "../operator.ts";
import { basePath } from "../service.ts";
import {
  type KnownMember,
  type LedgerFilter,
  type LedgerRead,
  MemberHistory,
  type MemberRead,
  type Pagination,
  type Span,
} from "./reads.ts";

/** A caller of the lists, and what of them it may see. */
export interface Reader {
  readonly authorization: string;
  /** Undefined for all. */
  readonly locations: readonly number[] | undefined;
}

/** A walk through the whole list from the newest entry on, and what it came to. */
export interface Walk {
  readonly startedAt: number;
  readonly filter: LedgerFilter;
  readonly references: readonly string[];
  /** Whether each may come once only: not when pages are asked for one by one, while others come in. */
  readonly once: boolean;
}

const patience = 30_000;
const firstDay = Date.UTC(2026, 0, 1);
const days = 60;
const dayMilliseconds = 86_400_000;
const eventTypes = ["wallet_adjustment", "reward_points_adjustment", "sale"];
const names = ["Ana", "José", "Zoë", "Łukasz", "Müller", "Nguyễn", "O'Brien", "García"];

export class ListTraffic {
  readonly business: Business;
  readonly contactIds: number[] = [];
  /** When the entries were on their way, by reason. */
  readonly spans = new Map<string, Span>();
  readonly ledgerReads: LedgerRead[] = [];
  readonly memberReads: MemberRead[] = [];
  readonly members = new MemberHistory();
  readonly walks: Walk[] = [];
  imported = 0;
  readonly #port: number;
  readonly #operator: Operator;
  readonly #readers: readonly Reader[];
  readonly #violations: Violations;
  #keys = 0;
  #sales = 0;
  /** Roughly how many entries there are, to pick pages that exist. */
  #entries = 0;

  constructor(
    { port, operator, business }: { port: number; operator: Operator; business: Business },
    readers: readonly Reader[],
    violations: Violations,
  ) {
    this.#port = port;
    this.#operator = operator;
    this.business = business;
    this.#readers = readers;
    this.#violations = violations;
  }

  open(): HttpConnection {
    return new HttpConnection(this.#port, patience);
  }

  get #all(): string {
    return (this.#readers[0] as Reader).authorization;
  }

  /** Adjusts a balance. */
  async post(caller: HttpConnection, random: Random): Promise<void> {
    const key = this.#nextKey();
    const wallet = random.chance(0.5);
    const body = {
      idempotency_key: key,
      contact_id: random.pick(this.contactIds),
      adjustment_type: "credit",
      reason: key,
      ...(wallet
        ? { amount: 1 + random.below(100), location_id: random.pick(this.business.locationIds) }
        : { points: 1 + random.below(100) }),
    };
    const path = wallet ? "/sp/wallet/adjust" : "/sp/reward-points/adjust";
    const { span } = await this.#send<object>(caller, path, body);
    this.spans.set(key, span);
    this.#entries += 1;
  }

  /** Brings in sales of the past, which lie in the midst of the list. */
  async importSales(random: Random): Promise<void> {
    const lines = Array.from({ length: 1 + random.below(60) }, (_, index) => {
      this.#sales += 1;
      // No two in the same second, as a list shows no more of the time than that.
      const moment = firstDay + ((this.#sales * 7919 * 1000) % (days * dayMilliseconds));
      return {
        line: index + 1,
        digest: createHash("md5").update(`sale ${this.#sales}`).digest("hex"),
        contact_id: random.pick(this.contactIds),
        sold_at: new Date(moment).toISOString().slice(0, 19).replace("T", " "),
        amount: 1 + random.below(1000),
        ...(random.chance(0.7) ? { location_id: random.pick(this.business.locationIds) } : {}),
      };
    });
    await this.#operator.write("/op/imports/sales", { business_id: this.business.businessId, lines });
    this.imported += lines.length;
    this.#entries += lines.length;
  }

  /** Makes a member whose balances move, and who therefore stays active. */
  async makeContact(caller: HttpConnection, random: Random): Promise<void> {
    this.contactIds.push(await this.makeMember(caller, random));
  }

  /** Makes a member, renames one, or makes one inactive or active; only ever called by one at a time. */
  async changeMember(caller: HttpConnection, random: Random): Promise<void> {
    const others = this.members.newest.filter(({ contact_id }) => !this.contactIds.includes(contact_id));
    if (others.length === 0 || random.chance(others.length < 60 ? 0.7 : 0.1)) {
      await this.makeMember(caller, random);
      return;
    }
    const known = random.pick(others);
    const { contact_id } = known;
    if (random.chance(0.5) || !known.active) {
      const path = known.active ? "/op/members/deactivate" : "/op/members/activate";
      const sentAt = performance.now();
      await this.#operator.write(path, { business_id: this.business.businessId, contact_id });
      this.members.add({ ...known, active: !known.active }, { sentAt, answeredAt: performance.now() });
    } else {
      const last_name = random.pick(names);
      const body = { idempotency_key: this.#nextKey(), contact_id, last_name };
      const { span } = await this.#send(caller, "/sp/members/update", body);
      this.members.add({ ...known, last_name }, span);
    }
  }

  async makeMember(caller: HttpConnection, random: Random): Promise<number> {
    const number = this.members.changes;
    const fields = {
      first_name: random.pick(names),
      last_name: random.pick(names),
      phone_number: `+34${800_000_000 + number}`,
    };
    const email = random.chance(0.5) ? `member.${number}@example.com` : null;
    const body = { idempotency_key: this.#nextKey(), ...fields, ...(email === null ? {} : { email }) };
    const { data, span } = await this.#send<KnownMember>(caller, "/sp/members/create", body);
    const { member_id, contact_id } = data;
    this.members.add({ ...fields, email, member_id, contact_id, active: true }, span);
    return contact_id;
  }

  /** Reads a page of the transactions, by a filter at random. */
  async readLedger(caller: HttpConnection, random: Random): Promise<void> {
    const reader = random.pick(this.#readers);
    const filter = this.#ledgerFilter(random, reader);
    const per_page = random.chance(0.2) ? 100 : 1 + random.below(30);
    const pages = Math.ceil(this.#entries / per_page) + 1;
    const page = 1 + random.below(random.chance(0.5) ? Math.min(pages, 5) : pages);
    const body = { ...filter, per_page, page };
    const { data, pagination, span } = await this.#send<Partial<ExportedEntry>[]>(
      caller,
      "/sp/transactions/list",
      body,
      reader.authorization,
    );
    this.ledgerReads.push({ ...span, filter, locations: reader.locations, rows: data, pagination });
  }

  #ledgerFilter(random: Random, { locations }: Reader): LedgerFilter {
    const day = (nth: number) => new Date(firstDay + nth * dayMilliseconds).toISOString().slice(0, 10);
    const start = random.below(days);
    const types = eventTypes.filter(() => random.chance(0.5));
    return {
      ...(random.chance(0.3) ? { contact_id: random.pick(this.contactIds) } : {}),
      ...(random.chance(0.3) ? { location_id: random.pick(locations ?? this.business.locationIds) } : {}),
      ...(random.chance(0.4) && types.length > 0 ? { event_types: types } : {}),
      ...(random.chance(0.3) ? { start_date: day(start) } : {}),
      ...(random.chance(0.3) ? { end_date: day(start + random.below(days)) } : {}),
    };
  }

  /** Reads a page of the members, by a filter at random. */
  async readMembers(caller: HttpConnection, random: Random): Promise<void> {
    const searches = [...names, "jose", "NGUYEN", "+34800", "example.com", "ana garcia", "zoe j", "nobody"];
    const filter = {
      ...(random.chance(0.6) ? { search: random.pick(searches) } : {}),
      ...(random.chance(0.5) ? { include_inactive: random.chance(0.8) } : {}),
    };
    const per_page = 1 + random.below(40);
    const page = 1 + random.below(3);
    const body = { ...filter, per_page, page };
    const { data, pagination, span } = await this.#send<MemberRead["rows"]>(caller, "/sp/members/list", body);
    this.memberReads.push({ ...span, filter, rows: data, pagination });
  }

  /** Walks from the newest entry to the oldest, as the client for partners does it. */
  async walkByClient(random: Random): Promise<void> {
    const filter = random.pick<LedgerFilter>([
      {},
      { event_types: ["wallet_adjustment"] },
      { contact_id: random.pick(this.contactIds) },
    ]);
    const client = new LoyaltyClient({
      baseUrl: `http://127.0.0.1:${this.#port}${basePath}`,
      accessToken: this.#all.replace("Bearer ", ""),
    });
    const startedAt = performance.now();
    const references: string[] = [];
    const request = { ...filter, per_page: 20 + random.below(80) };
    for await (const entry of client.transactions.list(request as never)) references.push(entry.reference_id);
    this.walks.push({ startedAt, filter, references, once: true });
  }

  /** Walks by asking for page after page. */
  async walkByPages(caller: HttpConnection, random: Random): Promise<void> {
    const per_page = 20 + random.below(80);
    const startedAt = performance.now();
    const references: string[] = [];
    for (let page = 1, last = 1; page <= last; page++) {
      const body = { per_page, page };
      const { data, pagination } = await this.#send<ExportedEntry[]>(caller, "/sp/transactions/list", body);
      references.push(...data.map((entry) => entry.reference_id));
      last = pagination.last_page;
    }
    this.walks.push({ startedAt, filter: {}, references, once: false });
  }

  /** Runs something over and over, until it fails. @returns stops it, once it has ended what it is at */
  over(work: () => Promise<void>, pauseMilliseconds: number): () => Promise<void> {
    let going = true;
    const writer = (async () => {
      while (going) {
        await work();
        await sleep(pauseMilliseconds);
      }
    })().catch((error: Error) => this.#violations.add(`a writer ended: ${error.stack}`));
    return () => {
      going = false;
      return writer;
    };
  }

  #nextKey(): string {
    this.#keys += 1;
    return `write-${this.#keys}`;
  }

  async #send<Data>(caller: HttpConnection, path: string, body: object, authorization = this.#all) {
    const sentAt = performance.now();
    const outcome = await caller.post(basePath + path, JSON.stringify(body), authorization);
    const span = { sentAt, answeredAt: performance.now() };
    const { data, meta } = read<Data>(succeeded(path, outcome));
    return { data, pagination: meta.pagination as Pagination, span };
  }
}
