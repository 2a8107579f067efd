/** The partner API from the specification and its decisions: the scope and the fields of each operation, and valid values. */
import fc from "fast-check";

export type Body = Readonly<Record<string, unknown>>;

/** Stands for the id of a record of the caller's business, counted round those that exist when the request is sent. */
export interface Reference {
  readonly to: "contact" | "benefit" | "tier" | "program" | "voucher" | "location";
  readonly nth: number | "of the other business" | "of nothing";
}

interface Field {
  /** Values that are valid by themselves. An undefined value is left out. */
  readonly values: fc.Arbitrary<unknown>;
  readonly required?: true;
  /** Null is a value. Otherwise it counts as absent if the field is optional. */
  readonly nullable?: true;
  /** An empty value counts as absent. */
  readonly absentWhenEmpty?: true;
}

export interface Operation {
  /** Undefined for the operation that issues tokens. */
  readonly scope: string | undefined;
  readonly kind: "read" | "write" | "update";
  readonly fields: Readonly<Record<string, Field>>;
}

const some = (...values: readonly unknown[]): Field => ({ values: fc.constantFrom(...values) });
const whole = (min: number, max: number): Field => ({ values: fc.integer({ min, max }) });
const must = (field: Field): Field => ({ ...field, required: true });
const emptyIsAbsent = (field: Field): Field => ({ ...field, absentWhenEmpty: true });
const clearable = (field: Field): Field => ({
  values: fc.oneof(field.values, fc.constant(null)),
  nullable: true,
});
const reference = (to: Reference["to"], limit = 3): Field => ({
  values: fc.record<Reference>({
    to: fc.constant(to),
    nth: fc.oneof(
      { weight: 8, arbitrary: fc.nat(limit) },
      { weight: 1, arbitrary: fc.constantFrom("of the other business", "of nothing") },
    ),
  }),
});

const contact_id = must(reference("contact"));
const location_id = must(reference("location", 2));
const name = some("Ana", "José", "Zoë", "O'Brien", "李", "ana");
const email = some("ana@example.com", "ANA@example.com", "jose@example.com", "ZOE@example.org");
const phone_number = some("+34600000001", "+34600000002", "+34600000003", "+34600000004", "+12025550100");
const date_of_birth = some("1900-01-01", "1990-04-17", "2000-02-29");
const password = some("+34600000001", "ana@example.com", "correct horse battery");
const amount: Field = {
  values: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constantFrom(1_000_000_000_000, 7)),
};
const period = some("day", "week", "month", "year");
const count = whole(1, 1200);
const status = some("active", "inactive");
const page = { page: whole(1, 3), per_page: whole(1, 8) };
/** A day relative to the one on which the sequence began. */
const day: Field = { values: fc.constantFrom(-5, -4, -3, -2, 2, 5).map((days) => ({ days })) };
const eventTypes = ["wallet_adjustment", "reward_points_adjustment", "sale", "voucher_issued"];
const searches = ["an", "JOSE", "zoe", "+346", "EXAMPLE.com", "a j", "ana ana", "'", "%", "李", "1", ""];
const reason = emptyIsAbsent(some("Ana", "Two\nlines", "", null));
const adjustment = { contact_id, adjustment_type: must(some("credit", "credit", "debit")), reason };
const changes = { contact_id, first_name: name, last_name: name, email: clearable(email) };

type Fields = Operation["fields"];
const read = (scope: string | undefined, fields: Fields): Operation => ({ scope, kind: "read", fields });
const write = (scope: string, fields: Fields): Operation => ({ scope, kind: "write", fields });
/** At least one field that is not required must be present. */
const update = (scope: string, fields: Fields): Operation => ({ scope, kind: "update", fields });

export const contract: Readonly<Record<string, Operation>> = {
  "/sp/auth/token": read(undefined, {
    // Each number stands for an integration, or for one that does not exist.
    client_id: must({ values: fc.nat(6).map((client) => ({ client })) }),
    client_secret: must({ values: fc.nat(6).map((secret) => ({ secret })) }),
  }),
  "/sp/transactions/list": read("wa.wallet.read", {
    location_id: reference("location", 2),
    contact_id: reference("contact"),
    event_types: emptyIsAbsent({ values: fc.subarray(eventTypes) }),
    start_date: day,
    end_date: day,
    ...page,
  }),
  "/sp/members/list": read("wa.members.read", {
    search: emptyIsAbsent(some(...searches)),
    include_inactive: some(true, false),
    ...page,
  }),
  "/sp/members/create": write("wa.members.write", {
    first_name: must(name),
    last_name: must(name),
    phone_number: must(phone_number),
    email,
    date_of_birth,
    // Seldom, because hashing takes long.
    password: { values: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, password.values) },
  }),
  "/sp/members/update": update("wa.members.write", changes),
  "/sp/members/profile/update": update("wa.members.write", {
    ...changes,
    phone_number,
    date_of_birth: clearable(date_of_birth),
  }),
  "/sp/members/password/change": write("wa.members.write", { contact_id, new_password: must(password) }),
  "/sp/wallet/adjust": write("wa.wallet.write", { ...adjustment, location_id, amount: must(amount) }),
  "/sp/wallet/topup-benefits/create": write("wa.wallet.write", {
    title: must(name),
    amount: must(amount),
    promo_amount: amount,
    location_id,
    status,
  }),
  "/sp/wallet/topup-benefits/update": update("wa.wallet.write", {
    benefit_id: must(reference("benefit")),
    title: name,
    promo_amount: amount,
    status,
  }),
  "/sp/reward-points/adjust": write("wa.rewards.write", {
    ...adjustment,
    points: must(amount),
    reference_id: name,
  }),
  "/sp/reward-settings/update": update("wa.rewards.write", {
    enable_rp: some(true, false),
    rp_name: name,
    rp_sales_calculation_period: count,
    rp_sales_calculation_period_type: period,
  }),
  "/sp/reward-programs/update": update("wa.rewards.write", {
    program_id: must(reference("program")),
    membership_name: name,
    maximum_points_per_order: count,
  }),
  "/sp/member-tiers/list": read("wa.tiers.read", {}),
  "/sp/member-tiers/update": update("wa.tiers.write", {
    tier_id: must(reference("tier")),
    name,
    expiry: count,
    expiry_period: period,
  }),
  "/sp/member-tiers/delete": write("wa.tiers.write", { tier_id: must(reference("tier")) }),
  "/sp/vouchers/get": read("wa.vouchers.read", { voucher_id: must(reference("voucher")) }),
};

export const allScopes = [...new Set(Object.values(contract).flatMap(({ scope }) => scope ?? []))];

/** Fields of older interfaces, rejected by each operation that does not declare them. */
export const legacyFields = [
  ...["business_id", "integration_id", "member_id", "customer_id", "api_key", "api_token", "access_token"],
  ...["token", "client_id", "client_secret"],
];

/** The body of valid values. */
export function bodyOf({ fields }: Operation): fc.Arbitrary<Body> {
  const values = Object.fromEntries(Object.entries(fields).map(([field, { values: each }]) => [field, each]));
  const requiredKeys = Object.keys(fields).filter((field) => fields[field]?.required);
  return fc.record<Record<string, unknown>, string>(values, { requiredKeys });
}

/** The fields of a body that an operation gets: without those that count as absent. */
export function inputOf({ fields, kind }: Operation, body: Body): Body {
  const present = Object.entries(body).filter(([field, value]) => {
    if (field === "idempotency_key") return kind !== "read";
    const { required, nullable, absentWhenEmpty } = fields[field] ?? { required: true };
    if (required) return true;
    if (value === null) return nullable === true;
    return !(absentWhenEmpty && (value === "" || (Array.isArray(value) && value.length === 0)));
  });
  return Object.fromEntries(present);
}
