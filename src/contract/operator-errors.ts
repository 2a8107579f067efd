import { type ErrorDefinition, missing } from "./error-definition.ts";
import * as details from "./error-details.ts";

/** The errors that only operators get. */
export const operatorErrors = {
  business_not_found: {
    status: 404,
    message: "No business has this business_id.",
    cause: "There is no business with this business_id.",
    remedy: "Check business_id against /op/businesses/list.",
  },
  location_not_found: {
    status: 404,
    details: details.missingLocations,
    message: "No location of the business has this location_id.",
    cause: "The business has no location with this location_id, or with one of the location_ids.",
    remedy: "Check location_id against /op/locations/list.",
  },
  integration_not_found: missing("integration", "integration_id", "See /op/integrations/list."),
  balances_not_zero: {
    status: 409,
    details: details.balances,
    message: "The member has money, points or vouchers.",
    cause: "A member with a balance is erased only if a reason is given. details has the balances.",
    remedy: "Bring the balances to zero, or send a reason to write them off.",
  },
  not_a_sandbox: {
    status: 409,
    message: "The business is not a sandbox.",
    cause: "Only a sandbox business can be deleted.",
    remedy: "Create a business with sandbox: true for tests.",
  },
  role_not_allowed: {
    status: 403,
    details: details.requiredRole,
    message: "Your role may not do this.",
    cause: "The operation needs a role that the operator does not have.",
    remedy: "Ask an owner of the service, or a person with the role named in details.role.",
  },
  reauthentication_required: {
    status: 403,
    message: "Confirm your password first.",
    cause:
      "The operation needs the password of a person who signed in, and it was given more than ten minutes ago.",
    remedy: "Send name and password to /op/session/create, then retry with the new session.",
  },
  limit_exceeded: {
    status: 409,
    details: details.operatorLimit,
    message: "The correction exceeds your limit.",
    cause:
      "An operator with a limit corrects by more than the limit, at once or together with the corrections of the day.",
    remedy:
      "Correct by at most details.left today, or ask an operator with a higher limit. The limit starts again on the day in details.resets_at.",
  },
} as const satisfies Record<string, ErrorDefinition>;
