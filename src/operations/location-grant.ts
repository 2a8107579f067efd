/** The locations of an integration: all present and future ones, or a list. */
import { type FieldError, fieldError } from "../contract/errors.ts";
import type { CheckContext } from "../contract/operation.ts";

interface LocationGrant {
  readonly all_locations?: boolean | undefined;
  readonly location_ids?: readonly number[] | undefined;
}

/** One of the two must say it, and they must not say different things. */
export function checkLocationGrant(
  { all_locations, location_ids }: LocationGrant,
  presence: "required" | "optional",
  { refused }: CheckContext,
): FieldError[] {
  if (refused.has("all_locations") || refused.has("location_ids")) return [];
  if (all_locations === true && location_ids !== undefined && location_ids.length > 0) {
    return [fieldError("location_ids", "not_allowed_value", "must be left out when all_locations is true")];
  }
  if (all_locations !== true && location_ids === undefined) {
    // Nothing sent is a change of something else; all_locations false alone says no locations.
    if (presence === "optional" && all_locations === undefined) return [];
    return [fieldError("location_ids", "required", "is required unless all_locations is true")];
  }
  return [];
}
