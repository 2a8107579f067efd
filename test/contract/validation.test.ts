/** What the fields of every operation may hold: the table of fields first, then each field of each operation. */
import { beforeAll, describe, expect, it } from "vitest";
import type { FieldErrorCode } from "../../src/contract/field-errors.ts";
import { bodyOf } from "../../src/contract/operation.ts";
import { eventNames, eventPatterns } from "../../src/domain/events.ts";
import { eventTypeNames } from "../../src/domain/ledger.ts";
import type { Body, Records } from "../support/engine-requests.ts";
import { daysFromToday, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();

let records: Records;
beforeAll(async () => {
  records = await makeRecords(world, world.home);
});

let serials = 0;
/** Small, and never the same twice. */
function serial(): number {
  serials += 1;
  return serials;
}

/** The same, but an empty text counts as absent. */
function withEmpty({ accepted, rejected }: Rule): Rule {
  return {
    accepted: [...accepted, ""],
    rejected: { ...rejected, too_short: rejected.too_short?.filter((value) => value !== "") ?? [] },
  };
}

interface Rule {
  /** Values that are just acceptable; a function where each must be new. */
  readonly accepted: readonly (unknown | (() => unknown))[];
  readonly rejected: Partial<Record<FieldErrorCode, readonly unknown[]>>;
}

const safest = Number.MAX_SAFE_INTEGER;

function integer(minimum: number, maximum: number): Rule {
  return {
    accepted: [minimum, maximum],
    rejected: {
      invalid_type: [`${minimum}`, minimum + 0.5, true, [minimum], {}, ""],
      out_of_range: [minimum - 1, -minimum - 1, maximum + 1, 1e300],
    },
  };
}

const unwelcomeText = [
  "a\nb",
  "a\rb",
  "a\tb",
  "a\u202eb",
  "\u2066a",
  "\u0000",
  "a\u007f",
  "a\u0085",
  "a\u2028b",
  "\ud800",
  "a\udc00b",
];
const blankText = ["", " ", " \u00a0\u3000", "\u200b", "\u2060\ufeff \u00ad", "\u3164", "\u2800", "\u200f"];
const noText = [5, true, ["text"], {}];

function text(maximum: number): Rule {
  return {
    accepted: ["a", "a".repeat(maximum), "😀".repeat(maximum), "O'Neill; DROP TABLE member --", '%_\\"<b>'],
    rejected: {
      invalid_type: noText,
      too_short: blankText,
      too_long: ["a".repeat(maximum + 1), "😀".repeat(maximum + 1), "e\u0301".repeat(maximum / 2 + 1)],
      invalid_format: unwelcomeText,
    },
  };
}

/** Marks of direction come with what was pasted, and are passed over. */
function pastedText(maximum: number): Rule {
  const { accepted, rejected } = text(maximum);
  const marked = unwelcomeText.filter((value) => /[\u202e\u2066]/.test(value));
  return {
    accepted: [...accepted, ...marked],
    rejected: { ...rejected, invalid_format: unwelcomeText.filter((value) => !marked.includes(value)) },
  };
}

function oneOf(values: readonly string[]): Rule {
  return {
    accepted: values,
    rejected: {
      invalid_type: noText,
      not_allowed_value: ["", "nonsense", values[0]!.toUpperCase(), ` ${values[0]}`, "constructor"],
    },
  };
}

const boolean: Rule = {
  accepted: [true, false],
  rejected: { invalid_type: ["true", "", 0, 1, [true], {}] },
};

const id = integer(1, safest);
const days = {
  invalid_type: noText,
  invalid_format: [
    ...["2023-02-29", "2024-02-30", "1900-02-29", "2024-04-31", "2024-13-01", "2024-00-10", "2024-01-00"],
    ...[
      "0000-01-01",
      "2024-1-1",
      "24-01-01",
      "20240101",
      "01/02/2024",
      "2024-01-01T00:00:00Z",
      "+2024-01-01",
    ],
    ...["2024-01-01 ", "2024-01-01\n", "today", "２０２４-01-01", "٢٠٢٤-01-01"],
  ],
};
const utcTime: Rule = {
  accepted: ["2024-02-29", "2024-02-29 23:59:59"],
  rejected: {
    invalid_type: noText,
    too_short: ["", "2024-1-1"],
    too_long: ["2024-01-01T00:00:00Z", "2024-01-01 00:00:00.5"],
    invalid_format: ["2023-02-29", "2024-01-01 24:00:00", "2024-01-01T00:00:00", "2024-01-01 00:00"],
  },
};
const password: Rule = {
  accepted: [
    ...["correct horse battery staple", "😀".repeat(8), "é".repeat(128), "xK4 §ñ~<&`%", "        x"],
  ],
  rejected: {
    invalid_type: noText,
    too_short: ["", "xK4ñ§~q", "😀".repeat(7), " ".repeat(8)],
    too_long: ["x".repeat(129), "😀".repeat(129)],
    invalid_format: ["long enough\u0000", "long\nenough", "\ud800".repeat(8)],
    not_allowed_value: ["password", "PassWord", "12345678", "qwertyuiop", "ｐａｓｓｗｏｒｄ"],
  },
};

/** The number of a card that a business has. */
const ownNumber: Rule = {
  accepted: [
    () => `${serial()}`.padStart(6, "0"),
    () => ` ${"l".repeat(20)}-${serial()} `.padEnd(64, " -"),
    () => `${serial()}`.padEnd(32, "~"),
  ],
  rejected: {
    ...pastedText(64).rejected,
    invalid_format: [
      ...(pastedText(64).rejected.invalid_format ?? []),
      ...["12345", "1-2 3 4–5", "CAFÉ 0004711", "x".repeat(33), "- - - -"],
    ],
  },
};

/** What each field may hold, in whatever operation it stands. */
const rules: Record<string, Rule> = {
  idempotency_key: {
    accepted: [
      () => nextKey(),
      () => nextKey().padEnd(255, "x"),
      () => `Order ${nextKey()}  -0018`,
      () => `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~${nextKey()}`,
    ],
    rejected: {
      invalid_type: noText,
      too_long: ["k".repeat(256)],
      invalid_format: ["a ", " a", "clé", "a\n", "a\tb", "a\u00a0b", "a\u0000", "a\u007f", "\ud800"],
    },
  },
  contact_id: id,
  from_contact_id: id,
  location_id: id,
  benefit_id: id,
  promotion_id: id,
  program_id: id,
  tier_id: id,
  voucher_id: id,
  client_id: text(255),
  client_secret: text(255),
  first_name: text(255),
  last_name: text(255),
  title: text(255),
  rp_name: text(255),
  membership_name: text(255),
  name: text(255),
  reference_id: withEmpty(text(255)),
  reason: withEmpty({
    accepted: [...text(500).accepted, "Two\nlines\n", "👩\u200d👩\u200d👧"],
    rejected: {
      ...text(500).rejected,
      invalid_format: [...unwelcomeText.filter((value) => value !== "a\nb"), "a\r\nb", "a\n\u202eb"],
      too_short: [...blankText, "\n", " \n "],
    },
  }),
  search: withEmpty(pastedText(100)),
  phone_number: {
    accepted: [() => `+${(7_000_000 + serial()).toString()}`, () => `+${(10 ** 14 + serial()).toString()}`],
    rejected: {
      invalid_type: [...noText, 34600111222],
      too_short: ["", "+123456"],
      too_long: ["+1234567890123456"],
      invalid_format: [
        ...["34600111222", "0034600111222", "+0600111222", "+34 600 111 222", "+34-600-111", "+34600111x"],
        ...["++34600111", "+34600111222\n", " +34600111222", "＋34600111222", "+٣٤٦٠٠١١١٢٢٢", "+34600,111"],
      ],
    },
  },
  email: {
    accepted: [
      () => `${serial()}@b.co`,
      () => longEmail(254),
      () => `o'neill+${serial()}.x_y@a-b.example.com`,
    ],
    rejected: {
      invalid_type: noText,
      too_short: ["", "a@"],
      too_long: [longEmail(255)],
      invalid_format: [
        ...["ana", "ana@", "@example.com", "ana@example", "ana@@example.com", "a b@example.com", "ana@.com"],
        ...["ana@example.com\n", " ana@example.com", "ana@-a.com", "ana@a-.com", "ana@exämple.com"],
        ...["josé@example.com", "Ana <ana@example.com>", "ana@example..com", `${"a".repeat(65)}@example.com`],
        ...[`ana@${"a".repeat(64)}.com`, "ana@[127.0.0.1]", "a,b@example.com", "\ud800@example.com"],
      ],
    },
  },
  date_of_birth: {
    accepted: ["1900-01-01", "2000-02-29", daysFromToday(-2)],
    rejected: { ...days, out_of_range: ["1899-12-31", "0001-01-01", daysFromToday(2), "9999-12-31"] },
  },
  password,
  new_password: password,
  amount: integer(1, 10 ** 12),
  points: integer(1, 10 ** 12),
  promo_amount: integer(0, 10 ** 12),
  maximum_points_per_order: integer(0, 10 ** 9),
  expiry: integer(1, 1200),
  rp_sales_calculation_period: integer(1, 1200),
  adjustment_type: oneOf(["credit", "debit"]),
  status: oneOf(["active", "inactive"]),
  expiry_period: oneOf(["day", "week", "month", "year"]),
  rp_sales_calculation_period_type: oneOf(["day", "week", "month", "year"]),
  enable_rp: boolean,
  include_inactive: boolean,
  dry_run: boolean,
  event_types: {
    accepted: [["sale"], eventTypeNames, ["sale", "sale"], []],
    rejected: {
      invalid_type: ["sale", {}, 5],
      too_long: [[...eventTypeNames, "sale"]],
    },
  },
  types: {
    accepted: [["*"], eventPatterns, ["sale.*", "sale.*"], []],
    rejected: { invalid_type: ["sale.*", {}, 5], too_long: [[...eventPatterns, "*"]] },
  },
  // There are no events yet.
  after: { ...integer(0, 2 ** 53 - 1), accepted: [0] },
  before: integer(0, 2 ** 53 - 1),
  limit: integer(1, 100),
  start_date: { accepted: ["0001-01-01", "2024-02-29", daysFromToday(0)], rejected: days },
  end_date: { accepted: ["9999-12-31", daysFromToday(0)], rejected: days },
  // Which lines a sale and a refund accept is tried in test/engine/sale-lines.test.ts.
  lines: { accepted: [], rejected: { invalid_type: ["1", {}, 5], too_short: [[]] } },
  eligible_amount: { ...integer(0, 10 ** 12), accepted: [0, 1] },
  use_points: integer(0, 10 ** 12),
  use_wallet: integer(0, 10 ** 12),
  sale_id: id,
  redemption_id: id,
  movement_id: id,
  held_voucher_id: id,
  coupon_code: text(255),
  code: pastedText(64),
  card_code: pastedText(64),
  referral_code: pastedText(64),
  new_card_code: ownNumber,
  kind: oneOf(["app", "plastic"]),
  use_codes: {
    accepted: [[], ["SUMMER 20"], ["a", "b", "c", "d", "e"]],
    rejected: { invalid_type: [1, "1", {}], too_long: [["a", "b", "c", "d", "e", "f"]] },
  },
  use_vouchers: {
    // Whether the member holds them is decided later.
    accepted: [[], [1], Array.from({ length: 10 }, (_, index) => index + 1)],
    rejected: {
      invalid_type: [1, "1", {}],
      too_long: [Array.from({ length: 11 }, (_, index) => index + 1)],
    },
  },
  include_closed: boolean,
  include_archived: boolean,
  replace: boolean,
  external_ref: text(255),
  // Whether a day is too early or too late is decided when the sale is recorded.
  sold_on: { accepted: [daysFromToday(0)], rejected: days },
  // Whether it has come is decided when the sale is recorded.
  sold_at: {
    accepted: ["00:00"],
    rejected: {
      invalid_type: noText,
      invalid_format: ["", "24:00", "9:30", "09:60", "09-30"],
      too_long: ["09:30:00"],
    },
  },
  operation: {
    accepted: ["/sp/sales/record", "/op/status/get"],
    rejected: {
      invalid_type: noText,
      too_short: ["", "/sp"],
      too_long: [`/sp/${"a".repeat(100)}`],
      invalid_format: ["sp/sales/record", "/sp/Sales/record", "/sp/sales/record "],
      not_allowed_value: ["/sp/sales", "/sp/sales/record/"],
    },
  },
  error_code: {
    accepted: ["validation_failed", "rate_limited"],
    rejected: {
      invalid_type: noText,
      too_short: [""],
      too_long: ["a".repeat(101)],
      invalid_format: ["Validation failed", "validation-failed"],
      not_allowed_value: ["validation", "constructor"],
    },
  },
  since: utcTime,
  until: utcTime,
  page: integer(1, safest),
  per_page: integer(1, 100),
};

function longEmail(length: number): string {
  const domain = `@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.`;
  const local = String(serial()).padStart(50, "a");
  return local + domain + "e".repeat(length - local.length - domain.length);
}

/** The body with every other field as it should be, so that only this one can be rejected. */
async function failuresOf(path: string, body: Body): Promise<{ field: string; code: string }[]> {
  const token = path === "/sp/auth/token" ? undefined : await world.token();
  const { body: response } = await world.call(path, body, { token });
  if (response.success || response.error.code !== "validation_failed") return [];
  return response.error.details.errors.map(({ field, code }: { field: string; code: string }) => ({
    field,
    code,
  }));
}

/** A phone number that finds a member can be written as people do. */
const writtenPhoneNumber: (typeof rules)[string] = {
  accepted: ["+34600111222", "+34 600-111.222", "0034 (600) 111 222", " +34600111222", "＋34600111222"],
  rejected: {
    invalid_type: [...noText, 34600111222],
    too_short: ["", " "],
    too_long: [`+34600111222${" ".repeat(50)}`],
    country_code_missing: ["600111222"],
    invalid_format: ["+123456", "+0600111222", "+34600111x", "++34600111", "+34600111222\n", "+34600,111"],
  },
};
const voucherStatus = oneOf(["held", "redeemed", "lapsed", "returned"]);
const moment: Rule = {
  accepted: ["2026-01-01", "2026-01-01 12:00:00"],
  rejected: {
    invalid_type: noText,
    too_short: ["", "2026-1-1"],
    too_long: ["2026-01-01 12:00:00 "],
    invalid_format: ["2026-02-30", "2026-01-01 25:00:00", "01/02/2026 12"],
  },
};
const header = { name: "X-Key", value: "abc" };
/** What fields of operations on webhooks may hold. Their URLs and headers have tests of their own. */
const webhookRules: Record<string, Rule> = {
  url: {
    accepted: ["https://receiver.invalid", `https://receiver.invalid/${"x".repeat(1975)}`],
    rejected: {
      invalid_type: noText,
      too_short: [""],
      too_long: [`https://receiver.invalid/${"x".repeat(1976)}`],
      invalid_format: ["https://receiver.invalid/a b", "https://bücher.example/"],
      not_allowed_value: ["receiver.invalid", "http://receiver.invalid/", "https://localhost/"],
    },
  },
  types: {
    accepted: [["*"], eventPatterns],
    rejected: {
      invalid_type: ["sale.*", {}, 5],
      too_short: [[]],
      too_long: [[...eventPatterns, "*"]],
      not_allowed_value: [["sale.*", "sale.*"]],
    },
  },
  description: { ...text(255), accepted: [...text(255).accepted, null] },
  headers: {
    accepted: [[], [header], Array.from({ length: 16 }, (_, index) => ({ ...header, name: `X-${index}` }))],
    rejected: { invalid_type: ["X-Key: abc", {}, 5], too_long: [Array.from({ length: 17 }, () => header)] },
  },
  max_in_flight: integer(1, 32),
  ordered: boolean,
  endpoint_id: id,
  event_no: { ...id, accepted: [1] },
  from: oneOf(["stopped", "now"]),
  type: oneOf(eventNames),
  overlap_seconds: integer(0, 604_800),
  status: oneOf(["delivered", "failed"]),
  since: moment,
  until: moment,
  before: {
    accepted: ["1776410999123456.812"],
    rejected: {
      invalid_type: noText,
      too_short: [""],
      too_long: [`1.${"1".repeat(39)}`],
      invalid_format: ["1", "1.", "a.1"],
    },
  },
  only_failed: boolean,
};

/** A cursor is accepted by the list that has made it; the tests of lists do that. */
const cursorRule = {
  accepted: [],
  rejected: {
    invalid_type: noText,
    too_short: [""],
    too_long: ["a".repeat(501)],
    invalid_format: ["a b", "YQ=="],
    not_allowed_value: ["a", "WyIxIl0"],
  },
};

const rulesOf = (path: string, field: string) => {
  if (path !== "/sp/events/list" && field === "after") return cursorRule;
  if (path.startsWith("/sp/webhook-") && field in webhookRules) return webhookRules[field]!;
  if (path === "/sp/members/find" && field === "phone_number") return writtenPhoneNumber;
  if (path === "/sp/members/find" && field === "external_ref") return pastedText(255);
  if (["/sp/cards/create", "/sp/cards/issue"].includes(path) && field === "card_code") return ownNumber;
  if (path === "/sp/vouchers/redeem" && field === "coupon_code") return pastedText(255);
  if (path === "/sp/requests/list" && field === "status") return integer(200, 599);
  return path === "/sp/vouchers/list" && field === "status" ? voucherStatus : rules[field]!;
};

/** Fields by their name and schema. Every value is tried on the first of each, and one value of each kind on the others. */
const tried = new Set<string>();

describe.each(operationsInRealTime)("$path", (operation) => {
  const { path } = operation;
  const { properties, required = [] } = bodyOf(operation) as never as {
    properties: Record<string, object>;
    required?: string[];
  };
  const sound = () => validBody(operation, world.home, records);
  const fields = Object.keys(properties);
  const triedBefore = new Set(fields.filter((field) => tried.has(field + JSON.stringify(properties[field]))));
  for (const field of fields) tried.add(field + JSON.stringify(properties[field]));
  const some = <Value>(field: string, values: readonly Value[]) =>
    triedBefore.has(field) ? values.slice(-1) : values;

  it.each(fields)("accepts what %s may hold", async (field) => {
    for (const value of some(field, rulesOf(path, field).accepted)) {
      const body = { ...sound(), [field]: typeof value === "function" ? value() : value };
      // A range of days is checked as a whole elsewhere.
      if (field === "start_date") Reflect.deleteProperty(body, "end_date");
      if (field === "end_date") Reflect.deleteProperty(body, "start_date");
      if (field === "since") Reflect.deleteProperty(body, "until");
      if (field === "until" && required.includes("since")) body.since = "2000-01-01";
      else if (field === "until") Reflect.deleteProperty(body, "since");
      // So is what of an amount can earn, and that a member is found by one field.
      if (field === "amount") Reflect.deleteProperty(body, "eligible_amount");
      if (path === "/sp/members/find" && field !== "phone_number")
        Reflect.deleteProperty(body, "phone_number");
      const { onlyOneOf = operation.exactlyOneOf ?? [] } = operation;
      for (const other of onlyOneOf.includes(field) ? onlyOneOf : []) {
        if (other !== field) Reflect.deleteProperty(body, other);
      }
      expect(await failuresOf(path, body), JSON.stringify(body[field])).toEqual([]);
    }
  });

  const rejections = fields.flatMap((field) =>
    Object.entries(rulesOf(path, field).rejected).map(([code, values]) => ({
      field,
      code,
      values: some(field, values),
    })),
  );
  it.each(rejections)("rejects what $field may not hold: $code", async ({ field, code, values }) => {
    for (const value of values) {
      const failures = await failuresOf(path, { ...sound(), [field]: value });
      expect(failures, JSON.stringify(value)).toEqual([{ field, code }]);
    }
  });

  it("asks for all that is required at once", async () => {
    const body = "idempotency_key" in properties ? { idempotency_key: nextKey() } : {};
    const alternative = operation.exactlyOneOf?.[0] ?? [];
    const missing = [...required, alternative].flat().filter((name) => name !== "idempotency_key");
    const failures = (await failuresOf(path, body)).filter(({ code }) => code !== "no_fields_to_update");
    // Any one of three fields is required.
    if (path === "/sp/members/find") missing.push("");
    expect(failures).toEqual(missing.map((field) => ({ field, code: "required" })));
  });

  it("does without what is optional", async () => {
    const body = sound();
    const kept = new Set([...required, operation.atLeastOneOf?.[0], operation.exactlyOneOf?.[0]]);
    const minimal = Object.fromEntries(Object.entries(body).filter(([name]) => kept.has(name)));
    expect(await failuresOf(path, minimal)).toEqual([]);
  });

  it.each(required.filter((name) => name !== "idempotency_key"))("rejects null for %s", async (field) => {
    expect(await failuresOf(path, { ...sound(), [field]: null })).toEqual([{ field, code: "invalid_type" }]);
  });

  it("takes null for what is optional", async () => {
    const body = sound();
    const kept = new Set([...required, operation.atLeastOneOf?.[0], operation.exactlyOneOf?.[0]]);
    const nulls = fields.map((name) => [name, kept.has(name) ? body[name] : null]);
    expect(await failuresOf(path, Object.fromEntries(nulls))).toEqual([]);
  });

  it("reports every failure at once", async () => {
    const wrong = Object.fromEntries(fields.map((name) => [name, name === "idempotency_key" ? 5 : {}]));
    const failures = await failuresOf(path, { ...wrong, nonsense: 1, "": 2 });
    expect(new Set(failures.map(({ field, code }) => `${field}: ${code}`))).toEqual(
      new Set([
        ...fields.map((name) => `${name}: invalid_type`),
        "nonsense: unknown_field",
        ": unknown_field",
      ]),
    );
    expect(failures).toHaveLength(fields.length + 2);
  });

  it("knows its fields by their exact names only", async () => {
    for (const name of fields) {
      const alikes = [name.toUpperCase(), ` ${name}`, `${name} `, name.replaceAll("_", "-").concat("s")];
      for (const alike of some(name, alikes)) {
        const failures = await failuresOf(path, { ...sound(), [alike]: 1 });
        expect(failures).toEqual([{ field: alike, code: "unknown_field" }]);
      }
    }
  });
});

describe("an update", () => {
  const updates = [
    "/sp/members/update",
    "/sp/members/profile/update",
    "/sp/wallet/topup-benefits/update",
    "/sp/reward-settings/update",
    "/sp/reward-programs/update",
    "/sp/member-tiers/update",
    "/sp/webhook-endpoints/update",
  ];
  const operations = operationsInRealTime.filter(
    ({ kind, atLeastOneOf }) => kind === "write" && atLeastOneOf !== undefined,
  );

  it("is each of these", () => {
    expect(operations.map(({ path }) => path).sort()).toEqual(updates.toSorted());
  });

  it.each(operations)("of nothing is rejected: $path", async (operation) => {
    const changes = operation.atLeastOneOf as readonly string[];
    const sound = Object.entries(validBody(operation, world.home, records));
    const names = Object.fromEntries(sound.filter(([name]) => !changes.includes(name)));
    const { status, body } = await world.write(operation.path, names);
    expect(status).toBe(422);
    expect(body.error.details).toEqual({
      errors: [
        {
          field: "",
          code: "no_fields_to_update",
          message: `The request changes nothing: send at least one of ${changes.join(", ")}.`,
        },
      ],
    });
  });

  it.each(operations)("of nothing but nulls is rejected: $path", async (operation) => {
    const changes = (operation.atLeastOneOf as readonly string[]).filter(
      (name) => !["email", "date_of_birth", "external_ref", "description"].includes(name),
    );
    const sound = Object.entries(validBody(operation, world.home, records));
    const names = Object.fromEntries(sound.filter(([name]) => !operation.atLeastOneOf?.includes(name)));
    const nulls = Object.fromEntries(changes.map((name) => [name, null]));
    const { body } = await world.write(operation.path, { ...names, ...nulls });
    expect(body.error.details.errors).toMatchObject([{ field: "", code: "no_fields_to_update" }]);
  });

  it.each(operations)("of any one field is enough: $path", async (operation) => {
    const own = await makeRecords(world, world.home);
    const changes = operation.atLeastOneOf as readonly string[];
    for (const change of changes) {
      const sound = Object.entries(validBody(operation, world.home, own));
      const body = Object.fromEntries(sound.filter(([name]) => name === change || !changes.includes(name)));
      expect((await world.write(operation.path, body)).status, change).toBe(200);
    }
  });
});

describe("numbers", () => {
  const adjust = async (amount: string) => {
    const { contact_id } = records;
    return world.call(
      "/sp/reward-points/adjust",
      `{"idempotency_key":"${nextKey()}","contact_id":${contact_id},"points":${amount},"adjustment_type":"credit"}`,
      { token: await world.token() },
    );
  };

  it.each(["5.0", "5", "50e-1", "0.5e1", "5.000000000000000000000000"])(
    "are integers by their value: %s",
    async (written) => {
      expect((await adjust(written)).body.data.points).toBe(5);
    },
  );

  it.each([
    "5.5",
    "1e-1",
    '"5"',
    "1e999",
    "-5.5",
    "999999999999.99999",
    "1000000000000.00005",
    "5.0000000000000000001",
  ])("are rejected when they are not whole: %s", async (written) => {
    const { body } = await adjust(written);
    expect(body.error.details.errors).toEqual([
      { field: "points", code: "invalid_type", message: "points must be an integer." },
    ]);
  });

  it.each(["0", "-0", "-5", "1000000000001", "9007199254740993", "1e20"])(
    "are rejected when they are out of range: %s",
    async (written) => {
      const { body } = await adjust(written);
      expect(body.error.details.errors).toMatchObject([{ field: "points", code: "out_of_range" }]);
    },
  );

  it.each(["05", "+5", "5.", ".5", "0x5", "5n", "Infinity"])(
    "are written as JSON has them: %s",
    async (written) => {
      expect((await adjust(written)).body.error.code).toBe("malformed_json");
    },
  );
});

describe("days of birth", () => {
  it("are in the future, or not, where the business is", async () => {
    // Between these two it is always two different days: they are 25 hours apart.
    const early = await world.business("Early", "Pacific/Kiritimati");
    const late = await world.business("Late", "Pacific/Pago_Pago");
    const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "Pacific/Kiritimati" }).format(Date.now());
    const born = { ...newPerson(), date_of_birth: today };
    expect((await world.write("/sp/members/create", born, early.everywhere)).status).toBe(201);
    const rejected = await world.write("/sp/members/create", born, late.everywhere);
    expect(rejected.body.error.details.errors).toEqual([
      { field: "date_of_birth", code: "out_of_range", message: "date_of_birth must not be in the future." },
    ]);
  });
});

describe("ranges of days", () => {
  it("don't end before they begin", async () => {
    const list = (start: number, end: number) =>
      world.ask("/sp/transactions/list", { start_date: daysFromToday(start), end_date: daysFromToday(end) });
    expect((await list(-1, -1)).status).toBe(200);
    expect((await list(0, -1)).body.error.details.errors).toEqual([
      { field: "end_date", code: "out_of_range", message: "end_date must not be before start_date." },
    ]);
  });

  it("are not compared when one of them is no day", async () => {
    const { body } = await world.ask("/sp/transactions/list", {
      start_date: "2024-02-30",
      end_date: "1999-01-01",
    });
    expect(body.error.details.errors).toMatchObject([{ field: "start_date", code: "invalid_format" }]);
  });
});

describe("event types", () => {
  it("that don't exist are named, with those that do", async () => {
    const { body } = await world.ask("/sp/transactions/list", { event_types: ["sale", "refund", 5] });
    expect(body.error.details.errors).toEqual([
      {
        field: "event_types.1",
        code: "not_allowed_value",
        message: `event_types.1 must be one of: ${eventTypeNames.join(", ")}.`,
      },
      { field: "event_types.2", code: "invalid_type", message: "event_types.2 must be a string." },
    ]);
  });
});

describe("passwords", () => {
  const person = () => ({ ...newPerson(), email: `Person.${serial()}@example.com` });
  const own = (field: string) => [
    {
      field,
      code: "not_allowed_value",
      message: `${field} must not be the member's own phone number or e-mail address.`,
    },
  ];

  it("of a new member are not its phone number or e-mail address", async () => {
    const { phone_number, email, ...rest } = person();
    const digits = phone_number.slice(1);
    const spaced = `${phone_number.slice(0, 3)} (${phone_number.slice(3, 6)}) ${phone_number.slice(6)}`;
    for (const password of [phone_number, digits, spaced, email, email.toUpperCase(), ` ${email}`]) {
      const reply = await world.write("/sp/members/create", { ...rest, phone_number, email, password });
      expect(reply.body.error.details.errors).toEqual(own("password"));
    }
  });

  it("are not changed to the member's phone number or e-mail address", async () => {
    const { phone_number, email, ...rest } = person();
    const contact_id = await world.member({ ...rest, phone_number, email });
    for (const new_password of [phone_number, phone_number.slice(1), email, email.toLowerCase()]) {
      const reply = await world.write("/sp/members/password/change", { contact_id, new_password });
      expect(reply.status).toBe(422);
      expect(reply.body.error.code).toBe("validation_failed");
      expect(reply.body.error.details.errors).toEqual(own("new_password"));
    }
    const other = person().email;
    const changed = await world.write("/sp/members/password/change", { contact_id, new_password: other });
    expect(changed.status).toBe(200);
  });

  it("are never in a response, nor stored as they are", async () => {
    const password = "correct horse battery staple";
    const created = await world.write("/sp/members/create", { ...person(), password });
    const { contact_id } = created.body.data;
    const changed = await world.write("/sp/members/password/change", { contact_id, new_password: password });
    for (const { text } of [created, changed]) expect(text).not.toContain("horse");
    const [row] = await world.sql`SELECT * FROM member WHERE contact_id = ${contact_id}`;
    expect(row!.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(JSON.stringify(row)).not.toContain("horse");
  });
});

it.each(["x".repeat(60_000), "a\nb", "\u202ename", "\ud800", "\u0000".repeat(300), "\u200b"])(
  "names of unknown fields have the form that the document promises: %j",
  async (name) => {
    // The reply is compared with the document.
    const { body } = await world.ask("/sp/members/get", { contact_id: 1, [name]: 1 });
    expect(body.error.details.errors).toMatchObject([{ code: "unknown_field" }]);
  },
);
