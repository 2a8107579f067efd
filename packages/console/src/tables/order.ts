/** What a person has chosen of a list. It is in the address, so that a link, and the way back, lead to the same. */
import { useSearchParams } from "wouter";
import type { Fields } from "../api/declarations.ts";
import { language } from "../texts/en/language.ts";
import { isReference, type Row, unitOf } from "../values/index.ts";

/** @returns the value of a parameter of the address, and what gives it another one, or none */
export function useParameter(name: string) {
  const [parameters, setParameters] = useSearchParams();
  const change = (next?: unknown) => {
    const others = [...parameters].filter(([other]) => other !== name);
    const { state } = history;
    setParameters(next === undefined ? others : [...others, [name, String(next)]], { state });
  };
  return [parameters.get(name), change] as const;
}

/**
 * The order of a table that has all rows.
 * @param list its name in the address; undefined for a table that keeps its order
 * @returns the rows, by which column they are sorted, and what sorts by another one, or in the other direction
 */
export function useOrder<R extends Row>(rows: readonly R[], fields: Fields, list: string | undefined) {
  const [chosen, sort] = useParameter(`${list}-sort`);
  const [, sign, by = ""] = /^(-?)(\w*)$/.exec(chosen ?? "") ?? [];
  const canSort = (name: string) =>
    list !== undefined &&
    /^(?:string|integer|number)$/.test(fields[name]?.type ?? "") &&
    !isReference(name) &&
    !(unitOf(name) in fields);
  const compare = (one: R, other: R) => (sign ? -1 : 1) * compareValues(one[by], other[by]);
  const direction = sign ? ("descending" as const) : ("ascending" as const);
  const sorted = canSort(by) ? rows.toSorted(compare) : rows;
  const turn = (name: string) => sort(name === by && !sign ? `-${name}` : name);
  return { sorted, canSort, by, direction, turn };
}

const compareValues = (one: unknown, other: unknown): number =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : String(one ?? "").localeCompare(String(other ?? ""), language.locale, { numeric: true });
