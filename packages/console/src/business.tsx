/** The business that the person chose. It is in the address, so that a link leads to the same page of the same business. */
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { type Asked, type DataOf, outlineOf, type Path, type RequestOf } from "./api/declarations.ts";
import { decimalText } from "./texts/decimals.ts";

export type BusinessData = DataOf<"/op/businesses/list">;

/** `money`: an amount in minor units with the currency, "1,234.50 EUR". */
export type Business = BusinessData & Readonly<{ money: (minorUnits: number) => string }>;

const BusinessContext = createContext<Business | undefined>(undefined);

export function BusinessProvider({ data, children }: Readonly<{ data: BusinessData; children: ReactNode }>) {
  const business = useMemo(() => {
    const { currency, currency_decimals: decimals } = data;
    return { ...data, money: (amount: number) => `${decimalText(amount, decimals)} ${currency}` };
  }, [data]);
  return <BusinessContext.Provider value={business}>{children}</BusinessContext.Provider>;
}

/** The record that a page is about, and its number by the name of the field. */
export const PageRecord = createContext<Readonly<{ record?: object; number?: object }>>({});

/** The business of a page below /:business_id. */
export const useBusiness = () => useContext(BusinessContext) as Business;

/** The business, if the page has one. */
export const useMaybeBusiness = (): Business | undefined => useContext(BusinessContext);

/** The request of a page: what takes the number of its business, or of its record, is about that one. */
export function useRequest<P extends Path>(path: P, request: Asked<P>): RequestOf<P> {
  const { business_id } = useMaybeBusiness() ?? {};
  const known = { ...(business_id && { business_id }), ...useContext(PageRecord).number };
  const taken = Object.entries(known).filter(([name]) => outlineOf(path).takes.includes(name));
  return { ...Object.fromEntries(taken), ...request } as RequestOf<P>;
}

const key = "loyalty-console-business";

/** Keeps the business that the person used last in this browser. */
export function keepLastBusiness({ business_id }: BusinessData): void {
  localStorage.setItem(key, String(business_id));
}

/** The one that was used last, or else the first that is no sandbox. */
export function lastBusinessOf(businesses: readonly BusinessData[]): BusinessData | undefined {
  const last = Number(localStorage.getItem(key));
  return (
    businesses.find(({ business_id }) => business_id === last) ??
    businesses.find(({ sandbox }) => !sandbox) ??
    businesses[0]
  );
}
