/** What promotions gave for a recorded sale, in responses. */
import { fields, type Static, Type } from "../../contract/declare.ts";
import { mostSaleLines } from "../../domain/engine/lines.ts";
import type { SaleGrant } from "../../domain/records.ts";
import { points } from "../amounts.ts";

export const recordedGrant = Type.Object({
  promotion_id: fields.promotionId,
  line_nos: Type.Array(fields.lineNo, {
    maxItems: mostSaleLines,
    description: "The lines on which it gave, by line_no. Empty: it gave for the sale as a whole.",
    examples: [[1, 3]],
  }),
  points: points("The points that it gave.", 12),
  points_left: points("The part of these points that refunds have left.", 12),
  held_voucher_id: fields.nullable(fields.heldVoucherId, "The voucher that it gave; null without one.", 17),
});

export const showGrants = (grants: readonly SaleGrant[] | null): Static<typeof recordedGrant>[] =>
  (grants ?? []).map(({ promotion_id, lines, points, left, held_voucher_id }) => {
    return {
      promotion_id,
      line_nos: [...(lines ?? [])],
      points,
      points_left: left,
      held_voucher_id,
    };
  });
