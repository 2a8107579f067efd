/** The partner API as the specification and its decisions have it: each operation's scope and fields, and what they take. */

/** @returns what is wrong with a value, as the code of the failure; undefined for nothing */
type Rule = (value: unknown) => string | undefined;

interface Field {
  readonly rule: Rule;
  /** Of each item, where the value is a list; its place in the list is part of its name. */
  readonly itemRule?: Rule;
  /** Values that the rule refuses. */
  readonly bad: readonly unknown[];
  /** Whether null is a value of its own; otherwise it counts as absent where the field is optional. */
  readonly nullable?: true;
  /** Whether an empty value counts as absent. */
  readonly absentWhenEmpty?: true;
}

/** The same, but null clears it. */
function clearable(field: Field): Field {
  return { ...field, rule: (value) => (value === null ? undefined : field.rule(value)), nullable: true };
}

const unwelcome = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}]/u;

function text(longest: number): Field {
  const rule: Rule = (value) => {
    if (typeof value !== "string") return "invalid_type";
    if (!visible.test(value) && !unwelcome.test(value)) return "too_short";
    if ([...value].length > longest) return "too_long";
    return unwelcome.test(value) ? "invalid_format" : undefined;
  };
  return { rule, bad: [5, "   ", "\u200b", "tab\there", "right\u202eleft", "x".repeat(longest + 1)] };
}

function integer(smallest: number, largest: number): Field {
  const rule: Rule = (value) => {
    if (typeof value !== "number" || !Number.isInteger(value)) return "invalid_type";
    return value < smallest || value > largest ? "out_of_range" : undefined;
  };
  return { rule, bad: ["5", 5.5, true, [], smallest - 1, largest + 1] };
}

function choice(...allowed: readonly string[]): Field {
  const rule: Rule = (value) => {
    if (typeof value !== "string") return "invalid_type";
    return allowed.includes(value) ? undefined : "not_allowed_value";
  };
  return { rule, bad: ["other", `${allowed[0]} `, 1] };
}

const flag: Field = {
  rule: (value) => (typeof value === "boolean" ? undefined : "invalid_type"),
  bad: ["true", 1],
};

/** Texts that either have the form or have it not; what is wrong with the others is told by the values chosen. */
function formed(form: RegExp, bad: readonly unknown[]): Field {
  const rule: Rule = (value) => {
    if (typeof value !== "string") return "invalid_type";
    return form.test(value) ? undefined : "invalid_format";
  };
  return { rule, bad };
}

const phoneNumber = formed(/^\+[1-9]\d{6,14}$/, ["0034600111", "34600111222", "+34 600 111 222", 34_600_111]);
const email = formed(/^[^@\s]+@[^@\s]+\.[^@\s]+$/, [
  "ana.example.com",
  "ana@example",
  "a b@example.com",
  false,
]);

function isRealDay(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function day(from: string, to: string, bad: readonly unknown[]): Field {
  const rule: Rule = (value) => {
    if (typeof value !== "string") return "invalid_type";
    if (!isRealDay(value)) return "invalid_format";
    return value < from || value > to ? "out_of_range" : undefined;
  };
  return { rule, bad: ["2026-13-01", "2023-02-29", "17/04/2026", 20_260_101, ...bad] };
}

const anyDay = day("0001-01-01", "9999-12-31", []);
// Far enough from today to be on one side of it wherever the run takes place.
const birthday = day("1900-01-01", "2900-01-01", ["1899-12-31", "2999-01-01"]);

const password: Field = {
  rule: (value) => {
    if (typeof value !== "string") return "invalid_type";
    const length = [...value].length;
    if (length < 8) return "too_short";
    if (length > 128) return "too_long";
    return value === "password123" ? "not_allowed_value" : undefined;
  },
  bad: ["short", "x".repeat(129), "password123", 12_345_678],
};

const eventTypeNames = [
  ...["wallet_adjustment", "wallet_topup", "wallet_payment"],
  ...["reward_points_adjustment", "reward_points_earned", "reward_points_redeemed", "reward_points_expired"],
  ...["voucher_issued", "voucher_redeemed", "voucher_reversed", "sale", "sale_refund"],
];

const eventType = choice(...eventTypeNames);

const eventTypes: Field = {
  rule: (value) => (Array.isArray(value) ? undefined : "invalid_type"),
  itemRule: eventType.rule,
  absentWhenEmpty: true,
  bad: [["refund"], "sale", ["sale", "refund"], [1, "sale"]],
};

const key: Field = {
  rule: (value) => {
    if (typeof value !== "string") return "invalid_type";
    if (value.length > 255) return "too_long";
    return /^[\x21-\x7e]+$/.test(value) ? undefined : "invalid_format";
  },
  bad: [],
};

export interface Operation {
  /** Undefined for the one that issues tokens. */
  readonly scope?: string;
  readonly writes: boolean;
  readonly fields: Readonly<Record<string, Field>>;
  readonly required: readonly string[];
  /** Of an update: one of the fields that are not required must be there. */
  readonly updates?: boolean;
}

type Fields = Operation["fields"];
type Body = Readonly<Record<string, unknown>>;

const read = (scope: string, fields: Fields, required: readonly string[] = []): Operation => ({
  scope,
  writes: false,
  fields,
  required,
});
const write = (scope: string, fields: Fields, required: readonly string[]): Operation => ({
  scope,
  writes: true,
  fields: { idempotency_key: key, ...fields },
  required,
});
const update = (scope: string, fields: Fields, required: readonly string[]): Operation => ({
  ...write(scope, fields, required),
  updates: true,
});

const id = integer(1, Number.MAX_SAFE_INTEGER);
const page = { page: id, per_page: integer(1, 100) };
const reason: Field = {
  rule: (value) => text(500).rule(typeof value === "string" ? value.replaceAll("\n", " ") : value),
  bad: [5, "   ", "\n", "tab\there", "x".repeat(501)],
  absentWhenEmpty: true,
};
const amount = integer(1, 1_000_000_000_000);
const promoAmount = integer(0, 1_000_000_000_000);
const status = choice("active", "inactive");
const period = choice("day", "week", "month", "year");
const periods = integer(1, 1200);
const person = { first_name: text(255), last_name: text(255), email };
const profile = { ...person, phone_number: phoneNumber, date_of_birth: birthday };
const clearablePerson = { ...person, email: clearable(email) };
const clearableProfile = { ...profile, email: clearable(email), date_of_birth: clearable(birthday) };
const adjustment = { contact_id: id, adjustment_type: choice("credit", "debit"), reason };

export const contract: Readonly<Record<string, Operation>> = {
  "/sp/auth/token": {
    writes: false,
    fields: { client_id: text(255), client_secret: text(255) },
    required: ["client_id", "client_secret"],
  },
  "/sp/transactions/list": read("wa.wallet.read", {
    location_id: id,
    contact_id: id,
    event_types: eventTypes,
    start_date: anyDay,
    end_date: anyDay,
    ...page,
  }),
  "/sp/members/list": read("wa.members.read", {
    search: { ...text(100), absentWhenEmpty: true },
    include_inactive: flag,
    ...page,
  }),
  "/sp/members/create": write("wa.members.write", { ...profile, password }, [
    "first_name",
    "last_name",
    "phone_number",
  ]),
  "/sp/members/update": update("wa.members.write", { contact_id: id, ...clearablePerson }, ["contact_id"]),
  "/sp/members/profile/update": update("wa.members.write", { contact_id: id, ...clearableProfile }, [
    "contact_id",
  ]),
  "/sp/members/password/change": write("wa.members.write", { contact_id: id, new_password: password }, [
    "contact_id",
    "new_password",
  ]),
  "/sp/wallet/adjust": write("wa.wallet.write", { ...adjustment, location_id: id, amount }, [
    "contact_id",
    "adjustment_type",
    "location_id",
    "amount",
  ]),
  "/sp/wallet/topup-benefits/create": write(
    "wa.wallet.write",
    { title: text(255), amount, promo_amount: promoAmount, location_id: id, status },
    ["title", "amount", "location_id"],
  ),
  "/sp/wallet/topup-benefits/update": update(
    "wa.wallet.write",
    { benefit_id: id, title: text(255), promo_amount: promoAmount, status },
    ["benefit_id"],
  ),
  "/sp/reward-points/adjust": write(
    "wa.rewards.write",
    { ...adjustment, points: amount, reference_id: text(255) },
    ["contact_id", "adjustment_type", "points"],
  ),
  "/sp/reward-settings/update": update(
    "wa.rewards.write",
    {
      enable_rp: flag,
      rp_name: text(255),
      rp_sales_calculation_period: periods,
      rp_sales_calculation_period_type: period,
    },
    [],
  ),
  "/sp/reward-programs/update": update(
    "wa.rewards.write",
    { program_id: id, membership_name: text(255), maximum_points_per_order: integer(0, 1_000_000_000) },
    ["program_id"],
  ),
  "/sp/member-tiers/list": read("wa.tiers.read", {}),
  "/sp/member-tiers/update": update(
    "wa.tiers.write",
    { tier_id: id, name: text(255), expiry: periods, expiry_period: period },
    ["tier_id"],
  ),
  "/sp/member-tiers/delete": write("wa.tiers.write", { tier_id: id }, ["tier_id"]),
  "/sp/vouchers/get": read("wa.vouchers.read", { voucher_id: id }, ["voucher_id"]),
};

/** What an operation gets of a body: without what counts as absent. */
export function inputOf({ fields, required, writes }: Operation, body: Body): Body {
  const kept = Object.entries(body).filter(([name, value]) => {
    if (name === "idempotency_key") return writes;
    const field = fields[name];
    if (field === undefined || required.includes(name)) return true;
    if (value === null) return field.nullable === true;
    const empty = value === "" || (Array.isArray(value) && value.length === 0);
    return !(empty && field.absentWhenEmpty);
  });
  return Object.fromEntries(kept);
}

export const allScopes = [
  ...new Set(Object.values(contract).flatMap(({ scope }) => (scope === undefined ? [] : [scope]))),
];

/** Names of older interfaces, refused wherever an operation does not declare them. */
export const legacyFields = [
  ...["business_id", "integration_id", "member_id", "customer_id", "api_key", "api_token", "access_token"],
  ...["token", "client_id", "client_secret"],
];
