/** How the console's forms show fields: in which parts, and when they ask for one. */
import type { Field, Fields } from "./declaration.ts";

/** Fields that depend on a choice: they are asked for while another field has one of these values. */
const askedIf: Readonly<Record<string, Field["askedIf"]>> = {
  location_ids: { all_locations: ["false"] },
  clock_at: { sandbox: ["true"] },
  member_days: { member: ["new", "returning", "birthday"] },
  days_before: { kind: ["birthday"] },
  inactive_days: { kind: ["inactive"] },
  minimum_membership_days: { kind: ["birthday", "anniversary", "inactive"] },
  multiply: { gives: ["factor"] },
  points: { gives: ["fixed"] },
  voucher_id: { gives: ["voucher"] },
  stamp_card_id: { gives: ["stamps"] },
  stamps: { gives: ["stamps"] },
  exclusive: { gives: ["factor", "fixed"] },
  budget_points: { gives: ["factor", "fixed"] },
  per: { gives: ["fixed"] },
  earn_amount: { earn_per: [""] },
  coupon_value: { kind: ["value"] },
  percent: { kind: ["percent"] },
  most_amount: { kind: ["percent", "item"] },
  skus: { kind: ["percent", "item"] },
  categories: { kind: ["percent", "item"] },
  most_per_day: { counts: ["visit"] },
};

const isAskedIf = (name: string, { items, ...field }: Field): Field => ({
  ...field,
  ...(askedIf[name] && { askedIf: askedIf[name] }),
  ...(items && { items: { ...items, ...(items.properties && { properties: ofRecord(items.properties) }) } }),
});
/** The fields of a record in a list. */
const ofRecord = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, isAskedIf(name, field)]));

/** The parts of the form of a promotion. A new field is in the last one. */
const promotionParts: Readonly<Record<string, readonly string[]>> = {
  "": ["name", "status"],
  gives: ["gives", "multiply", "points", "per", "voucher_id", "stamp_card_id", "stamps", "exclusive"],
  when: ["first_day", "last_day", "from_time", "until_time", "weekdays"],
  what: ["categories", "skus", "minimum_amount", "minimum_quantity"],
  who: ["member", "member_days", "tier_ids", "location_ids"],
  limits: ["most_per_member", "most_per_member_day", "budget_points"],
};
/** A promotion multiplies, or gives fixed points, a voucher or stamps. */
const gives: Field = { type: "string", enum: ["factor", "fixed", "voucher", "stamps"], local: true };

/** The parts of the form of a voucher. */
const voucherParts: typeof promotionParts = {
  "": ["campaign_name", "coupon_code"],
  gives: ["kind", "coupon_value", "percent", "most_amount", "categories", "skus", "minimum_amount"],
  rules: ["points_price", "validity", "validity_period", "location_id"],
  code: ["public_code", "most_per_member", "most_uses", "first_day", "last_day"],
};

/** A new voucher begins with the first kind. */
function withKind(fields: Fields): Fields {
  const { optional: _, ...kind } = fields.kind as Field;
  return { ...fields, kind };
}

/** The parts of the form of a stamp card. */
const stampCardParts: typeof promotionParts = {
  "": ["name", "status"],
  gives: ["stamps_needed", "voucher_id", "validity", "validity_period"],
  what: [
    ...["counts", "most_per_day", "categories", "skus", "counts_free_lines", "minimum_amount"],
    "location_ids",
  ],
};

/** The fields of an occasion: those that depend on its kind follow it. */
const occasionParts: typeof promotionParts = {
  "": [
    ...["name", "kind", "days_before", "inactive_days", "minimum_membership_days"],
    ...["points", "validity", "validity_period", "voucher_id"],
  ],
};

/** A choice that can be left out. */
const yesOrNo = { enum: ["true", "false"] };

/** A segment can have no filter of this kind. */
const withChoice = ({ has_email, ...others }: Fields): Fields => ({
  ...others,
  ...(has_email && { has_email: { ...has_email, ...yesOrNo } }),
});

/** What the forms of a kind of records have: parts, and changes of fields. */
const forms: readonly (readonly [RegExp, typeof promotionParts, (fields: Fields) => Fields])[] = [
  [/^\/op\/promotions\/(?:create|update)$/, promotionParts, (fields) => ({ gives, ...fields })],
  [/^\/op\/vouchers\/(?:create|update)$/, voucherParts, withKind],
  [/^\/op\/stamp-cards\/(?:create|update)$/, stampCardParts, (fields) => fields],
  [/^\/op\/occasions\/(?:create|update)$/, occasionParts, (fields) => fields],
  [/^\/op\/segments\/update$/, {}, withChoice],
];

/** What filters of members are not. A segment has filters of its own, so these are asked for only without one. */
const beside = ["search", "include_inactive", "similar", "segment_id"];

/** The request of a list as filters. None is required, and each has one value, also where a request can have several. */
export function filtersOfList(input: Fields): Fields {
  const entries = Object.entries(input).map(([name, { items, default: usual, ...field }]) => {
    // Without a filter, all are listed.
    const choice = field.type === "boolean" && usual === undefined ? yesOrNo : {};
    const withoutSegment = "segment_id" in input && !beside.includes(name);
    const asked = withoutSegment ? { askedIf: { segment_id: [""] } } : {};
    return [name, { ...field, ...items, ...choice, ...asked, optional: true }];
  });
  return Object.fromEntries(entries);
}

/** The fields of a request in the order of its form. */
export function fieldsOfForm(path: string, declared: Fields): Fields {
  const [, ofForm = {}, change = (fields: Fields) => fields] = forms.find(([of]) => of.test(path)) ?? [];
  const fields = change(declared);
  const parts = Object.entries(ofForm);
  const [last] = parts.at(-1) ?? [];
  const names = new Set([...parts.flatMap(([, first]) => first), ...Object.keys(fields)]);
  const placed = [...names].flatMap((name) => {
    const [part = last] = parts.find(([, ofPart]) => ofPart.includes(name)) ?? [];
    const { optional, ...field } = fields[name] ?? {};
    // A new record begins with the first status.
    const isOpen = optional && !(name === "status" && path.endsWith("/create"));
    const asked = isAskedIf(name, { ...field, ...(isOpen && { optional }) } as Field);
    return fields[name] ? [[name, { ...asked, ...(part && { part }) }]] : [];
  });
  return Object.fromEntries(placed);
}
