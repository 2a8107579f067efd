import { type Static, Type } from "typebox";
import { fields, writeOperation } from "../../../contract/declare.ts";
import type { Services } from "../../../contract/services.ts";
import { findMissingLocations } from "../../../database/catalog.ts";
import type { Connection } from "../../../database/connection.ts";
import { recordEngine } from "../../../database/engine/recording.ts";
import { findImportRules } from "../../../database/engine/rules.ts";
import { findImportedAmounts, releaseLines } from "../../../database/imports/lines.ts";
import {
  claimSales,
  type FoundSale,
  findSalesBalances,
  recordSales,
  type SaleToRecord,
} from "../../../database/imports/sales.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { hasOffset } from "../../../domain/dates.ts";
import { inertRules } from "../../../domain/engine/rules.ts";
import { earnFromImport } from "../../../domain/engine/sale.ts";
import { generatedReference, move } from "../../../domain/ledger.ts";
import {
  amountDiffers,
  type CheckedLine,
  dryRun,
  importBodyBytes,
  importResult,
  lineChecker,
  linesOf,
  type Rejection,
  rejection,
  saleFields,
} from "../../imports.ts";
import * as operator from "../../operator-fields.ts";

const lines = linesOf(saleFields);
type SaleLine = Static<typeof lines>[number];

const memberNames = ["contact_id", "phone_number", "external_ref"] as const;

const checkLine = lineChecker(saleFields, (line, has) => {
  const given = memberNames.filter(has);
  if (given.length === 1) return [];
  const problem = `must name its member by exactly one of ${memberNames.join(", ")}`;
  return [rejection(line, "", given.length === 0 ? "required" : "not_allowed_value", problem)];
});

export const importSales = writeOperation({
  path: "/op/imports/sales",
  event: "sales.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import sales",
  description:
    "Records sales of the past, each at its own time, on the sales accounts of their members, active or not. The " +
    "lines of a request are imported together, without rejected lines and lines that are already imported. A line " +
    "whose reference_id was imported with another amount is rejected. With earn, each line becomes a sale that can be " +
    "refunded and earns points by the rules of its day, or by the first rules if it is older; points that have expired " +
    "since are recorded as earned and as expired.",
  message: "Sales imported.",
  input: {
    business_id: fields.businessId,
    lines,
    dry_run: Type.Optional(dryRun),
    earn: fields.option("Whether the sales earn points."),
    location_id: Type.Optional(
      Type.Integer({ ...operator.locationId, description: "The location of lines that name none." }),
    ),
  },
  output: importResult,
  errors: ["location_not_found"],
  async write({ input, tx, caller, services, audit, fail }) {
    const { dry_run = false, earn = false, location_id } = input;
    const { businessId } = caller;
    const missing = await findMissingLocations(
      tx,
      businessId,
      location_id === undefined ? [] : [location_id],
    );
    if (missing.length > 0) return fail("location_not_found", { location_ids: missing });
    const checked = input.lines.map((line) => withLocation(checkLine(line), input));
    const found = await claimSales(tx, caller, checked.map(toFind), dry_run);
    const contactIds = new Set(found.flatMap(({ contact_id }) => (contact_id === null ? [] : [contact_id])));
    const known = checked.flatMap(({ line }, at) =>
      found[at]?.imported && line.reference_id !== undefined ? [line.digest] : [],
    );
    const [head, balances, amounts] = await Promise.all([
      lockLedger(tx, businessId),
      findSalesBalances(tx, businessId, contactIds),
      findImportedAmounts(tx, businessId, known),
    ]);
    if (head === undefined) throw new Error(`business ${businessId} has no ledger`);
    const decided = decideSales(checked, found, { balances, amounts, lastEntryNo: head.last_entry_no });
    if (!dry_run) {
      if (decided.released.length > 0) await releaseLines(tx, businessId, decided.released);
      if (decided.sales.length > 0) await recordSales(tx, businessId, head.last_entry_no, decided.sales);
      if (earn) await earnPoints(tx, businessId, decided.sales, services);
    }
    const { sales, skipped, rejected } = decided;
    const result = { imported: sales.length, skipped, rejected };
    const changed = !dry_run && result.imported > 0;
    audit({ before: null, after: changed ? { ...result, rejected: rejected.length, earn } : null });
    return result;
  },
});

/** Gives a line without a location the location of the request. With earn, it needs one. */
function withLocation(
  read: CheckedLine<SaleLine>,
  { earn, location_id }: { readonly earn?: boolean; readonly location_id?: number },
): CheckedLine<SaleLine> {
  const { line, bad, rejections } = read;
  if (line.location_id !== undefined || rejections.some(({ field }) => field === "location_id")) return read;
  if (location_id !== undefined) return { line: { ...line, location_id }, bad, rejections };
  if (earn !== true) return read;
  const problem = "is required where sales earn points";
  const missing = rejection(line, "location_id", "required", problem);
  return { line, bad: true, rejections: [...rejections, missing] };
}

/** Records what the sales earn, and settles their members. The sales are recorded. */
async function earnPoints(
  tx: Connection,
  businessId: number,
  sales: readonly DecidedSale[],
  { settle }: Services,
): Promise<void> {
  const rules = await findImportRules(tx, businessId, [...new Set(sales.map(({ sold_on }) => sold_on))]);
  const earned = sales.map(({ created_at, balance_after: _, location_id, ...line }) => {
    const located = { ...line, location_id: location_id as number };
    return { ...earnFromImport(located, rules.get(line.sold_on) ?? inertRules), created_at };
  });
  const business_id = businessId;
  await recordEngine(tx, {
    sales: earned.map(({ sale, created_at }) => ({ business_id, sale, created_at })),
    lots: earned.flatMap(({ sale: { contact_id }, lot }) => (lot ? [{ business_id, contact_id, lot }] : [])),
    refunds: [],
    debts: [],
    redemptions: [],
  });
  await settle(tx, businessId, [...new Set(sales.map(({ contact_id }) => contact_id))]);
}

/** The fields that are wrong are missing from the line. */
function toFind({ line, bad }: { line: Partial<SaleLine> & Pick<SaleLine, "digest">; bad: boolean }) {
  const absent = {
    contact_id: null,
    phone_number: null,
    external_ref: null,
    location_id: null,
    sold_at: null,
  };
  return {
    ...absent,
    ...line,
    claimable: !bad,
    // Without a reference, the digest holds the amount.
    amount: line.reference_id === undefined ? null : (line.amount ?? null),
    has_offset: line.sold_at !== undefined && hasOffset(line.sold_at),
  };
}

interface DecidedSale extends SaleToRecord {
  /** The number of its ledger entry. */
  readonly sale_id: number;
  readonly sold_on: string;
}

interface State {
  /** Of the members' sales accounts, by contact_id. */
  readonly balances: ReadonlyMap<number, number>;
  /** The amounts that were imported, by digest. */
  readonly amounts: ReadonlyMap<string, number>;
  readonly lastEntryNo: number;
}

/** Decides the lines in their order, on the balances as they grow. */
function decideSales(
  checked: readonly CheckedLine<SaleLine>[],
  found: readonly FoundSale[],
  { balances, amounts, lastEntryNo }: State,
) {
  const soldSoFar = new Map<number, number>();
  const sales: DecidedSale[] = [];
  const rejected: Rejection[] = [];
  /** The digests of lines that were claimed and are rejected. */
  const claimed = new Set<string>();
  /** The amounts of the sales, by digest: a digest may come twice. */
  const decided = new Map<string, number>();
  let skipped = 0;
  for (const [index, { line, bad, rejections }] of checked.entries()) {
    const known = found[index] as FoundSale;
    const { contact_id, created_at, sold_on } = known;
    if ((known.imported || decided.has(line.digest)) && !bad) {
      const imported = decided.get(line.digest) ?? amounts.get(line.digest);
      if (line.reference_id === undefined || imported === undefined || imported === line.amount) skipped += 1;
      else {
        const reference = `reference_id ${line.reference_id}`;
        rejected.push(amountDiffers(line, "amount", reference, { given: line.amount, imported }));
      }
      continue;
    }
    const failures = [...rejections, ...failuresOf(line, known)];
    if (bad || failures.length > 0 || contact_id === null) {
      rejected.push(...failures);
      if (!bad) claimed.add(line.digest);
      continue;
    }
    const balance = soldSoFar.get(contact_id) ?? balances.get(contact_id);
    if (balance === undefined) throw new Error(`member ${contact_id} has no sales account`);
    // Sales of the past belong to a member's record, whether or not the member is active now.
    const movement = move({ active: true, balances: { sales: balance } }, "sales", line.amount);
    if (movement.status !== "moved") {
      const problem = "takes the balance past the largest";
      rejected.push(rejection(line, "amount", "balance_limit_exceeded", problem));
      claimed.add(line.digest);
      continue;
    }
    soldSoFar.set(contact_id, movement.balance);
    decided.set(line.digest, line.amount);
    const entryNo = lastEntryNo + sales.length + 1;
    sales.push({
      sale_id: entryNo,
      sold_on,
      contact_id,
      amount: line.amount,
      balance_after: movement.balance,
      location_id: line.location_id ?? null,
      reference_id: line.reference_id ?? generatedReference("sale", entryNo),
      created_at,
    });
  }
  const released = [...claimed].filter((digest) => !decided.has(digest));
  return { sales, skipped, rejected: rejected.sort((a, b) => a.line - b.line), released };
}

function failuresOf(
  line: Partial<SaleLine> & Pick<SaleLine, "line" | "digest">,
  found: FoundSale,
): Rejection[] {
  const failures: Rejection[] = [];
  const [name, ...others] = memberNames.filter((field) => line[field] !== undefined);
  if (found.contact_id === null && name !== undefined && others.length === 0) {
    failures.push(rejection(line, name, "member_not_found", "names no member"));
  }
  if (!found.located)
    failures.push(rejection(line, "location_id", "location_not_found", "names no location"));
  if (found.future) failures.push(rejection(line, "sold_at", "out_of_range", "must not be in the future"));
  return failures;
}
