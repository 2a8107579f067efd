import { type Static, Type } from "typebox";
import { fields, writeOperation } from "../../../contract/declare.ts";
import { findMissingLocations } from "../../../database/catalog.ts";
import type { Connection } from "../../../database/connection.ts";
import type { EngineRecording } from "../../../database/engine/recording.ts";
import { findImportRules } from "../../../database/engine/rules.ts";
import { type FoundSale, findSalesToImport, recordImported, recordLines } from "../../../database/imports.ts";
import { findAccounts, type LockedLedger, lockLedger } from "../../../database/ledger/ledger.ts";
import type { Rules } from "../../../domain/engine/rules.ts";
import { earnFromImport } from "../../../domain/engine/sale.ts";
import { generatedReference, move } from "../../../domain/ledger.ts";
import {
  decideLines,
  dryRun,
  importBodyBytes,
  importResult,
  lineChecker,
  linesOf,
  type Rejection,
  rejection,
  saleFields,
} from "../../imports.ts";
import { withPhoneNumber } from "../../phone-numbers.ts";
import { locationId } from "../../records.ts";

const lines = linesOf(saleFields);
type SaleLine = Static<typeof lines>[number];

const memberNames = ["contact_id", "phone_number", "external_ref"] as const;

const checkSaleFields = lineChecker(saleFields);

export const importSales = writeOperation({
  path: "/op/imports/sales",
  event: "sales.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import sales",
  description:
    "Records past sales, each at its own time, in the sales accounts of their members, active or not. The valid lines " +
    "of a request are imported in one transaction. Lines that are already imported are skipped. A line " +
    "whose reference_id was imported with another amount is rejected. With earn, each line becomes a sale that can be " +
    "refunded and earns points by the rules of its day. Sales from before the first rules earn by the first rules. " +
    "Points that have expired since are recorded as earned and as expired.",
  message: "Sales imported.",
  input: {
    business_id: fields.businessId,
    lines,
    dry_run: Type.Optional(dryRun),
    earn: fields.option("Whether the sales earn points."),
    location_id: Type.Optional(
      Type.Integer({ ...locationId, description: "The location of lines without a location." }),
    ),
  },
  output: importResult,
  errors: ["location_not_found"],
  async write({ input, tx, caller, services, audit, fail }) {
    const { dry_run = false, earn = false, location_id } = input;
    const { businessId } = caller;
    const place = location_id === undefined ? {} : { location_id };
    const missing = await findMissingLocations(tx, businessId, Object.values(place));
    if (missing.length > 0) return fail("location_not_found", { location_ids: missing });
    const checked = input.lines.map((line) =>
      checkSaleLine(withPhoneNumber({ ...place, ...line }, caller.country), earn),
    );
    const found = await findSalesToImport(
      tx,
      caller,
      checked.map(({ line }) => line),
    );
    const contactIds = new Set(found.flatMap(({ contact_id }) => contact_id ?? []));
    const accounts = [...contactIds].map((contact_id) => {
      return { business_id: businessId, contact_id, account: "sales" } as const;
    });
    const [ledger, before] = await Promise.all([lockLedger(tx, businessId), findAccounts(tx, accounts)]);
    if (ledger === undefined) throw new Error(`business ${businessId} has no ledger`);
    const balances = new Map(before.map(({ contact_id, balance }) => [contact_id, balance]));
    const { rows, skipped, rejected } = decideLines(checked, found, {
      reference: "reference_id",
      amounts: ["amount"],
      ...saleDecisions(balances, ledger.last_entry_no),
    });
    const isRecorded = !dry_run && rows.length > 0;
    if (isRecorded) {
      await recordSales(tx, ledger, rows, earn);
      if (earn)
        await services.settleMembers(tx, businessId, [...new Set(rows.map(({ entry }) => entry.contact_id))]);
    }
    const result = { imported: rows.length, skipped, rejected };
    audit({ before: null, after: isRecorded ? { ...result, rejected: rejected.length, earn } : null });
    return result;
  },
});

function checkSaleLine(line: SaleLine, earn: boolean) {
  return checkSaleFields(line, (has) => {
    const given = memberNames.filter(has).length;
    const problem = `must name its member by exactly one of ${memberNames.join(", ")}`;
    const named =
      given === 1 ? [] : [rejection(line, "", given === 0 ? "required" : "not_allowed_value", problem)];
    if (!earn || has("location_id")) return named;
    return [...named, rejection(line, "location_id", "required", "is required where sales earn points")];
  });
}

/**
 * Decisions about sales. They become the next entries of the ledger.
 * @param balances of the members' sales accounts. They grow with the sales.
 */
function saleDecisions(balances: Map<number, number>, lastEntryNo: number) {
  let sale_id = lastEntryNo;
  /** Sales of the past belong to a member's record, whether or not the member is active now. */
  const isTooMuch = (contactId: number, amount: number) => {
    const member = { active: true, balances: { sales: balances.get(contactId) as number } };
    return typeof move(member, "sales", amount) !== "number";
  };
  return {
    failuresOf(line: SaleLine, { contact_id, located, future }: FoundSale) {
      const failures: Rejection[] = [];
      const [name, ...others] = memberNames.filter((field) => line[field] !== undefined);
      if (contact_id === null && name !== undefined && others.length === 0)
        failures.push(rejection(line, name, "member_not_found", "names no member"));
      if (!located) failures.push(rejection(line, "location_id", "location_not_found", "names no location"));
      if (future) failures.push(rejection(line, "sold_at", "out_of_range", "must not be in the future"));
      if (contact_id !== null && line.amount !== undefined && isTooMuch(contact_id, line.amount)) {
        const problem = "takes the balance past the largest";
        failures.push(rejection(line, "amount", "balance_limit_exceeded", problem));
      }
      return failures;
    },
    accept({ digest, amount, location_id, ...line }: SaleLine, found: FoundSale) {
      const contact_id = found.contact_id as number;
      const balance_after = (balances.get(contact_id) as number) + amount;
      balances.set(contact_id, balance_after);
      sale_id += 1;
      const { created_at, sold_on } = found;
      const reference_id = line.reference_id ?? generatedReference("sale", sale_id);
      const entry = {
        ...({ account: "sales", event_type: "sale", reason: null } as const),
        ...{ contact_id, amount, balance_after, location_id: location_id ?? null, reference_id, created_at },
      };
      const known = line.reference_id === undefined ? null : amount;
      return { line: { digest, amount: known, points: null }, entry, sale_id, sold_on };
    },
  };
}

type AcceptedSale = ReturnType<ReturnType<typeof saleDecisions>["accept"]>;

/** Records sales, with what they earn: the lots of their points are to be settled. */
async function recordSales(
  tx: Connection,
  ledger: LockedLedger,
  rows: readonly AcceptedSale[],
  earn: boolean,
): Promise<void> {
  const { business_id } = ledger;
  const engine = earn ? await earnPoints(tx, business_id, rows) : undefined;
  const lines = rows.map(({ line }) => ({ business_id, ...line }));
  const entries = rows.map(({ entry }) => entry);
  await Promise.all([recordLines(tx, lines), recordImported(tx, ledger, entries, engine)]);
}

async function earnPoints(
  tx: Connection,
  business_id: number,
  rows: readonly AcceptedSale[],
): Promise<EngineRecording> {
  const rules = await findImportRules(tx, business_id, [...new Set(rows.map(({ sold_on }) => sold_on))]);
  const earned = rows.map(({ sale_id, sold_on, entry }) => {
    const { contact_id, amount, reference_id, created_at } = entry;
    const location_id = entry.location_id as number;
    const sale = { sale_id, sold_on, contact_id, amount, location_id, reference_id };
    return { ...earnFromImport(sale, rules.get(sold_on) as Rules), business_id, created_at };
  });
  return {
    sales: earned.map(({ sale, business_id, created_at }) => ({ ...sale, business_id, created_at })),
    lots: earned.flatMap(({ sale: { contact_id }, lot }) => (lot ? { ...lot, business_id, contact_id } : [])),
    refunds: [],
    debts: [],
    redemptions: [],
  };
}
