/** What each read returns of a business. */
import type { Business, Entry, Member, Span, Success } from "./business.ts";
import type { Body } from "./contract.ts";
import { Chosen, inAnyOrder, type Rejection, reject, timeBetween } from "./expectation.ts";
import type { Integration, Setting } from "./setting.ts";

export interface Read {
  readonly business: Business;
  readonly integration: Integration;
  readonly setting: Setting;
  readonly body: Body;
  readonly span: Span;
}

type Rule = (read: Read) => Rejection | Success;

const cursor = new Chosen("a cursor", (value) => typeof value === "string" && /^[\w-]+$/.test(value));

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
  const next = before + rows.length < items.length && rows.length > 0 ? cursor : null;
  return { status: 200, data: rows.map(show), meta: { pagination, next } };
}

/** Without case and accents. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Each word is part of the name, phone number or e-mail address. */
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
  return paged(found, body, ({ email: _, active: __, since: ___, ...shown }) => shown);
};

/** The part of an entry's time that lists are sorted by. What is recorded now comes after all that was imported. */
const sortable = ({ at }: Entry) => (typeof at === "string" ? at : "9999");

const listTransactions: Rule = ({ business, integration, body, span }) => {
  const {
    location_id,
    contact_id,
    event_types,
    start_date = "0",
    end_date = "9999",
  } = body as {
    readonly location_id?: number;
    readonly contact_id?: number;
    readonly event_types?: readonly string[];
    readonly start_date?: string;
    readonly end_date?: string;
  };
  const today = new Date(span.from).toISOString().slice(0, 10);
  const dayOf = ({ at }: Entry) => (typeof at === "string" ? at.slice(0, 10) : today);
  const found = business.entries
    .map((entry, index) => ({ ...entry, number: index + 1 }))
    .filter((entry) => entry.location_id === null || integration.locationIds.includes(entry.location_id))
    .filter((entry) => location_id === undefined || entry.location_id === location_id)
    .filter((entry) => contact_id === undefined || entry.contact_id === contact_id)
    .filter((entry) => event_types === undefined || event_types.includes(entry.event_type))
    .filter((entry) => dayOf(entry) >= start_date && dayOf(entry) <= end_date)
    .sort((a, b) => {
      const [one, other] = [sortable(a), sortable(b)];
      return one === other ? b.number - a.number : one < other ? 1 : -1;
    });
  return paged(found, body, ({ at, number, ...entry }) => ({
    event_type: entry.event_type,
    contact_id: entry.contact_id,
    reference_id: entry.reference_id ?? madeReference(number),
    amount: entry.amount,
    balance_after: entry.balance_after,
    created_at: typeof at === "string" ? at : timeBetween(at[0], at[1], business.timeZone),
  }));
};

/** A reference that the service made, with the number of the entry. */
function madeReference(number: number): Chosen {
  const form = new RegExp(`^[A-Z]+-${number}$`);
  return new Chosen(`a kind, and ${number}`, (value) => typeof value === "string" && form.test(value));
}

const getVoucher: Rule = ({ business, integration, body }) => {
  const voucher = business.vouchers.find(({ voucher_id }) => voucher_id === body.voucher_id);
  if (voucher === undefined) return reject(404, "voucher_not_found");
  const { location_id, ...shown } = voucher;
  if (location_id !== null && !integration.locationIds.includes(location_id as number)) {
    return reject(403, "sp_location_not_allowed", { location_id });
  }
  return { status: 200, data: shown };
};

const tokenSeconds = 7200;

const issueToken: Rule = ({ setting: { integrations, businesses }, body, span: { from, to } }) => {
  const integration = Object.values(integrations).find((each) => each.client_id === body.client_id);
  if (integration === undefined || integration.client_secret !== body.client_secret || !integration.enabled) {
    return reject(401, "invalid_client_credentials");
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
};

export const reads: Readonly<Record<string, Rule>> = {
  "/sp/auth/token": issueToken,
  "/sp/members/list": listMembers,
  "/sp/transactions/list": listTransactions,
  "/sp/member-tiers/list": ({ business: { tiers } }) => ({ status: 200, data: tiers }),
  "/sp/vouchers/get": getVoucher,
};
