/** The rates that a program has for the lines of some articles and categories, and its limits of a member's points. */
import { type FieldError, fieldError, fields, type Static, Type } from "../../contract/declare.ts";
import type { CheckContext } from "../../contract/operation.ts";

export const mostRates = 20;
const mostWords = 50;

/** The most fields of a request with the rates of a program. */
export const ratedFields = 64 + 4 * mostRates;

const words = (of: typeof fields.sku, description: string, example: string) =>
  Type.Optional(
    Type.Array(of, {
      minItems: 1,
      maxItems: mostWords,
      uniqueItems: true,
      description,
      examples: [[example]],
    }),
  );
export const earnPoints =
  "The points earned for each earn_amount, or for each unit. A program with 0 earns only by its rates.";
const ratePoints = fields.inPoints(fields.whole(1, 1000, earnPoints, 5));
const earnAmount = "The amount, in minor units, for which earn_points are earned.";
export const rateAmount = fields.inMinorUnits(fields.whole(1, 1_000_000_000, earnAmount, 100));

const memberLimit = (when: string, example: number) =>
  fields.nullable(
    fields.inPoints(fields.whole(1, 1_000_000_000, "A number of points.", example)),
    `The most points that a member earns ${when}, by all sales with such a limit; null: any number. Refunds make room again.`,
    null,
  );
/** The limits of a member's points, besides the maximum of an order. */
export const memberLimits = {
  maximum_points_per_day: memberLimit("on a day of the business", 500),
  maximum_points_per_month: memberLimit("in a calendar month", 5000),
};

const programRate = Type.Object(
  {
    skus: words(fields.sku, "The articles whose lines earn by this rate.", "SERUM-30"),
    categories: words(fields.category, "The categories whose lines earn by this rate.", "cosmetics"),
    earn_points: ratePoints,
    earn_amount: Type.Optional(rateAmount),
    earn_per: Type.Optional(
      fields.choice(
        ["unit"],
        "Instead of earn_amount: the points are for each unit of the quantity, such as a litre.",
        "unit",
      ),
    ),
  },
  { additionalProperties: false },
);

export const programRates = Type.Array(programRate, {
  maxItems: mostRates,
  description:
    "Other rates for the lines of some articles or categories. Of those that match a line, the first counts. Other lines, and sales " +
    "without lines, earn by the program's own rate.",
  examples: [
    [
      { categories: ["cosmetics"], earn_points: 5, earn_amount: 100 },
      { categories: ["fuel"], earn_points: 2, earn_per: "unit" },
    ],
  ],
});

type Rates = readonly Static<typeof programRate>[];

/** Checks that each rate names lines, and an amount or a unit. @param path of the program in the request */
export function checkRates(
  { rates = [] }: { readonly rates?: Rates | undefined },
  { rejected }: Pick<CheckContext, "rejected">,
  path = "",
): FieldError[] {
  if (rejected.has("rates")) return [];
  return rates.flatMap(({ skus, categories, earn_amount, earn_per }, index) => {
    const field = `${path}rates.${index}`;
    const errors: FieldError[] = [];
    if (skus === undefined && categories === undefined)
      errors.push(
        fieldError(`${field}.categories`, "required", "or skus must say which lines earn by this rate"),
      );
    if (earn_amount === undefined && earn_per === undefined)
      errors.push(fieldError(`${field}.earn_amount`, "required", "or earn_per must be sent"));
    if (earn_amount !== undefined && earn_per !== undefined)
      errors.push(
        fieldError(`${field}.earn_per`, "not_allowed_value", "must not be sent together with earn_amount"),
      );
    return errors;
  });
}

/** The rate of a line or of a part of a sale, in responses. Without an amount, the points are for each unit of the quantity. */
export const lineRate = {
  earn_points: ratePoints,
  earn_amount: fields.nullable(rateAmount, earnAmount),
};
