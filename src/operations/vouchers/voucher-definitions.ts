/** What a voucher definition pays, and the code that every member may use: fields, and what makes a definition impossible. */
import { type FieldError, fieldError, fields, reject, Type, wrongValue } from "../../contract/declare.ts";
import { findToday } from "../../database/access/businesses.ts";
import * as tables from "../../database/catalog.ts";
import type { Connection } from "../../database/connection.ts";
import { findPublicDefinitions } from "../../database/engine/rewards/voucher-codes.ts";
import { lockSettings } from "../../database/engine/rules.ts";
import { codeKey } from "../../domain/engine/vouchers/codes.ts";
import {
  changeOfKind,
  plainVoucher,
  type VoucherTerms,
  voucherKinds,
} from "../../domain/engine/vouchers/terms.ts";
import { amountLimit } from "../../domain/ledger.ts";
import { money } from "../amounts.ts";

const mostWords = 100;
const words = (of: typeof fields.sku, description: string, example: string[]) =>
  Type.Array(of, { maxItems: mostWords, uniqueItems: true, description, examples: [example] });

const percent = fields.whole(1, 100, "The share, in percent.", 20);
const mostAmount = fields.inMinorUnits(fields.whole(1, amountLimit, "An amount, in minor units.", 2000));
const minimumAmount = fields.inMinorUnits(
  fields.whole(0, amountLimit, "The smallest sale in which it can be used, in minor units.", 0),
);
const kind = fields.choice(
  voucherKinds,
  "value: it pays coupon_value. percent: it pays a share of a sale or of some of its lines. item: it pays one unit of an article.",
);

/** What vouchers of the definition pay. */
export const voucherTermFields = {
  kind,
  percent: fields.nullable(percent, "The share that it pays, in percent; null with another kind.", null),
  most_amount: fields.nullable(
    mostAmount,
    "The most that a share or an article pays, in minor units; null: any amount.",
    null,
  ),
  skus: words(fields.sku, "The articles for which it pays. Only a share or an article has some.", []),
  categories: words(
    fields.category,
    "The categories for which it pays. A share without both counts for the whole sale.",
    [],
  ),
  minimum_amount: minimumAmount,
};

const day = (description: string) => fields.nullable(fields.day(description), description, null);
const count = (description: string) =>
  fields.nullable(fields.whole(1, 1_000_000_000, "A number of uses.", 1), description, null);

/** The code that every member may use in a sale. */
export const publicUseFields = {
  public_code: fields.nullable(
    fields.text(
      40,
      "The code, of at least three letters or digits. Case, blanks and hyphens don't matter.",
      "SUMMER20",
    ),
    "A code that every member may use in a sale, without a voucher; null: there is none.",
    null,
  ),
  most_per_member: count("How often a member can use the public code; null: any number of times."),
  most_uses: count("How often all members together can use it; null: any number of times."),
  first_day: day("The first day on which it can be used; null: it has begun."),
  last_day: day("The last day on which it can be used; null: it has no end."),
};

/** The amount of a sale that a voucher pays. */
const paid = "The amount of a sale that the voucher pays";
export const covered = money(paid, 900);
export const coveredOrNull = fields.nullable(covered, `${paid}, in minor units.`, null);

/** What a voucher of a member pays, as a till shows it. */
export const heldTermFields = {
  voucher_kind: kind,
  percent: voucherTermFields.percent,
  most_amount: voucherTermFields.most_amount,
  minimum_sale: minimumAmount,
};

/** What a voucher of a member pays, for responses. */
export function showTerms(terms: VoucherTerms | null) {
  const { kind: voucher_kind, percent, most_amount, minimum_amount: minimum_sale } = terms ?? plainVoucher;
  return { voucher_kind, percent, most_amount, minimum_sale };
}

type Definition = Omit<tables.VoucherRow, "voucher_id">;

/** Why a definition makes no sense. */
export function voucherProblems(one: Definition): FieldError[] {
  return [...termProblems(one), ...publicUseProblems(one)];
}

function termProblems({
  kind,
  percent,
  most_amount,
  skus,
  categories,
  coupon_value,
}: Definition): FieldError[] {
  const problems: FieldError[] = [];
  const hasLines = skus.length + categories.length > 0;
  if (kind === "percent" && percent === null)
    problems.push(fieldError("percent", "required", "is required with kind percent: the share that it pays"));
  if (kind !== "percent" && percent !== null)
    problems.push(wrongValue("percent", `must be null with kind ${kind}`));
  if (kind !== "value" && coupon_value !== 0)
    problems.push(
      wrongValue("coupon_value", `must be 0 with kind ${kind}: what it pays depends on the sale`),
    );
  if (kind === "item" && !hasLines)
    problems.push(
      fieldError("categories", "required", "or skus is required with kind item: what it pays for"),
    );
  if (kind === "value" && hasLines)
    problems.push(wrongValue(skus.length > 0 ? "skus" : "categories", "must be empty with kind value"));
  if (kind === "value" && most_amount !== null)
    problems.push(wrongValue("most_amount", "must be null with kind value, which pays coupon_value at most"));
  return problems;
}

function publicUseProblems(one: Definition): FieldError[] {
  const { public_code, first_day, last_day } = one;
  const problems: FieldError[] = [];
  if (public_code !== null && !/[\p{L}\p{N}].*[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(codeKey(public_code)))
    problems.push(wrongValue("public_code", "must have at least three letters or digits"));
  for (const field of ["most_per_member", "most_uses", "first_day", "last_day"] as const)
    if (public_code === null && one[field] !== null)
      problems.push(wrongValue(field, "must be null without public_code, whose use it limits"));
  if (first_day !== null && last_day !== null && first_day > last_day)
    problems.push(wrongValue("last_day", `must not be before first_day, ${first_day}`));
  return problems;
}

/**
 * For operations that create or change a definition. The record as it would be is checked, with the fields that are stored.
 * @returns a rejection of a definition that makes no sense, and of a public code that another one has
 */
export async function rejectDefinition(
  tx: Connection,
  businessId: number,
  input: Partial<tables.VoucherRow>,
) {
  // Two definitions can't get one code at the same time.
  await lockSettings(tx, businessId);
  const { voucher_id } = input;
  const before =
    voucher_id === undefined ? undefined : await tables.vouchers.find(tx, businessId, voucher_id);
  if (voucher_id !== undefined && before === undefined) return reject("voucher_not_found");
  const after = { ...plainVoucher, coupon_value: 0, ...before, ...changeOfKind(before, input) } as Definition;
  const errors = voucherProblems(after);
  if (before === undefined && after.kind === "value" && input.coupon_value === undefined)
    errors.push(fieldError("coupon_value", "required", "is required with kind value"));
  const { last_day, public_code } = input;
  if (last_day != null) {
    const today = await findToday(tx, businessId);
    if (today !== undefined && last_day < today)
      errors.push(wrongValue("last_day", `must not be before today, ${today}`));
  }
  const [other] = public_code ? await findPublicDefinitions(tx, businessId, [codeKey(public_code)]) : [];
  if (other !== undefined && other.voucher_id !== voucher_id)
    errors.push(
      wrongValue(
        "public_code",
        `must differ from that of voucher ${other.voucher_id}, ${other.campaign_name}`,
      ),
    );
  return errors.length === 0 ? undefined : reject("validation_failed", { errors });
}
