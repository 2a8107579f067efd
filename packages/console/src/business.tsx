/** The business that the person chose. It is in the address, so that a link leads to the same page of the same business. */
import { createContext, useContext, useMemo } from "react";
import { type Asked, type DataOf, declarationOf, type Path, type RequestOf } from "./api/declarations.ts";
import { decimalText } from "./texts/decimals.ts";

type BusinessData = DataOf<"/op/businesses/list">;

export interface Business extends BusinessData {
  /** An amount in minor units with the currency: "1,234.50 EUR". */
  readonly money: (minorUnits: number) => string;
}

const BusinessContext = createContext<Business | undefined>(undefined);
export const BusinessProvider = BusinessContext.Provider;

export function useBusinessValue(data: BusinessData): Business {
  return useMemo(
    () => ({ ...data, money: (amount) => `${decimalText(amount, data.currency_decimals)} ${data.currency}` }),
    [data],
  );
}

/** The business of a page below /:business_id. */
export function useBusiness(): Business {
  const business = useContext(BusinessContext);
  if (business === undefined) throw new Error("The page has no business.");
  return business;
}

/** The business, if the page has one. */
export function useMaybeBusiness(): Business | undefined {
  return useContext(BusinessContext);
}

/** The request of a page: on a page of a business, an operation of businesses is about that one. */
export function useRequest<P extends Path>(path: P, request: Asked<P>): RequestOf<P> {
  const business = useMaybeBusiness();
  const isOfBusiness = business !== undefined && "business_id" in declarationOf(path).input;
  return { ...(isOfBusiness && { business_id: business.business_id }), ...request } as RequestOf<P>;
}
