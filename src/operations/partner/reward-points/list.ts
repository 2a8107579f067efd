import { fields, listOperation, type Static, Type } from "../../../contract/declare.ts";
import type { Connection } from "../../../database/connection.ts";
import { listLots, lotsOf } from "../../../database/engine/lots.ts";
import { inTurn } from "../../../database/rows.ts";
import { checkLocation, type LocationAccess } from "../../../domain/access/access.ts";
import { leftOf, lotStatus, unlotted, validThrough } from "../../../domain/engine/lots.ts";
import { offsetOf, pageOf } from "../../../domain/pagination.ts";
import type { Lot } from "../../../domain/records.ts";
import { points } from "../../amounts.ts";
import * as shared from "../../sales/sales.ts";

const row = Type.Object({
  source: fields.choice(
    ["sale", "occasion", "by_hand"],
    "sale: a sale earned the points. occasion: the member got them on an occasion, such as its birthday. by_hand: they were credited by hand, and never expire unless they were imported with a " +
      "last day.",
  ),
  sale_id: fields.nullable(
    fields.saleId,
    "The sale; null for points that were credited by hand, and for a sale at a location that the integration may not use.",
  ),
  occasion_id: fields.nullable(fields.occasionId, "The occasion; null without one.", null),
  reference_id: fields.nullable(
    shared.reference,
    "The reference of the sale, or of the entry of the occasion; null without a sale_id and an occasion_id.",
  ),
  earned_on: shared.nullableDay("The day of the sale, of the occasion, or of the import."),
  points: points("Points that the sale earned, or that the member got.", 60),
  clawed: points("Points that refunds took back."),
  used: points("Points that the member spent.", 15),
  expired: points("Points that expired unused."),
  left: points("Points that are left.", 45),
  status: fields.choice(
    ["pending", "available", "closed"],
    "Whether the points can be spent: not yet, now, or no longer.",
    "available",
  ),
  matures_on: shared.nullableDay("The first day on which they can be spent."),
  valid_through: shared.nullableDay("The last day on which they can be spent; null if they don't expire."),
});

export const listPoints = listOperation({
  path: "/sp/reward-points/list",
  scope: "wa.rewards.read",
  summary: "List a member's reward points",
  message: "Reward points listed.",
  description:
    "Lists the sales and occasions that gave a member's points, with the dates of the points: one row for each, newest first. " +
    "Points that were credited by hand are in one row, which comes first. Imported points that expire have rows of their own.",
  operator: {
    role: "viewer",
    summary: "List a member's points by sale",
    description:
      "Lists the sales and occasions that gave a member's points, newest first, with the days from which and until which the points can " +
      "be spent. Points that were credited by hand are in one row, which comes first.",
  },
  columns: ["earned_on", "points", "left", "status", "valid_through", "reference_id", "matures_on"],
  input: {
    contact_id: fields.contactId,
    include_closed: fields.option("Whether to include rows without points left."),
  },
  output: row,
  errors: ["member_not_found"],
  async list({ sql, services, caller: { businessId, locations }, input, page, reject }) {
    const { lookUps, members, scans } = services;
    const { include_closed: includeClosed = false } = input;
    const wanted = { businessId, contactId: input.contact_id };
    // This settles a member with very many due lots, which can't be done in a snapshot.
    if ((await members.find(lookUps, wanted)) === undefined) return reject("member_not_found");
    const list = async (tx: Connection) => {
      const member = await members.findIn(tx, wanted);
      if (member === undefined) return reject("member_not_found");
      const byHand = unlotted(member.points);
      // A page after a place is after the row of the points that were credited by hand.
      const before = byHand > 0 && page.after === undefined ? 1 : 0;
      const filter = {
        contactId: member.contact_id,
        includeClosed,
        settled: member.settledLots,
        before,
      };
      const { total, rows } = await listLots(tx, businessId, filter, page);
      const first = before > 0 && offsetOf(page) === 0 ? [{ place: newestLot, row: byHandRow(byHand) }] : [];
      const lots = rows.map((lot) => ({ place: [String(lot.lot_id)], row: lotRow(lot, locations) }));
      const all = total === undefined ? undefined : total + before;
      const listed = pageOf(page, [...first, ...lots], all, ({ place }) => place);
      return { ...listed, rows: listed.rows.map(({ row }) => row) };
    };
    return inTurn({ sql, scans }, businessId, lotsOf(businessId, input.contact_id), () =>
      sql.begin(list, "ISOLATION LEVEL REPEATABLE READ READ ONLY"),
    );
  },
});

/** The place before all lots. */
const newestLot = [String(2n ** 63n - 1n)];

/** Points without a lot. */
const byHandRow = (points: number): Static<typeof row> => ({
  source: "by_hand",
  sale_id: null,
  occasion_id: null,
  reference_id: null,
  earned_on: null,
  matures_on: null,
  valid_through: null,
  points,
  clawed: 0,
  used: 0,
  expired: 0,
  left: points,
  status: "available",
});

function lotRow(lot: Lot, locations: LocationAccess): Static<typeof row> {
  const { lot_id, location_id, occasion_id, earned_on, points, clawed, used, expired, matures_on } = lot;
  // An opening balance has no location.
  const isVisible = location_id !== null && checkLocation(locations, location_id) === undefined;
  return {
    source: location_id !== null ? "sale" : occasion_id !== null ? "occasion" : "by_hand",
    sale_id: isVisible ? lot_id : null,
    occasion_id,
    reference_id: isVisible || occasion_id !== null ? lot.reference_id : null,
    earned_on,
    points,
    clawed,
    used,
    expired,
    left: leftOf(lot),
    status: lotStatus(lot),
    matures_on,
    valid_through: validThrough(lot),
  };
}
