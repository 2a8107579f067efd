/** The days of a report that adds up what happened on them, such as of a promotion or of all locations. */
import { type FieldError, fieldError, fields, Type } from "../contract/declare.ts";
import { findToday } from "../database/access/businesses.ts";
import type { Connection } from "../database/connection.ts";
import { addDays } from "../domain/dates.ts";

export const mostReportedDays = 366;
export const daysByDefault = 28;

export const reportedDayFields = {
  from: Type.Optional(fields.day(`The first day. By default, ${daysByDefault} days end with through.`)),
  through: Type.Optional(fields.day("The last day: today, as by default, or another one.")),
};

/** @param mostDays null: any number of days @returns the days, or what is wrong with them */
export async function findReportedDays(
  sql: Connection,
  businessId: number,
  input: { readonly from?: string | undefined; readonly through?: string | undefined },
  mostDays: number | null = mostReportedDays,
): Promise<{ readonly from: string; readonly through: string } | { readonly errors: FieldError[] }> {
  const through = input.through ?? ((await findToday(sql, businessId)) as string);
  const from = input.from ?? addDays(through, 1 - daysByDefault);
  if (from > through) {
    const problem = "must not be after through, which is today by default";
    return { errors: [fieldError("from", "out_of_range", problem)] };
  }
  if (mostDays === null || addDays(from, mostDays) > through) return { from, through };
  const problem = `must be at most ${mostDays - 1} days before through`;
  return { errors: [fieldError("from", "out_of_range", problem)] };
}
