/** What each read answers of a business. */
import { type Refusal, refuse } from "./admission.ts";
import { Chosen, inAnyOrder, timeBetween } from "./expectation.ts";
import type { Integration, Setting } from "./homes.ts";
import type { Body } from "./requests.ts";
import type { Business, Entry, Member } from "./state.ts";
import type { Span, Success } from "./writes.ts";

export interface Read {
  readonly business: Business;
  readonly integration: Integration;
  readonly body: Body;
  readonly span: Span;
}

type Rule = (read: Read) => Refusal | Success;

/** A page of a list, with what it says of the whole. */
function paged<Item>(items: readonly Item[], body: Body, show: (item: Item) => unknown): Success {
  const { page = 1, per_page = 15 } = body as { page?: number; per_page?: number };
  const before = (page - 1) * per_page;
  const rows = items.slice(before, before + per_page);
  const pagination = {
    total: items.length,
    per_page,
    current_page: page,
    last_page: Math.max(1, Math.ceil(items.length / per_page)),
    from: rows.length === 0 ? 0 : before + 1,
    to: rows.length === 0 ? 0 : before + rows.length,
  };
  return { status: 200, data: rows.map(show), meta: { pagination } };
}

/** Without regard to case and accents. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Each word is part of the name, phone number or e-mail. */
function isFoundBy({ first_name, last_name, phone_number, email }: Member, search: string): boolean {
  const texts = [`${first_name} ${last_name}`, phone_number, email ?? ""].map(plain);
  const words = plain(search).split(/\s+/);
  return words.every((word) => texts.some((text) => text.includes(word)));
}

const listMembers: Rule = ({ business, body }) => {
  const { search, include_inactive = false } = body as { search?: string; include_inactive?: boolean };
  const found = business.members
    .filter((member) => member.active || include_inactive)
    .filter((member) => search === undefined || isFoundBy(member, search))
    .sort((a, b) => b.member_id - a.member_id);
  return paged(found, body, ({ member_id, contact_id, first_name, last_name, phone_number }) => ({
    member_id,
    contact_id,
    first_name,
    last_name,
    phone_number,
  }));
};

interface Filter {
  readonly location_id?: number;
  readonly contact_id?: number;
  readonly event_types?: readonly string[];
  readonly start_date?: string;
  readonly end_date?: string;
}

/** A day on which it certainly happened; what is recorded during the run is so after all that was imported. */
function dayOf({ at }: Entry, today: string): string {
  return typeof at === "string" ? at.slice(0, 10) : today;
}

const listTransactions: Rule = ({ business, integration, body, span }) => {
  const { location_id, contact_id, event_types, start_date, end_date } = body as Filter;
  const { timeZone } = business;
  const today = new Date(span.from).toISOString().slice(0, 10);
  const seen = ({ location_id: at }: Entry) => at === null || integration.locationIds.includes(at);
  const found = business.entries
    .map((entry, index) => ({ ...entry, number: index + 1 }))
    .filter(seen)
    .filter((entry) => location_id === undefined || entry.location_id === location_id)
    .filter((entry) => contact_id === undefined || entry.contact_id === contact_id)
    .filter((entry) => event_types === undefined || event_types.includes(entry.event_type))
    .filter((entry) => start_date === undefined || dayOf(entry, today) >= start_date)
    .filter((entry) => end_date === undefined || dayOf(entry, today) <= end_date)
    .sort((a, b) => compare(sortable(b), sortable(a)) || b.number - a.number);
  return paged(
    found,
    body,
    ({ event_type, contact_id: of, reference_id, amount, balance_after, at, number }) => ({
      event_type,
      contact_id: of,
      reference_id: reference_id ?? generated(number),
      amount,
      balance_after,
      created_at: typeof at === "string" ? at : timeBetween(at[0], at[1], timeZone),
    }),
  );
};

/** What is recorded in its own time is so in the order of its numbers. */
function sortable({ at }: Entry): string {
  return typeof at === "string" ? at : "9999";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A reference that the service made: of a kind and the number of the entry. */
function generated(number: number): Chosen {
  const form = new RegExp(`^[A-Z]+-${number}$`);
  return new Chosen(`a kind, and ${number}`, (value) => typeof value === "string" && form.test(value));
}

const listTiers: Rule = ({ business: { tiers } }) => ({ status: 200, data: tiers });

const getVoucher: Rule = ({ business, integration, body }) => {
  const voucher = business.vouchers.find(({ voucher_id }) => voucher_id === body.voucher_id);
  if (voucher === undefined) return refuse(404, "voucher_not_found");
  const { location_id, ...shown } = voucher;
  if (location_id !== null && !integration.locationIds.includes(location_id)) {
    return refuse(403, "sp_location_not_allowed", { location_id });
  }
  return { status: 200, data: shown };
};

export const reads: Readonly<Record<string, Rule>> = {
  "/sp/members/list": listMembers,
  "/sp/transactions/list": listTransactions,
  "/sp/member-tiers/list": listTiers,
  "/sp/vouchers/get": getVoucher,
};

const tokenSeconds = 7200;

/** Token issuance. The credentials are in the body. */
export function issueToken(
  { integrations, businesses }: Setting,
  body: Body,
  { from, to }: Span,
): Refusal | Success {
  const { client_id, client_secret } = body;
  const integration = Object.values(integrations).find((each) => each.client_id === client_id);
  if (integration === undefined || integration.client_secret !== client_secret || !integration.enabled) {
    return refuse(401, "invalid_client_credentials");
  }
  const { side, integration_id, granted } = integration;
  const { businessId, timeZone } = businesses[side];
  const later = tokenSeconds * 1000;
  return {
    status: 200,
    data: {
      access_token: new Chosen("a token", (value) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(String(value))),
      token_type: "Bearer",
      expires_in: tokenSeconds,
      expires_at: timeBetween(from + later, to + later, timeZone),
      scope: new Chosen(granted.join(" "), (value) => inAnyOrder(granted).fits(String(value).split(" "))),
      business_id: businessId,
      integration_id,
    },
  };
}
