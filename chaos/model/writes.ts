/** What each write does to a business, or why not. */
import { invalid, type Refusal, refuse } from "./admission.ts";
import { Chosen } from "./expectation.ts";
import type { Body } from "./requests.ts";
import { type Account, type Business, balanceOf, type Entry, type Member } from "./state.ts";

export interface Success {
  readonly status: number;
  readonly data: unknown;
  readonly meta?: unknown;
  /** The business afterwards, given the data that the service answered; undefined where the data can't be. */
  readonly next?: (data: Readonly<Record<string, unknown>>) => Business | undefined;
}

/** When a request was under way. */
export interface Span {
  /** Counts the volleys of a sequence. */
  readonly volley: number;
  /** Milliseconds. */
  readonly from: number;
  readonly to: number;
}

export interface Write {
  readonly business: Business;
  readonly body: Body;
  /** The locations that the caller may use. */
  readonly locationIds: readonly number[];
  readonly span: Span;
}

type Rule = (write: Write) => Refusal | Success;

const largestBalance = Number.MAX_SAFE_INTEGER;

/** The fields of a body, without those that name what is changed. */
function changesOf({ idempotency_key: _key, ...body }: Body, id: string): Body {
  const { [id]: _id, ...changes } = body;
  return changes;
}

/** Fields that must be as they are in a record. */
function shown(record: object, names: readonly string[]): Body {
  return Object.fromEntries(names.map((name) => [name, (record as Body)[name]]));
}

/** An id that no record of the business has. */
function freshId(known: readonly number[]): Chosen {
  return new Chosen(
    "an id of its own",
    (value) => Number.isSafeInteger(value) && (value as number) > 0 && !known.includes(value as number),
  );
}

type FoundMember = { member: Member; refusal?: undefined } | { refusal: Refusal };

function findMember({ members }: Business, contactId: unknown): FoundMember {
  const member = members.find(({ contact_id }) => contact_id === contactId);
  return member === undefined ? { refusal: refuse(404, "member_not_found") } : { member };
}

function findActive(business: Business, contactId: unknown): FoundMember {
  const found = findMember(business, contactId);
  return found.refusal === undefined && !found.member.active
    ? { refusal: refuse(409, "member_inactive") }
    : found;
}

/** @returns the refusal of a phone number or e-mail address that another member has */
function refuseTaken({ members }: Business, body: Body, own?: Member): Refusal | undefined {
  const others = members.filter((member) => member !== own);
  const email = (body.email as string | undefined)?.toLowerCase();
  const taken = [
    ...(others.some((other) => other.phone_number === body.phone_number) ? ["phone_number"] : []),
    ...(email !== undefined && others.some((other) => other.email?.toLowerCase() === email) ? ["email"] : []),
  ];
  if (taken.length === 0) return undefined;
  return refuse(409, "member_already_exists", { field: taken[0], fields: taken });
}

const createMember: Rule = ({ business, body, span }) => {
  const refusal = refuseTaken(business, body);
  if (refusal !== undefined) return refusal;
  const { members } = business;
  const { first_name, last_name, phone_number, email = null } = body as unknown as Member;
  const fields = { first_name, last_name, phone_number, email };
  const newest = Math.max(
    0,
    ...members.filter(({ since }) => since < span.volley).map((each) => each.member_id),
  );
  return {
    status: 201,
    data: {
      member_id: freshId(members.map((member) => member.member_id)),
      contact_id: freshId(members.map((member) => member.contact_id)),
      ...fields,
    },
    next: ({ member_id, contact_id }) => {
      // Lists go by member_id: one that was made later has a larger one.
      if ((member_id as number) <= newest) return undefined;
      const ids = { member_id: member_id as number, contact_id: contact_id as number };
      const member: Member = { ...ids, ...fields, active: true, since: span.volley };
      return { ...business, members: [...members, member] };
    },
  };
};

const updateMember: Rule = ({ business, body }) => {
  const found = findMember(business, body.contact_id);
  if (found.refusal !== undefined) return found.refusal;
  const refusal = refuseTaken(business, body, found.member);
  if (refusal !== undefined) return refusal;
  const { date_of_birth: _, ...changes } = changesOf(body, "contact_id");
  const changed = { ...found.member, ...changes };
  return {
    status: 200,
    data: shown(changed, ["member_id", "contact_id", "first_name", "last_name", "email"]),
    next: () => withMember(business, changed),
  };
};

/** @returns the business with a member as it is now */
export function withMember(business: Business, changed: Member): Business {
  const members = business.members.map((each) => (each.contact_id === changed.contact_id ? changed : each));
  return { ...business, members };
}

const changePassword: Rule = ({ business, body }) => {
  const found = findMember(business, body.contact_id);
  if (found.refusal !== undefined) return found.refusal;
  const { member_id, contact_id, phone_number, email } = found.member;
  const password = (body.new_password as string).toLowerCase();
  if (password === phone_number || password === email?.toLowerCase()) {
    return invalid([["new_password", "not_allowed_value"]]);
  }
  return { status: 200, data: { member_id, contact_id, password_changed: true } };
};

/** @returns the business with one more entry */
export function record(business: Business, entry: Omit<Entry, "balance_after">): Business {
  const balance_after = balanceOf(business, entry.contact_id, entry.account) + entry.amount;
  return { ...business, entries: [...business.entries, { ...entry, balance_after }] };
}

function adjust(account: Account, event_type: string, field: "amount" | "points"): Rule {
  return ({ business, body, span }) => {
    const found = findActive(business, body.contact_id);
    if (found.refusal !== undefined) return found.refusal;
    const { contact_id, adjustment_type, location_id = null, reference_id = null } = body;
    const size = body[field] as number;
    const amount = adjustment_type === "credit" ? size : -size;
    const balance = balanceOf(business, contact_id as number, account);
    if (balance + amount < 0) return refuse(409, "insufficient_balance", { balance });
    if (balance + amount > largestBalance) return refuse(409, "balance_limit_exceeded", { balance });
    const after = record(business, {
      account,
      event_type,
      contact_id: contact_id as number,
      amount,
      location_id: location_id as number | null,
      reference_id: reference_id as string | null,
      at: [span.from, span.to],
    });
    const data = { contact_id, [field]: size, adjustment_type, balance_after: balance + amount };
    return { status: 200, data, next: () => after };
  };
}

const createBenefit: Rule = ({ business, body }) => {
  const { title, amount, promo_amount = 0, status = "active", location_id } = body;
  const fields = { title, amount, promo_amount, status };
  return {
    status: 201,
    data: { benefit_id: freshId(business.benefits.map((each) => each.benefit_id)), ...fields },
    next: ({ benefit_id }) => {
      const benefit = { benefit_id, ...fields, location_id } as Business["benefits"][number];
      return { ...business, benefits: [...business.benefits, benefit] };
    },
  };
};

const updateBenefit: Rule = ({ business, body, locationIds }) => {
  const benefit = business.benefits.find(({ benefit_id }) => benefit_id === body.benefit_id);
  if (benefit === undefined) return refuse(404, "benefit_not_found");
  const { location_id } = benefit;
  if (!locationIds.includes(location_id)) return refuse(403, "sp_location_not_allowed", { location_id });
  const changed = { ...benefit, ...changesOf(body, "benefit_id") };
  return {
    status: 200,
    data: shown(changed, ["benefit_id", "title", "promo_amount", "status"]),
    next: () => ({
      ...business,
      benefits: business.benefits.map((each) => (each === benefit ? changed : each)),
    }),
  };
};

const settingNames = [
  ...["enable_rp", "rp_name", "rp_sales_calculation_period", "rp_sales_calculation_period_type"],
];

const updateSettings: Rule = ({ business, body }) => {
  const settings = { ...business.settings, ...changesOf(body, "") };
  // A default that no answer has shown yet.
  const anything = new Chosen("a default", (value) => value !== null && value !== undefined);
  const data = Object.fromEntries(settingNames.map((name) => [name, settings[name] ?? anything]));
  return { status: 200, data, next: (shownNow) => ({ ...business, settings: { ...shownNow } }) };
};

const updateProgram: Rule = ({ business, body }) => {
  const program = business.programs.find(({ program_id }) => program_id === body.program_id);
  if (program === undefined) return refuse(404, "program_not_found");
  const changed = { ...program, ...changesOf(body, "program_id") };
  const programs = business.programs.map((each) => (each === program ? changed : each));
  return { status: 200, data: changed, next: () => ({ ...business, programs }) };
};

const updateTier: Rule = ({ business, body }) => {
  const tier = business.tiers.find(({ tier_id }) => tier_id === body.tier_id);
  if (tier === undefined) return refuse(404, "tier_not_found");
  const changed = { ...tier, ...changesOf(body, "tier_id") };
  const tiers = business.tiers.map((each) => (each === tier ? changed : each));
  return { status: 200, data: changed, next: () => ({ ...business, tiers }) };
};

const deleteTier: Rule = ({ business, body: { tier_id } }) => {
  const tiers = business.tiers.filter((tier) => tier.tier_id !== tier_id);
  if (tiers.length === business.tiers.length) return refuse(404, "tier_not_found");
  return { status: 200, data: { tier_id, deleted: true }, next: () => ({ ...business, tiers }) };
};

export const writes: Readonly<Record<string, Rule>> = {
  "/sp/members/create": createMember,
  "/sp/members/update": updateMember,
  "/sp/members/profile/update": updateMember,
  "/sp/members/password/change": changePassword,
  "/sp/wallet/adjust": adjust("wallet", "wallet_adjustment", "amount"),
  "/sp/wallet/topup-benefits/create": createBenefit,
  "/sp/wallet/topup-benefits/update": updateBenefit,
  "/sp/reward-points/adjust": adjust("points", "reward_points_adjustment", "points"),
  "/sp/reward-settings/update": updateSettings,
  "/sp/reward-programs/update": updateProgram,
  "/sp/member-tiers/update": updateTier,
  "/sp/member-tiers/delete": deleteTier,
};
