/** What identifies the sales of an import, and what is recorded about those that were imported before. */
import { type Static, Type } from "typebox";
import { fields, reject } from "../../contract/declare.ts";
import type { Connection } from "../../database/connection.ts";
import { haveTiersBySales } from "../../database/engine/rules.ts";
import type { FoundContact, FoundSale, ImportedSale } from "../../database/imports/look-ups.ts";
import { tierChanges } from "../../domain/engine/tiers/progress.ts";
import { tierAfterSale } from "../../domain/engine/tiers/tier.ts";
import { openLedger, settleMembers } from "../../pipeline/postings/open-ledger.ts";
import { receiptLines } from "../sales/sale-lines.ts";
import type { EarlierLine, Kept } from "./chunks.ts";
import { differing, digestOf, type Identity, type Known, referenceDigest } from "./imported-lines.ts";
import { type LineError, type LineName, lineError, linesOf, saleFields } from "./imports.ts";

export const equalBefore = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000,
  description:
    "For a line without reference_id: the number of lines before it in the file with the same values, so that equal lines of a " +
    "file are several records.",
  examples: [0],
});

/** The fields of a line in a request. */
export const saleLineFields = Type.Object({
  ...saleFields.properties,
  equal_before: Type.Optional(equalBefore),
  lines: Type.Optional(receiptLines),
});
export const saleLines = linesOf(saleLineFields);
export type SaleLine = Static<typeof saleLines>[number];

const parts = ["day", "location"] as const;
type Part = (typeof parts)[number];

/** Fields of the request that say which lines are the same sale. */
export const identityFields = {
  batch: Type.Optional(
    fields.text(
      255,
      "A name for the file. Its lines are compared only with lines that were imported under the same name.",
      "till-2",
    ),
  ),
  reference_per: Type.Optional(
    Type.Array(Type.Enum([...parts]), {
      maxItems: parts.length,
      description:
        "Within what a reference_id occurs once, besides the batch: for numbers of receipts that restart each day or at each " +
        "location.",
      examples: [["day"]],
    }),
  ),
};

export interface IdentityOptions {
  readonly batch?: string | undefined;
  readonly reference_per?: readonly Part[] | undefined;
}

export const memberNames = ["contact_id", "phone_number", "external_ref", "card_code", "email"] as const;
type NamingLine = LineName & { readonly [Field in (typeof memberNames)[number]]?: string | number };

/** How a line names its member. */
export const memberOf = (line: NamingLine) => {
  const field = memberNames.find((name) => line[name] !== undefined);
  const name = field && line[field];
  // E-mail addresses are compared without regard to case.
  return [field, field === "email" ? String(name).toLowerCase() : name] as const;
};

/** Checks that a line names its member in one way. @param has whether the file has a field, right or wrong */
export function namingProblems(line: LineName, has: (field: string) => boolean): LineError[] {
  const given = memberNames.filter(has).length;
  if (given === 1) return [];
  const problem = `must name its member by exactly one of ${memberNames.join(", ")}`;
  return [lineError(line, "", given === 0 ? "required" : "not_allowed_value", problem)];
}

/** Checks that the member that a line names exists. */
export function memberFailures(line: NamingLine, { contact_id, erased, gift }: FoundContact): LineError[] {
  const [name, ...others] = memberNames.filter((field) => line[field] !== undefined);
  if (name === undefined || others.length > 0) return [];
  if (contact_id === null) return [lineError(line, name, "member_not_found", "names no member")];
  if (gift) return [lineError(line, name, "gift_card_money_only", "names a gift card, which has only money")];
  return erased ? [lineError(line, name, "member_erased", "names a member who was erased")] : [];
}

/**
 * Identifies a line by its reference_id, or else by its values. The result is the same for each way to write the values.
 * @param ownLocation the location in the line, if it has one. That of the request is not a value of the line.
 * @returns undefined when a value that it needs is missing
 */
export function identityOfSale(
  line: SaleLine,
  found: FoundSale,
  ownLocation: number | undefined,
  { batch = "", reference_per = [] }: IdentityOptions,
): Identity | undefined {
  const { reference_id, location_id, amount, equal_before = 0 } = line;
  const { local_time, sold_on } = found;
  if (reference_id === undefined) {
    const [field, name] = memberOf(line);
    if (field === undefined || local_time === null || amount === undefined) return undefined;
    const place = ownLocation ?? null;
    const digest = digestOf("sale", batch, field, name, local_time, amount, place, equal_before);
    return { digest, candidates: [digest], content: null };
  }
  const parted: Record<Part, string | number | null | undefined> = { day: sold_on, location: location_id };
  const digestWithin = (some: readonly Part[]): string | undefined => {
    const within = some.map((part) => parted[part] && `${part} ${parted[part]}`);
    if (within.some((one) => !one)) return undefined;
    const named = [...(batch === "" ? [] : [`batch ${batch}`]), ...(within as string[])];
    return referenceDigest("sales by reference_id", reference_id, named);
  };
  const digest = digestWithin(parts.filter((part) => reference_per.includes(part)));
  if (digest === undefined) return undefined;
  // An earlier import may have had other options.
  const candidates = [[], ["day"], ["location"], parts].flatMap((some) => digestWithin(some as Part[]) ?? []);
  return { digest, candidates, content: digestOf(...memberOf(line), sold_on, amount) };
}

/** A sale as it is recorded, or as an earlier line of the request makes it. */
export interface KnownSale extends Known, Omit<ImportedSale, "reference_id"> {
  readonly reference_id?: string;
}

/** What a check keeps of a sale. */
export const keptOfSale = ({ entry_no, contact_id, amount, location_id, sold_on }: KnownSale): Kept[] => [
  ...[entry_no, contact_id, amount, location_id, Number(sold_on.replaceAll("-", ""))],
];

/** A sale of an earlier chunk of a check. */
export function earlierSale({ line, values }: EarlierLine, digest: string): KnownSale {
  const [entry_no = 0, contact_id = 0, amount = 0, location_id = -1, day] = values;
  return {
    ...{
      digest,
      line,
      entry_no,
      erased: false,
      is_sale: false,
      content: null,
      contact_id,
      amount,
      refunded: 0,
    },
    location_id: location_id === -1 ? null : location_id,
    sold_on: String(day).replace(/(..)(..)$/, "-$1-$2"),
  };
}

/** The record that a line makes. */
export function recordOfSale(
  line: SaleLine,
  found: FoundSale,
  { digest, content }: Identity,
  is_sale: boolean,
  entry_no: number,
): KnownSale {
  return {
    digest,
    line: line.line,
    ...(line.reference_id !== undefined && { reference_id: line.reference_id }),
    entry_no,
    erased: false,
    is_sale,
    content,
    contact_id: found.contact_id as number,
    sold_on: found.sold_on as string,
    amount: line.amount,
    refunded: 0,
    location_id: line.location_id ?? null,
  };
}

/** What differs between a line and the sale with its reference_id: the member, the day or the amount. */
export function differencesOfSale(
  line: SaleLine,
  found: FoundSale,
  known: KnownSale,
  { content }: Identity,
  { reference_per = [] }: IdentityOptions,
): LineError[] {
  const { reference_id, amount, location_id = null } = line;
  const [field, name] = memberOf(line);
  if (known.erased || found.erased) {
    return [lineError(line, field ?? "", "member_erased", "is of a member who was erased")];
  }
  if (reference_id === undefined) return [];
  const isElsewhere = reference_per.includes("location") && location_id !== known.location_id;
  if (known.content === content && !isElsewhere) return [];
  const differs = differing(line, `reference_id ${reference_id}`, known);
  const differences: LineError[] = [];
  if (amount !== undefined && amount !== known.amount)
    differences.push(differs("amount", amount, known.amount, true));
  if (found.sold_on !== null && found.sold_on !== known.sold_on)
    differences.push(differs("sold_at", found.sold_on, known.sold_on));
  if (field !== undefined && found.contact_id !== known.contact_id) {
    const given =
      found.contact_id === null ? `${name}, who is no member` : `${name} (contact ${found.contact_id})`;
    differences.push(differs(field, given, `contact ${known.contact_id}`));
  }
  if (isElsewhere)
    differences.push(differs("location_id", location_id ?? "none", known.location_id ?? "none"));
  return differences;
}

const needs = { balances: ["sales"], points: () => 0, tier: true } as const;

/**
 * Settles members before sales of theirs are imported, so that tiers that have ended do not depend on the import.
 * @returns a function to call after the import, by which members reach tiers today; undefined if no tier depends on sales
 */
export async function countForTiers(tx: Connection, businessId: number, contactIds: readonly number[]) {
  if (!(await haveTiersBySales(tx, businessId))) return undefined;
  await settleMembers(tx, businessId, contactIds);
  return async (imported: readonly number[]) => {
    const ledger = await openLedger(tx, businessId, imported, needs);
    for (const contactId of new Set(imported)) {
      ledger.post(contactId, ({ member }) => {
        if (member === undefined) return reject("member_not_found");
        const nothing = { sale_id: null, sold_on: ledger.today, net: 0 };
        const standing = tierAfterSale(member.tier, nothing, ledger.today);
        return {
          entries: [],
          reference_id: undefined,
          changes: { tier_standing: tierChanges(member.tier, standing) },
          data: {},
        };
      });
    }
    await ledger.record();
  };
}
