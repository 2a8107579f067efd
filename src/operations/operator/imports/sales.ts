import { type Static, Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import {
  claimSales,
  type FoundSale,
  findSalesBalances,
  recordSales,
  releaseLines,
  type SaleToRecord,
} from "../../../database/imports/sales.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { hasOffset } from "../../../domain/dates.ts";
import { generatedReference, move } from "../../../domain/ledger.ts";
import {
  dryRun,
  importBodyBytes,
  importResult,
  lineChecker,
  linesOf,
  type Rejection,
  rejection,
} from "../../import-lines.ts";
import * as operator from "../../operator-fields.ts";

const sale = Type.Object({
  contact_id: Type.Optional(fields.contactId),
  phone_number: Type.Optional(fields.phoneNumber),
  external_ref: Type.Optional(operator.externalRef),
  sold_at: operator.pastMoment("When it was sold."),
  amount: fields.amount,
  location_id: Type.Optional(operator.locationId),
  reference_id: Type.Optional(fields.referenceId),
});
const lines = linesOf(sale);
type SaleLine = Static<typeof lines>[number];

const memberNames = ["contact_id", "phone_number", "external_ref"] as const;

const checkLines = lineChecker(sale, (line) => {
  const given = memberNames.filter((name) => line[name] !== undefined);
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
    "lines of a request land together, without those that are refused and those imported before.",
  message: "Sales imported.",
  input: Type.Object({ business_id: fields.businessId, lines, dry_run: Type.Optional(dryRun) }),
  output: importResult,
  errors: [],
  async write({ input: { lines, dry_run = false }, tx, caller, audit }) {
    const { sound, repeated, rejected } = checkLines(lines);
    const { businessId } = caller;
    const found = await claimSales(tx, caller, sound.map(toFind), dry_run);
    const contactIds = new Set(found.flatMap(({ contact_id }) => (contact_id === null ? [] : [contact_id])));
    const [head, balances] = await Promise.all([
      lockLedger(tx, businessId),
      findSalesBalances(tx, businessId, contactIds),
    ]);
    if (head === undefined) throw new Error(`business ${businessId} has no ledger`);
    const decided = decideSales(sound, found, balances, head.last_entry_no);
    if (!dry_run) {
      if (decided.refused.length > 0) await releaseLines(tx, businessId, decided.refused);
      if (decided.sales.length > 0) await recordSales(tx, businessId, head.last_entry_no, decided.sales);
    }
    const result = {
      imported: decided.sales.length,
      skipped: repeated + decided.skipped,
      rejected: [...rejected, ...decided.rejected].sort((a, b) => a.line - b.line),
    };
    audit({ before: null, after: { ...result, rejected: result.rejected.length, dry_run } });
    return result;
  },
});

function toFind(line: SaleLine) {
  return {
    digest: line.digest,
    contact_id: line.contact_id ?? null,
    phone_number: line.phone_number ?? null,
    external_ref: line.external_ref ?? null,
    location_id: line.location_id ?? null,
    sold_at: line.sold_at,
    has_offset: hasOffset(line.sold_at),
  };
}

/** Decides line by line, in their order, on the balances as they grow. */
function decideSales(
  sound: readonly SaleLine[],
  found: readonly FoundSale[],
  balances: ReadonlyMap<number, number>,
  lastEntryNo: number,
) {
  const soldSoFar = new Map<number, number>();
  const sales: SaleToRecord[] = [];
  const rejected: Rejection[] = [];
  /** The digests of the lines that are. */
  const refused: string[] = [];
  let skipped = 0;
  const refuse = (line: SaleLine, failures: readonly Rejection[]) => {
    refused.push(line.digest);
    rejected.push(...failures);
  };
  for (const [index, line] of sound.entries()) {
    const known = found[index] as FoundSale;
    if (known.imported) {
      skipped += 1;
      continue;
    }
    const failures = failuresOf(line, known);
    const { contact_id, created_at } = known;
    if (failures.length > 0 || contact_id === null) {
      refuse(line, failures);
      continue;
    }
    const balance = balances.get(contact_id);
    if (balance === undefined) throw new Error(`member ${contact_id} has no sales account`);
    // Sales of the past are part of a member's record, whether or not it is active now.
    const movement = move(
      { active: true, balances: { sales: soldSoFar.get(contact_id) ?? balance } },
      "sales",
      line.amount,
    );
    if (movement.status !== "moved") {
      const problem = "takes the balance past the largest";
      refuse(line, [rejection(line, "amount", "balance_limit_exceeded", problem)]);
      continue;
    }
    soldSoFar.set(contact_id, movement.balance);
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
  return { sales, skipped, rejected, refused };
}

function failuresOf(line: SaleLine, { contact_id, located, future }: FoundSale): Rejection[] {
  const failures: Rejection[] = [];
  if (contact_id === null) {
    const name = memberNames.find((field) => line[field] !== undefined) ?? "";
    failures.push(rejection(line, name, "member_not_found", "names no member"));
  }
  if (!located) failures.push(rejection(line, "location_id", "location_not_found", "names no location"));
  if (future) failures.push(rejection(line, "sold_at", "out_of_range", "must not be in the future"));
  return failures;
}
