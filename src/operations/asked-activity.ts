/** The days and the location of a report of activity. */
import { type FieldError, fieldError, type Rejection, Type } from "../contract/declare.ts";
import type { Services } from "../contract/services.ts";
import { findToday } from "../database/access/businesses.ts";
import type { ActivityFilter } from "../database/ledger/activity.ts";
import { addDays } from "../domain/dates.ts";
import type { ReportUnit } from "../domain/reports/periods.ts";
import { failuresOfPast } from "./members/members.ts";
import { locationId, rejectMissingLocations } from "./records.ts";
import { daysByDefault } from "./report-days.ts";

export const ofLocation = {
  location_id: Type.Optional({
    ...locationId,
    description: "Only what happened at this location. By default, all locations and what has none.",
  }),
};

interface Asked {
  readonly from?: string | undefined;
  readonly through?: string | undefined;
  readonly by?: ReportUnit | undefined;
  readonly location_id?: number | undefined;
}

/** What is wrong with the days. */
export async function checkPastDays(
  { from, through }: Asked,
  { services, businessId }: { readonly services: Services; readonly businessId: number },
): Promise<FieldError[]> {
  const today = await findToday(services.lookUps, businessId);
  const last = through ?? today;
  return [
    ...(from === undefined ? [] : failuresOfPast("from", from, false)),
    ...(through === undefined || today === undefined
      ? []
      : failuresOfPast("through", through, through > today)),
    ...(from !== undefined && last !== undefined && last < from
      ? [fieldError("from", "out_of_range", "must not be after through, which is today by default")]
      : []),
  ];
}

/** @returns what is asked for, with what is usual in the place of what is not given */
export async function findAskedActivity(
  services: Services,
  businessId: number,
  { by = "day", location_id, ...days }: Asked,
): Promise<ActivityFilter | Rejection<"location_not_found">> {
  const through = days.through ?? ((await findToday(services.lookUps, businessId)) as string);
  const from = days.from ?? addDays(through, 1 - daysByDefault);
  const named = location_id === undefined ? [] : [location_id];
  const missing = await rejectMissingLocations(services.lookUps, businessId, named);
  return missing ?? { from, through, by, location_id };
}
