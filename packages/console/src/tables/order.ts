/** What a person has chosen of a list. It is in the address, so that a link, and the way back, lead to the same. */
import { useSearchParams } from "wouter";
import type { Fields } from "../api/declarations.ts";
import { compareValues } from "../texts/order.ts";
import { isReference, type Row, unitOf } from "../values/index.ts";

/** How the parameters end that say which page of a list is shown, and by what it is sorted. */
export const [pageParameter, orderParameter] = ["-page", "-sort"];

/** @returns the value of a parameter of the address, and what gives it another one, or none */
export function useParameter(name: string, options: { readonly replace?: boolean } = {}) {
  const [parameters, setParameters] = useSearchParams();
  const change = (next?: unknown) => {
    // Sorted, a list is one page.
    const page = name.replace(orderParameter, pageParameter);
    const others = [...parameters].filter(([other]) => other !== name && other !== page);
    const { state } = history;
    setParameters(next === undefined ? others : [...others, [name, String(next)]], { ...options, state });
  };
  return [parameters.get(name), change] as const;
}

/**
 * The order of a table that has all rows.
 * @param list its name in the address; undefined for a table that keeps its order
 * @returns the rows, by which column they are sorted, and what sorts by another one, or in the other direction
 */
export function useOrder<R extends Row>(rows: readonly R[], fields: Fields, list: string | undefined) {
  const [chosen, sort] = useParameter(`${list}${orderParameter}`);
  const [, sign, by = ""] = /^(-?)(\w*)$/.exec(chosen ?? "") ?? [];
  const canSort = (name: string) =>
    list !== undefined &&
    rows.length > 1 &&
    /^(?:string|integer|number)$/.test(fields[name]?.type ?? "") &&
    !isReference(name) &&
    !(unitOf(name) in fields);
  const compare = (one: R, other: R) => (sign ? -1 : 1) * compareValues(one[by], other[by]);
  const direction = sign ? ("descending" as const) : ("ascending" as const);
  const sorted = canSort(by) ? rows.toSorted(compare) : rows;
  const turn = (name: string) => sort(name === by && !sign ? `-${name}` : name);
  return { sorted, canSort, by, direction, turn };
}
