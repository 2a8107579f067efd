/** What customers are told when points or the wallet can't pay. */
import { MedusaError } from "@medusajs/framework/utils";
import { ApiError, LoyaltyError } from "loyalty-sdk";
import { afterFailure } from "loyalty-sdk/shops";

export const chooseAgain = "Choose again how many points and how much of the wallet to use.";

/** Makes an error whose message the storefront gets. @param code of the service or of the plugin, for programs */
export const refused = (message: string, code?: string): MedusaError =>
  new MedusaError(MedusaError.Types.NOT_ALLOWED, message, code);

/** Throws an error of the service again, as one that the storefront can show. */
export function forCustomer(error: unknown): never {
  if (!(error instanceof LoyaltyError)) throw error;
  if (error instanceof ApiError && afterFailure(error) === "put_aside") {
    throw refused(`The points or the wallet can't pay this (${error.code}). ${chooseAgain}`, error.code);
  }
  throw new MedusaError(
    MedusaError.Types.UNEXPECTED_STATE,
    "Points and the wallet can't be used at the moment. Try again in a minute, or pay without them.",
  );
}
