import { type Static, Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import {
  claimSales,
  type FoundSale,
  findImportedAmounts,
  findSalesBalances,
  recordSales,
  releaseLines,
  type SaleToRecord,
} from "../../../database/imports/sales.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { hasOffset } from "../../../domain/dates.ts";
import { generatedReference, move } from "../../../domain/ledger.ts";
import { saleFields } from "../../import-fields.ts";
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
} from "../../import-lines.ts";

const lines = linesOf(saleFields);
type SaleLine = Static<typeof lines>[number];

const memberNames = ["contact_id", "phone_number", "external_ref"] as const;

const checkLines = lineChecker(saleFields, (line, has) => {
  const given = memberNames.filter(has);
  if (given.length === 1) return [];
  const problem = `must name its member by exactly one of ${memberNames.join(", ")}`;
  return [rejection(line, "", given.length === 0 ? "required" : "not_allowed_value", problem)];
});

export const importSales = writeOperation({
  path: "/op/imports/sales",
  scope: "operator",
  status: 200,
  maximumBodyBytes: importBodyBytes,
  summary: "Import sales",
  description:
    "Records sales of the past, each at its own time, on the sales accounts of their members, active or not. The " +
    "lines of a request are imported together, without rejected lines and lines that are already imported. A line " +
    "whose reference_id was imported with another amount is rejected.",
  message: "Sales imported.",
  input: Type.Object({ business_id: fields.businessId, lines, dry_run: Type.Optional(dryRun) }),
  output: importResult,
  errors: [],
  async write({ input: { lines, dry_run = false }, tx, caller, audit }) {
    const checked = checkLines(lines);
    const { businessId } = caller;
    const found = await claimSales(tx, caller, checked.map(toFind), dry_run);
    const contactIds = new Set(found.flatMap(({ contact_id }) => (contact_id === null ? [] : [contact_id])));
    const known = checked.filter(({ line }, at) => found[at]?.imported && line.reference_id !== undefined);
    const [head, balances, amounts] = await Promise.all([
      lockLedger(tx, businessId),
      findSalesBalances(tx, businessId, contactIds),
      findImportedAmounts(
        tx,
        businessId,
        known.map(({ line }) => line.digest),
      ),
    ]);
    if (head === undefined) throw new Error(`business ${businessId} has no ledger`);
    const decided = decideSales(checked, found, { balances, amounts, lastEntryNo: head.last_entry_no });
    if (!dry_run) {
      if (decided.released.length > 0) await releaseLines(tx, businessId, decided.released);
      if (decided.sales.length > 0) await recordSales(tx, businessId, head.last_entry_no, decided.sales);
    }
    const { sales, skipped, rejected } = decided;
    const result = { imported: sales.length, skipped, rejected };
    const changed = !dry_run && result.imported > 0;
    audit({ before: null, after: changed ? { ...result, rejected: rejected.length } : null });
    return result;
  },
});

/** The fields that are wrong are missing from the line. */
function toFind({
  line,
  bad,
}: {
  readonly line: Partial<SaleLine> & Pick<SaleLine, "digest">;
  readonly bad: boolean;
}) {
  return {
    digest: line.digest,
    claimable: !bad,
    // Without a reference, the digest holds the amount.
    amount: line.reference_id === undefined ? null : (line.amount ?? null),
    contact_id: line.contact_id ?? null,
    phone_number: line.phone_number ?? null,
    external_ref: line.external_ref ?? null,
    location_id: line.location_id ?? null,
    sold_at: line.sold_at ?? null,
    has_offset: line.sold_at !== undefined && hasOffset(line.sold_at),
  };
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
  const sales: SaleToRecord[] = [];
  const rejected: Rejection[] = [];
  /** The digests of lines that were claimed and are rejected. */
  const claimed = new Set<string>();
  /** The amounts of the sales, by digest: a digest may come twice. */
  const decided = new Map<string, number>();
  let skipped = 0;
  for (const [index, { line, bad, rejections }] of checked.entries()) {
    const known = found[index] as FoundSale;
    const { contact_id, created_at } = known;
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
