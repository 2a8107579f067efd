import { fields, Rejection, Type, writeOperation, wrongValue } from "../../../contract/declare.ts";
import { importBodyBytes, mostLines } from "../../../domain/imports/limits.ts";
import { responseOf } from "../../imports/chunks.ts";
import { identityFields, saleLines } from "../../imports/imported-sales.ts";
import { importResult, trialFields } from "../../imports/imports.ts";
import { recordSaleLines } from "../../imports/recorded-sales.ts";
import { locationId } from "../../records.ts";

export const importSales = writeOperation({
  path: "/op/imports/sales",
  role: "manager",
  event: "sales.imported",
  emits: "sales.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import sales",
  message: "Sales imported.",
  description:
    "Records past sales, each at its own time, in the sales accounts of their members, active or not. The valid lines " +
    "of a request are imported in one transaction. A line is identified by its reference_id, or else by its values. A line " +
    "that is already imported is skipped. A line whose reference_id was imported with another member, day or amount is " +
    "rejected, and so is a line of a member who was erased. A line with a negative amount and the reference_id of a sale that is imported, " +
    "or in the same request, is a refund of it; otherwise of the sale of a till, if its member has one with this reference_id. With earn, each line becomes a sale that can be " +
    "refunded and earns points by the rules of its day; its lines say what earns, and can be refunded. Imported sales count for tiers, which members reach today. Sales from before the first rules earn by the first rules. " +
    "Points that have expired since are recorded as earned and as expired.",
  input: {
    business_id: fields.businessId,
    lines: saleLines,
    ...trialFields,
    ...identityFields,
    earn: fields.option("Whether the sales earn points."),
    earn_imported: fields.option(
      "With earn: whether sales that were imported before without points earn them now. No sale earns twice.",
    ),
    location_id: Type.Optional(
      Type.Integer({ ...locationId, description: "The location of lines without a location." }),
    ),
  },
  output: Type.Object({
    ...importResult.properties,
    without_points: Type.Optional(
      fields.whole(0, mostLines, "With earn: how many of the skipped sales were imported without points.", 1),
    ),
    points_added: Type.Optional(
      fields.whole(0, mostLines, "With earn_imported: how many of the skipped sales earn points now.", 1),
    ),
  }),
  errors: ["location_not_found", "validation_failed"],
  check({ earn = false, earn_imported = false }) {
    if (earn || !earn_imported) return [];
    return [wrongValue("earn_imported", "needs earn")];
  },
  async write({ audit, ...context }) {
    const outcome = await recordSaleLines(context);
    if (outcome instanceof Rejection) return outcome;
    const { dry_run, earn = false } = context.input;
    const isRecorded = dry_run !== true && outcome.imported + (outcome.points_added ?? 0) > 0;
    return responseOf(outcome, audit, isRecorded, { earn });
  },
});
