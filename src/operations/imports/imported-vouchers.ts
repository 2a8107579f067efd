/** The vouchers of an import: their fields, what identifies them, and what is recorded about those imported before. */
import { fields, type Static, Type } from "../../contract/declare.ts";
import type { FoundContact, ImportedVoucher } from "../../database/imports/look-ups.ts";
import type { VoucherDefinition } from "../../domain/engine/rules.ts";
import { nameKey } from "../../domain/text.ts";
import type { EarlierLine, EarlierLines, Kept } from "./chunks.ts";
import { differing, digestOf, type Identity, type Known, referenceDigest } from "./imported-lines.ts";
import { equalBefore, memberOf } from "./imported-sales.ts";
import { type LineError, lineError, linesOf, namingFields } from "./imports.ts";

/** The fields of an imported voucher, in full. */
export const heldVoucherFields = Type.Object({
  ...namingFields,
  voucher_id: Type.Optional(
    fields.identifier("The voucher definition. With it, coupon_code is the own code of this voucher.", 1),
  ),
  coupon_code: Type.Optional(
    fields.text(255, "The code on the coupon. Without voucher_id, it names the definition.", "SUMMER10"),
  ),
  coupon_value: Type.Optional(
    fields.inMinorUnits({
      ...fields.couponValue,
      description: "The value of the voucher, in minor units; by default, that of the definition.",
    }),
  ),
  issued_on: Type.Optional(fields.day("The day on which it was issued; by default, today.")),
  valid_through: Type.Optional(
    fields.day("The last day on which it can be used. Without it, the voucher does not lapse."),
  ),
  reference_id: Type.Optional(fields.referenceId),
});

/** The fields of a line in a request. */
export const voucherLineFields = Type.Object({
  ...heldVoucherFields.properties,
  equal_before: Type.Optional(equalBefore),
});
export const voucherLines = linesOf(voucherLineFields);
export type VoucherLine = Static<typeof voucherLines>[number];

/** What a line names. */
export interface FoundVoucher extends FoundContact {
  /** More than one if the code names several. */
  readonly definitions: readonly VoucherDefinition[];
  /** The day on the business's clock. */
  readonly today: string;
}

/** Makes the function that finds the definitions that a line names. Of those with one code, an archived one counts only if all are archived. */
export function definitionFinder(definitions: readonly VoucherDefinition[]) {
  const byId = new Map(definitions.map((one) => [one.voucher_id, [one]]));
  const byCode = new Map<string, VoucherDefinition[]>();
  for (const one of definitions) {
    const key = nameKey(one.coupon_code);
    const same = byCode.get(key);
    if (same === undefined) byCode.set(key, [one]);
    else same.push(one);
  }
  return ({ voucher_id, coupon_code = "" }: VoucherLine): readonly VoucherDefinition[] => {
    if (voucher_id !== undefined) return byId.get(voucher_id) ?? [];
    const named = byCode.get(nameKey(coupon_code)) ?? [];
    const current = named.filter(({ archived }) => !archived);
    return current.length > 0 ? current : named;
  };
}

const valueFields = ["voucher_id", "coupon_value", "issued_on", "valid_through"] as const;

/** A digest of the values that are compared, as they are in the line. The case of codes makes no difference. */
const voucherContent = ({ coupon_code, ...line }: VoucherLine) =>
  digestOf(...memberOf(line), nameKey(coupon_code ?? ""), ...valueFields.map((field) => line[field] ?? null));

/** Identifies a line by its reference_id, or else by its values. @returns undefined when a value that it needs is missing */
export function identityOfVoucher(line: VoucherLine, bad: boolean): Identity | undefined {
  const { reference_id, equal_before = 0 } = line;
  const content = voucherContent(line);
  if (reference_id !== undefined) {
    const digest = referenceDigest("vouchers by reference_id", reference_id);
    return { digest, candidates: [digest], content };
  }
  if (bad) return undefined;
  const digest = digestOf("voucher", content, equal_before);
  return { digest, candidates: [digest], content: null };
}

/** A voucher as it is recorded, or as an earlier line of the request makes it. */
export interface KnownVoucher extends Known, Omit<ImportedVoucher, "digest"> {}

/** The record that a line makes. */
export function recordOfVoucher(
  line: VoucherLine,
  { contact_id, today, definitions }: FoundVoucher,
  { content }: Identity,
): KnownVoucher {
  const { voucher_id, coupon_code, coupon_value } = definitions[0] as VoucherDefinition;
  return {
    coupon_code,
    coupon_value,
    issued_on: today,
    valid_through: null,
    ...line,
    voucher_id,
    contact_id: contact_id as number,
    erased: false,
    content,
  };
}

/** What a check keeps of a voucher, as it is compared. */
export const keptOfVoucher = (voucher: KnownVoucher): Kept[] => [
  ...[voucher.contact_id, voucher.voucher_id, voucher.coupon_value],
  ...textFields.map((field) => textOf(field, voucher[field])),
];

const textFields = ["coupon_code", "issued_on", "valid_through"] as const;
/** As it is compared. The case of codes makes no difference. */
const textOf = <Text extends string | null>(field: (typeof textFields)[number], text: Text) =>
  field === "coupon_code" && text !== null ? nameKey(text) : text;

/** A voucher of an earlier chunk of a check. */
export function earlierVoucher({ line, values }: EarlierLine, earlier: EarlierLines): KnownVoucher {
  const [contact_id = 0, voucher_id = 0, coupon_value = 0, ...texts] = values;
  return {
    ...{ line, contact_id, voucher_id, coupon_value, erased: false, content: null },
    ...{ coupon_code: "", issued_on: "", valid_through: null },
    has: (field, text) => texts[textFields.indexOf(field as never)] === earlier.numberOf(text),
  };
}

/** What differs between a line and the voucher with its reference_id. */
export function differencesOfVoucher(
  line: VoucherLine,
  found: FoundVoucher,
  known: KnownVoucher,
  { content }: Identity,
): LineError[] {
  const { reference_id } = line;
  const [field = "", name] = memberOf(line);
  if (known.erased || found.erased)
    return [lineError(line, field, "member_erased", "is of a member who was erased")];
  if (reference_id === undefined || known.content === content) return [];
  const differs = differing(line, `reference_id ${reference_id}`, known);
  const differences: LineError[] = [];
  if (found.contact_id !== known.contact_id)
    differences.push(differs(field, `${name} (contact ${found.contact_id})`, `contact ${known.contact_id}`));
  // Not even a code that names no definition is that of the record.
  if (found.definitions.every(({ voucher_id }) => voucher_id !== known.voucher_id)) {
    const named = line.voucher_id === undefined ? "coupon_code" : "voucher_id";
    if (line[named] !== undefined)
      differences.push(differs(named, line[named], `voucher ${known.voucher_id}`));
  }
  if (line.coupon_value !== undefined && line.coupon_value !== known.coupon_value)
    differences.push(differs("coupon_value", line.coupon_value, known.coupon_value, true));
  for (const field of textFields) {
    const text = line[field];
    // Without voucher_id, the code names the definition.
    if (text === undefined || (field === "coupon_code" && line.voucher_id === undefined)) continue;
    const compared = textOf(field, text);
    if (!(known.has?.(field, compared) ?? compared === textOf(field, known[field])))
      differences.push(differs(field, text, known[field] ?? "none"));
  }
  return differences;
}
