import { type Static, Type } from "typebox";
import { fail, fields, Refusal, writeOperation } from "../../../contract/declare.ts";
import type { OpenLedger } from "../../../contract/operation.ts";
import { findMissingLocations } from "../../../database/catalog.ts";
import type { Connection } from "../../../database/connection.ts";
import { findMembers } from "../../../database/engine/members.ts";
import { findImportRules } from "../../../database/engine/rules.ts";
import { type FoundSale, findSalesToImport, recordLines } from "../../../database/imports.ts";
import type { Member } from "../../../domain/decision.ts";
import { roomFor } from "../../../domain/engine/lots.ts";
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
  Rejected,
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
    const contactIds = [...new Set(found.flatMap(({ contact_id }) => contact_id ?? []))];
    const ledger = await services.members.openLedger(tx, businessId, contactIds, { balances: ["sales"] });
    const earning = earn ? await findEarning(tx, businessId, contactIds, found) : undefined;
    const { rows, skipped, rejected } = decideLines(checked, found, {
      reference: "reference_id",
      amounts: ["amount"],
      ...saleDecisions(ledger, earning),
    });
    const isRecorded = !dry_run && rows.length > 0;
    if (isRecorded) {
      const imported = rows.map(({ line }) => ({ business_id: businessId, ...line }));
      await Promise.all([recordLines(tx, imported), ledger.record()]);
      if (earn)
        await services.members.settle(
          tx,
          businessId,
          rows.map(({ contact_id }) => contact_id),
        );
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

/** For imported sales that earn points. */
interface Earning {
  /** By the day of the sale. */
  readonly rules: ReadonlyMap<string, Rules>;
  /** How many points each member can still get within the limit of its balance. */
  readonly room: Map<number, number>;
}

async function findEarning(
  tx: Connection,
  businessId: number,
  contactIds: readonly number[],
  found: readonly FoundSale[],
): Promise<Earning> {
  const wanted = contactIds.map((contactId) => ({ businessId, contactId, dueLots: 0 }));
  const [rules, members] = await Promise.all([
    findImportRules(tx, businessId, [...new Set(found.map(({ sold_on }) => sold_on))]),
    findMembers(tx, wanted),
  ]);
  const room = members.map((member, index) => {
    return [contactIds[index] as number, member === undefined ? 0 : roomFor(member.points)] as const;
  });
  return { rules, room: new Map(room) };
}

/** Decisions about sales, which become the next entries of the ledger. */
function saleDecisions(ledger: OpenLedger, earning: Earning | undefined) {
  return {
    failuresOf(line: SaleLine, { contact_id, located, future }: FoundSale) {
      const failures: Rejection[] = [];
      const [name, ...others] = memberNames.filter((field) => line[field] !== undefined);
      if (contact_id === null && name !== undefined && others.length === 0)
        failures.push(rejection(line, name, "member_not_found", "names no member"));
      if (!located) failures.push(rejection(line, "location_id", "location_not_found", "names no location"));
      if (future) failures.push(rejection(line, "sold_at", "out_of_range", "must not be in the future"));
      return failures;
    },
    accept(line: SaleLine, found: FoundSale) {
      const contact_id = found.contact_id as number;
      const posted = ledger.post(contact_id, ({ member, entryNo }) =>
        importSale(member, line, found, earning, entryNo),
      );
      if (posted instanceof Refusal) {
        const problem = "takes the balance past the largest";
        return new Rejected(rejection(line, "amount", "balance_limit_exceeded", problem));
      }
      const { digest, amount, reference_id } = line;
      const known = reference_id === undefined ? null : amount;
      return { line: { digest, amount: known, points: null }, contact_id };
    },
  };
}

/** Decides to add a past sale, also of an inactive member. */
function importSale(
  member: Pick<Member, "balances"> | undefined,
  line: SaleLine,
  { created_at, sold_on, contact_id }: FoundSale,
  earning: Earning | undefined,
  sale_id: number,
) {
  const { amount, location_id, reference_id = generatedReference("sale", sale_id) } = line;
  const balance = move(member && { active: true, balances: member.balances }, "sales", amount);
  if (balance instanceof Refusal) return balance;
  const entries = [{ event_type: "sale" as const, amount, reference_id, created_at }];
  if (earning === undefined) return { entries, location_id, data: {} };
  const place = { contact_id: contact_id as number, location_id: location_id as number };
  const rules = earning.rules.get(sold_on) as Rules;
  const { sale, lot } = earnFromImport({ sale_id, ...place, reference_id, sold_on, amount }, rules);
  const room = (earning.room.get(place.contact_id) as number) - sale.points_earned;
  if (room < 0) return fail("balance_limit_exceeded", { balance: room + sale.points_earned });
  earning.room.set(place.contact_id, room);
  // The points are pending at first. The member is settled when all lines are recorded.
  return { entries, location_id, changes: { sale: [sale], lot: lot === undefined ? [] : [lot] }, data: {} };
}
