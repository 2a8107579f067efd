/** The business that the person used last in this browser. */
import type { DataOf } from "../api/declarations.ts";

const key = "loyalty-console-business";

export function keepLastBusiness(businessId: number): void {
  localStorage.setItem(key, String(businessId));
}

/** The one that was used last, or else the first that is no sandbox. */
export function lastBusinessOf<Item extends Pick<DataOf<"/op/businesses/list">, "business_id" | "sandbox">>(
  businesses: readonly Item[],
): Item | undefined {
  const last = Number(localStorage.getItem(key));
  return (
    businesses.find(({ business_id }) => business_id === last) ??
    businesses.find(({ sandbox }) => !sandbox) ??
    businesses[0]
  );
}
