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
  segment_not_found: missing("segment", "segment_id", "See /op/segments/list."),
  import_not_found: missing(
    "import",
    "import_id",
    "See /op/imports/list. Files are deleted after some days.",
  ),
  import_not_ready: {
    status: 409,
    details: details.importState,
    message: "The import is in another state.",
    cause:
      "A part of the file is missing or was sent already, the file was not checked yet, or the import is under way or over. " +
      "details has its state.",
    remedy: "See the import with /op/imports/get. The states are in its description.",
  },
  bulk_grant_not_ready: {
    status: 409,
    details: details.bulkGrantState,
    message: "The bulk grant is in another state.",
    cause: "The bulk grant is over, or is under way already. details has its state.",
    remedy:
      "See its state with /op/bulk-grants/list. A running one can be cancelled. One that was cancelled or has failed can be resumed.",
  },
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
    cause: "Only a sandbox business can be deleted, and only its clock can be advanced.",
    remedy: "Create a business with sandbox: true for tests.",
  },
  operator_not_found: {
    status: 404,
    message: "No operator has this operator_id.",
    cause: "No account that you see has this operator_id.",
    remedy: "Check operator_id against /op/operators/list.",
  },
  key_not_found: {
    status: 404,
    message: "No operator key has this key_id.",
    cause: "No key that you see has this key_id, or it was revoked.",
    remedy: "Check key_id against /op/operator-keys/list.",
  },
  session_not_found: {
    status: 404,
    message: "No session has this session_id.",
    cause: "No session that you see has this session_id, or it has ended.",
    remedy: "Check session_id against /op/sessions/list.",
  },
  operator_already_exists: {
    status: 409,
    message: "Another operator already has this name.",
    cause: "An account has the name, perhaps in other case.",
    remedy: "Choose another name, or reset the password of that account with /op/operators/reset.",
  },
  last_owner: {
    status: 409,
    message: "No other owner could manage the operators.",
    cause:
      "After the change, no account could be used that is an owner of all businesses, or none that has no limits either.",
    remedy:
      "Make another account an owner first. Root, who has the operator key, can make the change in any case.",
  },
  sign_in_failed: {
    status: 401,
    message: "The name or the password is wrong.",
    cause: "No enabled account has this name and this password.",
    remedy: "Check both. An owner can reset the password with /op/operators/reset.",
  },
  invitation_not_valid: {
    status: 403,
    message: "The invitation is not valid.",
    cause: "The token is wrong or was used before, 24 hours have passed, or there is a newer invitation.",
    remedy: "Ask an owner for a new invitation.",
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
