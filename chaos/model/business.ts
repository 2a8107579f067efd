/** A business of the model, and what each write does to it. It is a value: a change makes another business. */
import type { Body } from "./contract.ts";
import { Chosen, invalid, type Rejection, reject } from "./expectation.ts";

export interface Member {
  readonly member_id: number;
  readonly contact_id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
  readonly email: string | null;
  readonly active: boolean;
  /** The volley in which it was made. */
  readonly since: number;
}

type Account = "wallet" | "points" | "sales";

/** In the order of recording: the place of an entry is its number. */
export interface Entry {
  readonly account: Account;
  readonly event_type: string;
  readonly contact_id: number;
  readonly amount: number;
  readonly balance_after: number;
  readonly location_id: number | null;
  /** Null if the service makes one. */
  readonly reference_id: string | null;
  /** The time, or the milliseconds between which it was recorded. */
  readonly at: string | readonly [from: number, to: number];
}

export interface Business {
  readonly businessId: number;
  readonly timeZone: string;
  readonly locationIds: readonly number[];
  readonly members: readonly Member[];
  readonly entries: readonly Entry[];
  readonly benefits: readonly Body[];
  readonly tiers: readonly Body[];
  readonly programs: readonly Body[];
  readonly vouchers: readonly Body[];
  /** The settings that a response has shown. */
  readonly settings: Body;
  /** Successful writes, by integration and key. */
  readonly written: Readonly<Record<string, { payload: string; status: number; body: string }>>;
}

export interface Success {
  readonly status: number;
  readonly data: unknown;
  readonly meta?: unknown;
  /** The business afterwards, from the data of the response; undefined if the data can't be. */
  readonly next?: (data: Body) => Business | undefined;
}

/** When a request was on its way: the number of the volley, and milliseconds. */
export interface Span {
  readonly volley: number;
  readonly from: number;
  readonly to: number;
}

interface Write {
  readonly business: Business;
  readonly body: Body;
  /** The locations that the caller may use. */
  readonly locationIds: readonly number[];
  readonly span: Span;
}

type Rule = (write: Write) => Rejection | Success;

const largestBalance = Number.MAX_SAFE_INTEGER;

function pick(record: object, names: readonly string[]): Body {
  return Object.fromEntries(names.map((name) => [name, (record as Body)[name]]));
}

/** An id that no record has. */
function newId(known: readonly unknown[]): Chosen {
  return new Chosen(
    "a new id",
    (value) => Number.isSafeInteger(value) && (value as number) > 0 && !known.includes(value),
  );
}

function memberOf({ members }: Business, body: Body): Member | undefined {
  return members.find(({ contact_id }) => contact_id === body.contact_id);
}

/** The rejection if another member has the phone number or e-mail address. */
function rejectTaken({ members }: Business, body: Body, own?: Member): Rejection | undefined {
  const others = members.filter((member) => member !== own);
  const email = (body.email as string | undefined)?.toLowerCase();
  const fields = [
    ...(others.some((other) => other.phone_number === body.phone_number) ? ["phone_number"] : []),
    ...(email !== undefined && others.some((other) => other.email?.toLowerCase() === email) ? ["email"] : []),
  ];
  return fields.length === 0 ? undefined : reject(409, "member_already_exists", { field: fields[0], fields });
}

const createMember: Rule = ({ business, body, span }) => {
  const rejection = rejectTaken(business, body);
  if (rejection !== undefined) return rejection;
  const { members } = business;
  const { first_name, last_name, phone_number, email = null } = body as unknown as Member;
  const fields = { first_name, last_name, phone_number, email };
  const earlier = members.filter(({ since }) => since < span.volley);
  const member_id = newId(members.map((member) => member.member_id));
  const contact_id = newId(members.map((member) => member.contact_id));
  return {
    status: 201,
    data: { member_id, contact_id, ...fields },
    next: (data) => {
      const ids = data as { member_id: number; contact_id: number };
      // Lists are sorted by member_id, so a later one must be larger.
      if (earlier.some((member) => member.member_id >= ids.member_id)) return undefined;
      const { member_id: id, contact_id: contact } = ids;
      const member = { member_id: id, contact_id: contact, ...fields, active: true, since: span.volley };
      return { ...business, members: [...members, member] };
    },
  };
};

const updateMember: Rule = ({ business, body }) => {
  const member = memberOf(business, body);
  if (member === undefined) return reject(404, "member_not_found");
  const rejection = rejectTaken(business, body, member);
  if (rejection !== undefined) return rejection;
  const { date_of_birth: _, idempotency_key: __, ...changes } = body;
  const changed: Member = { ...member, ...changes };
  return {
    status: 200,
    data: pick(changed, ["member_id", "contact_id", "first_name", "last_name", "email"]),
    next: () => withMember(business, changed),
  };
};

export function withMember(business: Business, changed: Member): Business {
  const members = business.members.map((each) => (each.contact_id === changed.contact_id ? changed : each));
  return { ...business, members };
}

const changePassword: Rule = ({ business, body }) => {
  const member = memberOf(business, body);
  if (member === undefined) return reject(404, "member_not_found");
  const { member_id, contact_id, phone_number, email } = member;
  const password = (body.new_password as string).toLowerCase();
  if (password === phone_number || password === email?.toLowerCase()) {
    return invalid([["new_password", "not_allowed_value"]]);
  }
  return { status: 200, data: { member_id, contact_id, password_changed: true } };
};

function balanceOf({ entries }: Business, contactId: unknown, account: Account): number {
  const last = entries.findLast((entry) => entry.contact_id === contactId && entry.account === account);
  return last?.balance_after ?? 0;
}

/** @returns the business with one more entry */
export function record(business: Business, entry: Omit<Entry, "balance_after">): Business {
  const balance_after = balanceOf(business, entry.contact_id, entry.account) + entry.amount;
  return { ...business, entries: [...business.entries, { ...entry, balance_after }] };
}

function adjust(account: Account, event_type: string, field: "amount" | "points"): Rule {
  return ({ business, body, span }) => {
    const member = memberOf(business, body);
    if (member === undefined) return reject(404, "member_not_found");
    if (!member.active) return reject(409, "member_inactive");
    const { adjustment_type, location_id = null, reference_id = null } = body;
    const { contact_id } = member;
    const size = body[field] as number;
    const amount = adjustment_type === "credit" ? size : -size;
    const balance = balanceOf(business, contact_id, account);
    if (balance + amount < 0) return reject(409, "insufficient_balance", { balance });
    if (balance + amount > largestBalance) return reject(409, "balance_limit_exceeded", { balance });
    const after = record(business, {
      account,
      event_type,
      contact_id,
      amount,
      at: [span.from, span.to],
      location_id: location_id as number | null,
      reference_id: reference_id as string | null,
    });
    const data = { contact_id, [field]: size, adjustment_type, balance_after: balance + amount };
    return { status: 200, data, next: () => after };
  };
}

const createBenefit: Rule = ({ business, body }) => {
  const { title, amount, promo_amount = 0, status = "active", location_id } = body;
  const { benefits } = business;
  const fields = { title, amount, promo_amount, status };
  return {
    status: 201,
    data: { benefit_id: newId(benefits.map((each) => each.benefit_id)), ...fields },
    next: ({ benefit_id }) => ({
      ...business,
      benefits: [...benefits, { benefit_id, ...fields, location_id }],
    }),
  };
};

/** The location of the record that a request changes is checked before its key. */
export function rejectLocation(
  path: string,
  { business, body, locationIds }: Omit<Write, "span">,
): Rejection | undefined {
  if (path !== "/sp/wallet/topup-benefits/update") return undefined;
  const row = business.benefits.find(({ benefit_id }) => benefit_id === body.benefit_id);
  return row === undefined || locationIds.includes(row.location_id as number)
    ? undefined
    : reject(403, "sp_location_not_allowed", { location_id: row.location_id });
}

/** @param shown the fields of the response; all by default */
function updateIn(table: "benefits" | "programs" | "tiers", id: string, shown?: readonly string[]): Rule {
  return ({ business, body }) => {
    const row = business[table].find((each) => each[id] === body[id]);
    if (row === undefined) return reject(404, id.replace("_id", "_not_found"));
    const { idempotency_key: _, ...changes } = body;
    const changed = { ...row, ...changes };
    const rows = business[table].map((each) => (each === row ? changed : each));
    return {
      status: 200,
      data: shown === undefined ? changed : pick(changed, shown),
      next: () => ({ ...business, [table]: rows }),
    };
  };
}

const settingNames = [
  "enable_rp",
  "rp_name",
  "rp_sales_calculation_period",
  "rp_sales_calculation_period_type",
];

const updateSettings: Rule = ({ business, body }) => {
  const settings: Body = { ...business.settings, ...body };
  // A default that no response has shown yet.
  const anything = new Chosen("a default", (value) => value !== null && value !== undefined);
  const data = Object.fromEntries(settingNames.map((name) => [name, settings[name] ?? anything]));
  return { status: 200, data, next: (shown) => ({ ...business, settings: shown }) };
};

const deleteTier: Rule = ({ business, body: { tier_id } }) => {
  const tiers = business.tiers.filter((tier) => tier.tier_id !== tier_id);
  if (tiers.length === business.tiers.length) return reject(404, "tier_not_found");
  return { status: 200, data: { tier_id, deleted: true }, next: () => ({ ...business, tiers }) };
};

export const writes: Readonly<Record<string, Rule>> = {
  "/sp/members/create": createMember,
  "/sp/members/update": updateMember,
  "/sp/members/profile/update": updateMember,
  "/sp/members/password/change": changePassword,
  "/sp/wallet/adjust": adjust("wallet", "wallet_adjustment", "amount"),
  "/sp/wallet/topup-benefits/create": createBenefit,
  "/sp/wallet/topup-benefits/update": updateIn("benefits", "benefit_id", [
    ...["benefit_id", "title", "promo_amount", "status"],
  ]),
  "/sp/reward-points/adjust": adjust("points", "reward_points_adjustment", "points"),
  "/sp/reward-settings/update": updateSettings,
  "/sp/reward-programs/update": updateIn("programs", "program_id"),
  "/sp/member-tiers/update": updateIn("tiers", "tier_id"),
  "/sp/member-tiers/delete": deleteTier,
};
