/** What customers are told when points or the wallet can't pay. */
import { logger } from "@medusajs/framework/logger";
import { MedusaError } from "@medusajs/framework/utils";
import { ApiError, LoyaltyError } from "loyalty-sdk";
import { afterFailure } from "loyalty-sdk/shops";

export const chooseAgain = "Choose again how many points and how much of the wallet to use.";

/** Makes an error whose message the storefront gets. @param code of the service or of the plugin, for programs */
export const refused = (message: string, code?: string): MedusaError =>
  new MedusaError(MedusaError.Types.NOT_ALLOWED, message, code);

/** Throws an error of the service again, as one that the storefront can show. The log has what is no fault of the customer. */
export function forCustomer(error: unknown): never {
  if (!(error instanceof LoyaltyError)) throw error;
  if (error instanceof ApiError && afterFailure(error) === "put_aside") {
    throw refused(`The points or the wallet can't pay this (${error.code}). ${chooseAgain}`, error.code);
  }
  logger.error(`loyalty: a customer can't use points and the wallet at the moment: ${error.message}`, error);
  throw new MedusaError(
    MedusaError.Types.UNEXPECTED_STATE,
    "Points and the wallet can't be used at the moment. Try again in a minute, or pay without them.",
  );
}
