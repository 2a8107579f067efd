/** The lines of receipts, in requests and responses of sales and refunds. */

import { type FieldError, fields, type Static, Type, wrongValue } from "../../contract/declare.ts";
import type { CheckContext } from "../../contract/operation.ts";
import {
  coveredLines,
  divideBase,
  type LineRefund,
  leftOfLine,
  mostSaleLines,
} from "../../domain/engine/lines.ts";
import { amountLimit } from "../../domain/ledger.ts";
import type { RefundedLine, Sale } from "../../domain/records.ts";
import { money } from "../amounts.ts";
import { lineRate } from "../rules/program-rates.ts";
import { refundable } from "./sales.ts";

const lineAmount = fields.inMinorUnits(
  fields.whole(0, amountLimit, "The amount of the line, in minor units.", 600),
);
const quantity = fields.whole(1, 1_000_000, "The quantity. A line of two coffees has 2.", 2);

/** The most fields of a request with lines: those of other requests, and four for each line. */
export const receiptFields = 64 + 4 * mostSaleLines;

/** The lines of a receipt, as a till sends them. */
export const receiptLines = Type.Array(
  Type.Object(
    {
      sku: Type.Optional(fields.sku),
      category: Type.Optional(fields.category),
      quantity: Type.Optional({ ...quantity, default: 1 }),
      amount: lineAmount,
    },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    maxItems: mostSaleLines,
    description:
      "The lines of the receipt, whose amounts add up to the total, after discounts. With them, the program's excluded " +
      "categories and articles earn nothing, and lines can be refunded.",
    examples: [
      [
        { sku: "LATTE-L", category: "coffee", quantity: 2, amount: 900 },
        { category: "gift cards", amount: 5600 },
      ],
    ],
  },
);

/** A line of a recorded sale. */
export const recordedLine = Type.Object({
  line_no: fields.lineNo,
  sku: fields.nullable(fields.sku, "The article; null without one.", "LATTE-L"),
  category: fields.nullable(fields.category, "Its category; null without one.", "coffee"),
  quantity,
  amount: lineAmount,
  earning_base: money("The part of the amount that earned; 0 if the program excludes the line", 600),
  rate: fields.nullable(
    Type.Object(lineRate),
    "The rate that the program had for the line; null for its own rate. Without an earn_amount, the points were for each unit.",
    null,
  ),
  returned: fields.count("How much of the quantity was refunded.", 1),
  free: fields.count(
    "How much of the quantity vouchers for an article paid. It gives no points and no stamps for units.",
    0,
  ),
  refundable,
});

/** The lines of a sale, for its responses. */
export function showLines(
  sale: Pick<Sale, "receipt_lines" | "earning_base" | "refunded">,
): Static<typeof recordedLine>[] {
  const { receipt_lines: lines } = sale;
  if (lines === null) return [];
  const bases = divideBase(sale.earning_base, lines);
  return coveredLines(sale, lines).map((line, index) => {
    const { sku, category, quantity, amount, rate = null, returned, free } = line;
    return {
      ...{ line_no: index + 1, sku, category, quantity, amount, rate, returned, free },
      earning_base: bases[index] ?? 0,
      refundable: leftOfLine(line),
    };
  });
}

/** The lines that a refund covers. */
export const refundedLines = Type.Array(
  Type.Object(
    {
      line_no: fields.lineNo,
      quantity: Type.Optional({
        ...quantity,
        description: "How much of the quantity comes back.",
        examples: [1],
      }),
      amount: Type.Optional(
        fields.inMinorUnits(
          fields.whole(1, amountLimit, "An amount of the line instead, in minor units.", 300),
        ),
      ),
    },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    maxItems: mostSaleLines,
    description:
      "The lines to refund, instead of an amount of the sale. A line without quantity and amount is refunded in whole.",
    examples: [[{ line_no: 1, quantity: 1 }]],
  },
);

/** What a refund gave back of lines. */
export const linesBack = Type.Array(
  Type.Object({
    line_no: fields.lineNo,
    quantity_back: fields.nullable(quantity, "How much of the quantity came back; null for an amount.", 1),
    amount: money("The amount that was refunded of the line", 300),
  }),
  {
    maxItems: mostSaleLines,
    description: "What was refunded of each line. Empty for a refund of an amount of the sale.",
    examples: [[{ line_no: 1, quantity_back: 1, amount: 300 }]],
  },
);

/** What a recorded refund gave back of lines, for responses. */
export const showLinesBack = (lines: readonly RefundedLine[] | null): Static<typeof linesBack> =>
  (lines ?? []).map(({ line_no, quantity_back, amount }) => ({ line_no, quantity_back, amount }));

/** Checks that each line is named once, and by a quantity or an amount. */
export function checkRefund(
  { lines = [] }: { readonly lines?: readonly LineRefund[] | undefined },
  { rejected }: Pick<CheckContext, "rejected">,
): FieldError[] {
  if (rejected.has("lines")) return [];
  const named = lines.map(({ line_no }) => line_no);
  return lines.flatMap(({ line_no, quantity, amount }, index) => {
    const field = `lines.${index}`;
    if (named.indexOf(line_no) !== index) return [wrongValue(`${field}.line_no`, "must be named only once")];
    if (quantity === undefined || amount === undefined) return [];
    return [wrongValue(`${field}.amount`, "must not be sent together with quantity")];
  });
}
