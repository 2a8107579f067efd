/** Requests at random, with flaws or without. What they name is only known when they are sent. */
import fc from "fast-check";
import { contract, legacyFields } from "./contract.ts";

/** Stands for the id of a record of the caller's business, counted round those that are known when it is sent. */
export interface Reference {
  readonly to: "contact" | "benefit" | "tier" | "program" | "voucher" | "location";
  readonly nth: number | "of the other business" | "of nothing";
}

/** A day, so many days from the one on which the sequence began. */
export interface DayAway {
  readonly days: number;
}

export type TokenState = "sound" | "missing" | "of another scheme" | "malformed" | "forged" | "expired";

export type Flaw =
  | { readonly kind: "path" | "method" | "query" | "content type" | "large" | "unknown field" | "no key" }
  | { readonly kind: "token"; readonly is: Exclude<TokenState, "sound"> }
  | { readonly kind: "json"; readonly is: "cut" | "array" | "twice" }
  | { readonly kind: "legacy field"; readonly name: string }
  | { readonly kind: "bad key"; readonly value: unknown }
  /** One of the required fields, counted round. */
  | { readonly kind: "missing field"; readonly nth: number }
  /** One of the fields and one of its bad values, counted round. */
  | { readonly kind: "bad field"; readonly nth: number; readonly value: number };

/** Who may ask: see the integrations of a home. */
export const callers = ["everywhere", "limited", "reader", "late", "disabled", "away"] as const;
export type CallerName = (typeof callers)[number];

export interface Draft {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly caller: CallerName;
  /** New, or one of a few that all requests share. */
  readonly key: "new" | number;
  readonly flaws: readonly Flaw[];
}

/** What was sent so many requests before, key and all; spelled otherwise, it still says the same. */
export interface Repetition {
  readonly again: number;
  readonly respelled: boolean;
}

/** What operators do beside partners: make a member inactive or active, or import a sale of some days before. */
export type OperatorDraft =
  | { readonly operator: "deactivate" | "activate"; readonly member: number }
  | {
      readonly operator: "sale";
      readonly member: number;
      readonly daysAgo: number;
      readonly amount: number;
      readonly location: number | undefined;
      readonly reference: string | undefined;
    };

export type Command = Draft | Repetition | OperatorDraft;
/** Sent at the same moment, each over a connection of its own. */
export type Volley = readonly Command[];

/** One of several, each as often as its weight says. */
function mixed<Value>(...parts: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Value>])[]) {
  return fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
/** One of some literals. */
const oneOf = <const Value>(...values: readonly Value[]) => fc.constantFrom(...values);

const reference = (to: Reference["to"], limit = 3): fc.Arbitrary<Reference> =>
  fc.record({
    to: fc.constant(to),
    nth: mixed<Reference["nth"]>([8, fc.nat(limit)], [1, oneOf("of the other business", "of nothing")]),
  });
const contact_id = reference("contact");
const location_id = reference("location", 2);
const name = fc.constantFrom("Ana", "José", "Zoë", "O'Brien", "李", "ana");
const email = fc.constantFrom("ana@example.com", "ANA@example.com", "jose@example.com", "zoe@example.org");
const noEmail = fc.constantFrom(null, "ana@example.com", "ZOE@example.org");
const anyEmail = fc.oneof(email, noEmail);
const reason = fc.constantFrom<unknown>("Ana", "Two\nlines", "", null);
const phoneNumbers = ["+34600000001", "+34600000002", "+34600000003", "+34600000004", "+12025550100"];
const phone_number = fc.constantFrom(...phoneNumbers);
const date_of_birth = fc.constantFrom("1900-01-01", "1990-04-17", "2000-02-29");
// Hashing takes its time: one that is refused tries as much, for the most part.
const password = fc.constantFrom("+34600000001", "ana@example.com", "correct horse battery");
const adjustment_type = fc.constantFrom("credit", "credit", "debit");
const amount = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constantFrom(1_000_000_000_000, 7));
const period = fc.constantFrom("day", "week", "month", "year");
const count = fc.integer({ min: 1, max: 1200 });
const status = fc.constantFrom("active", "inactive");
const paging = { page: fc.integer({ min: 1, max: 3 }), per_page: fc.integer({ min: 1, max: 8 }) };
const day = fc.constantFrom(-5, -4, -3, -2, 2, 5).map((days): DayAway => ({ days }));
const eventTypes = ["wallet_adjustment", "reward_points_adjustment", "sale", "voucher_issued"];
const searches = ["an", "JOSE", "zoe", "+346", "EXAMPLE.com", "a j", "ana ana", "'", "%", "李", "1", ""];
const search = fc.constantFrom(...searches);

type Model = Readonly<Record<string, fc.Arbitrary<unknown>>>;
const some = (model: Model, ...requiredKeys: string[]) =>
  fc.record(model, { requiredKeys }) as fc.Arbitrary<Draft["body"]>;

const person = { first_name: name, last_name: name, phone_number, email };

/** Bodies of which nothing is wrong but, perhaps, what they name. */
const bodies: Readonly<Record<string, fc.Arbitrary<Draft["body"]>>> = {
  "/sp/auth/token": some(
    // Each stands for an integration, or for one that does not exist.
    {
      client_id: fc.nat(6).map((client) => ({ client })),
      client_secret: fc.nat(6).map((secret) => ({ secret })),
    },
    "client_id",
    "client_secret",
  ),
  "/sp/transactions/list": some({
    location_id,
    contact_id,
    event_types: fc.subarray(eventTypes),
    start_date: day,
    end_date: day,
    ...paging,
  }),
  "/sp/members/list": some({ search, include_inactive: fc.boolean(), ...paging }),
  "/sp/members/create": mixed(
    [9, some({ ...person, date_of_birth }, "first_name", "last_name", "phone_number")],
    [1, some({ ...person, password }, "first_name", "last_name", "phone_number", "password")],
  ),
  "/sp/members/update": some(
    { contact_id, first_name: name, last_name: name, email: anyEmail },
    "contact_id",
  ),
  "/sp/members/profile/update": some({ contact_id, ...person, email: anyEmail, date_of_birth }, "contact_id"),
  "/sp/members/password/change": some(
    { contact_id, new_password: password },
    ...["contact_id", "new_password"],
  ),
  "/sp/wallet/adjust": some(
    { contact_id, location_id, amount, adjustment_type, reason },
    ...["contact_id", "location_id", "amount", "adjustment_type"],
  ),
  "/sp/wallet/topup-benefits/create": some(
    { title: name, amount, promo_amount: amount, location_id, status },
    ...["title", "amount", "location_id"],
  ),
  "/sp/wallet/topup-benefits/update": some(
    { benefit_id: reference("benefit"), title: name, promo_amount: amount, status },
    "benefit_id",
  ),
  "/sp/reward-points/adjust": some(
    { contact_id, points: amount, adjustment_type, reason, reference_id: name },
    ...["contact_id", "points", "adjustment_type"],
  ),
  "/sp/reward-settings/update": some({
    enable_rp: fc.boolean(),
    rp_name: name,
    rp_sales_calculation_period: count,
    rp_sales_calculation_period_type: period,
  }),
  "/sp/reward-programs/update": some(
    { program_id: reference("program"), membership_name: name, maximum_points_per_order: count },
    "program_id",
  ),
  "/sp/member-tiers/list": fc.constant({}),
  "/sp/member-tiers/update": some(
    { tier_id: reference("tier"), name, expiry: count, expiry_period: period },
    "tier_id",
  ),
  "/sp/member-tiers/delete": some({ tier_id: reference("tier") }, "tier_id"),
  "/sp/vouchers/get": some({ voucher_id: reference("voucher") }, "voucher_id"),
};

const simple = ["path", "method", "query", "content type", "large", "unknown field", "no key"] as const;
const tokens = ["missing", "of another scheme", "malformed", "forged", "expired"] as const;
const flaw = mixed<Flaw>(
  [4, oneOf(...simple).map((kind) => ({ kind }))],
  [2, oneOf(...tokens).map((is) => ({ kind: "token", is }))],
  [2, oneOf("cut", "array", "twice").map((is) => ({ kind: "json", is }))],
  [1, oneOf(...legacyFields).map((name) => ({ kind: "legacy field", name }))],
  [
    1,
    oneOf<unknown>("", " ", null, "a b", "clé", "k".repeat(256), 5).map((value) => ({
      kind: "bad key",
      value,
    })),
  ],
  [2, fc.nat(3).map((nth) => ({ kind: "missing field", nth }))],
  [6, fc.tuple(fc.nat(9), fc.nat(6)).map(([nth, value]) => ({ kind: "bad field", nth, value }))],
);

const caller = mixed<CallerName>(
  [16, oneOf("everywhere")],
  [5, oneOf("limited")],
  [2, oneOf("away")],
  [1, oneOf("reader", "late", "disabled")],
);

const draftOf = (path: string): fc.Arbitrary<Draft> =>
  fc.record({
    path: fc.constant(path),
    body: bodies[path] as fc.Arbitrary<Draft["body"]>,
    caller,
    key: mixed<Draft["key"]>([4, oneOf("new")], [1, fc.nat(2)]),
    flaws: mixed<readonly Flaw[]>(
      [8, fc.constant([])],
      [1, fc.array(flaw, { minLength: 1, maxLength: 1 })],
      [1, fc.array(flaw, { minLength: 2, maxLength: 4 })],
    ),
  });

/** How often each comes: members and money most of all, passwords seldom. */
const weights: Readonly<Record<string, number>> = {
  "/sp/members/create": 18,
  "/sp/wallet/adjust": 16,
  "/sp/reward-points/adjust": 12,
  "/sp/transactions/list": 12,
  "/sp/members/list": 8,
  "/sp/auth/token": 2,
  "/sp/members/password/change": 1,
};

const member = fc.nat(5);
const operatorDraft: fc.Arbitrary<OperatorDraft> = fc.oneof(
  fc.record({ operator: oneOf("deactivate", "deactivate", "activate"), member }),
  fc.record({
    operator: oneOf("sale"),
    member,
    daysAgo: fc.integer({ min: 3, max: 5 }),
    amount,
    location: oneOf(undefined, 0, 2),
    reference: oneOf(undefined, "receipt-1"),
  }),
);

const command = mixed<Command>(
  ...Object.keys(contract).map((path) => [weights[path] ?? 4, draftOf(path)] as const),
  [12, fc.record({ again: fc.nat(5), respelled: fc.boolean() })],
  [8, operatorDraft],
);

/**
 * A sequence: most volleys are of one command, the others of up to four at once. What is shrunk loses its first
 * elements first; of a sequence, those are the last volleys, which nothing depends on.
 */
export const sequences: fc.Arbitrary<readonly Volley[]> = fc
  .array(
    mixed(
      [3, fc.array(command, { minLength: 1, maxLength: 1 })],
      [2, fc.array(command, { minLength: 2, maxLength: 4 })],
    ),
    { minLength: 1, maxLength: 16, size: "max" },
  )
  .map((volleys) => volleys.toReversed());
