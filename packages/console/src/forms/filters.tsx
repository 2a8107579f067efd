/**
 * The filters of a list, made from the fields of its request. They are in the address, so that a link, and the way back, lead to
 * the same list. What people search for can be a name or the code of a card. So it is in the state of the history, which no link and no log has.
 */
import { Box, Button, SimpleGrid, useMatches } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { useSearchParams } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { type Fields, type ListPath, type ReadPath, reads, useDecimals } from "../api/index.ts";
import { notifyFailure, PlainButton } from "../feedback/loading.tsx";
import { pageParameter } from "../tables/order.ts";
import { colon, labelOf, texts } from "../texts/index.ts";
import { type Row, Value } from "../values/value.tsx";
import { FieldInputs } from "./field-input.tsx";
import { askedFields, type FormValue, type FormValues, fieldsOf, isFlag, readForm } from "./form-values.ts";

type Search = Readonly<{ name: string | undefined; open: (request: object) => Promise<void> }>;
/** `usual`: the values of filters that the address does not have. */
type Options = Readonly<{ search?: Search; usual?: FormValues }>;

const typingMilliseconds = 150;

/**
 * @param options search: the filter in which people look for one record. It has the focus, and Enter opens the record of a request.
 * @returns the part of the request, whether it has all that is written, and the inputs
 */
export function useFilters(path: ListPath | ReadPath, filters: readonly string[], options: Options = {}) {
  const { search, usual } = options;
  const [parameters, setParameters] = useSearchParams();
  const state: object = useHistoryState() ?? {};
  const written = new URLSearchParams({ ...Object.fromEntries(parameters), ...state });
  const [isTyped, setTyped] = useState(false);
  const [settled] = useDebouncedValue(written.toString(), typingMilliseconds);
  const [decimals, { input, filters: known = {} }] = [useDecimals(), reads[path]];
  const [searched, all] = [fieldsOf(known, [search?.name ?? []].flat()), fieldsOf(known, filters)];
  const filtering = askedFields(all, valuesOf(all, written, usual));
  const fields = { ...searched, ...filtering };
  const values = valuesOf(fields, written, usual);
  const onChange = (name: string, value: FormValue, isTyped = false) => {
    setTyped(isTyped);
    // Another list begins with its first page.
    const others = [...parameters].filter(([other]) => other !== name && !other.endsWith(pageParameter));
    const text = value === false ? "" : String(value);
    if (name === search?.name) setParameters(others, { replace: true, state: { ...state, [name]: text } });
    else setParameters(text === "" ? others : [...others, [name, text]], { replace: true, state });
  };
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    if (key === "Enter" && (target as HTMLInputElement).name === search?.name)
      search?.open(readFilters(input, fields, values, decimals).request).catch(notifyFailure);
  };
  const still = valuesOf(fields, isTyped ? new URLSearchParams(settled) : written, usual);
  const { request, problems } = readFilters(input, fields, still, decimals);
  const isReadable = Object.keys(problems).length === 0;
  return {
    ...{ request, isReadable },
    inputs: Object.keys(fields).length > 0 && (
      <Box display="contents" onKeyDown={onKeyDown}>
        <FieldInputs fields={searched} {...{ values, onChange }} purpose="search" />
        <Folded fields={filtering} {...{ request, isReadable, onChange }}>
          <FieldInputs fields={filtering} {...{ values, problems, onChange }} purpose="filter" />
        </Folded>
      </Box>
    ),
  };
}

/** So many filters are shown on a phone, and on other screens. More would fill them before the first item of the list. */
const mostShown = { base: 1, sm: 6 };

type FoldedProps = Readonly<{ fields: Fields; request: Row; isReadable: boolean; children: ReactNode }> &
  Readonly<{ onChange: (name: string, value: FormValue) => void }>;

/**
 * Filters, which are behind a button if they are many. Beside it are those that are set: a click removes one. A member has its number there,
 * because its name would be a link in a button.
 */
function Folded({ fields, request, isReadable, onChange, children }: FoldedProps) {
  // What is wrong with a filter of the address is seen at once.
  const [id, [isOpen, { toggle }]] = [useId(), useDisclosure(!isReadable)];
  const most = useMatches(mostShown, { getInitialValueInEffect: false });
  if (Object.keys(fields).length <= most) return children;
  const set = Object.entries(fields).filter(([name]) => name in request);
  const label = texts.forms.filters(set.length);
  const grid = { w: "100%", spacing: "sm", minColWidth: "min(11rem, 45%)" };
  const look = { size: "compact-sm", variant: "light", maw: "100%", title: texts.forms.withoutFilter };
  return (
    <>
      <PlainButton {...{ "aria-expanded": isOpen, "aria-controls": id, onClick: toggle, children: label }} />
      {isOpen && <SimpleGrid {...{ id, ...grid, children }} />}
      {set.map(([name, field]) => (
        <Button key={name} {...look} onClick={() => onChange(name, "")}>
          <span>
            {labelOf(name) + colon}
            <Value name={name.replace("contact", "member")} field={field} value={request[name]} /> ×
          </span>
        </Button>
      ))}
    </>
  );
}

function valuesOf(fields: Fields, parameters: URLSearchParams, usual: FormValues = {}): FormValues {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const text = parameters.get(name) ?? usual[name] ?? "";
      return [name, isFlag(field) ? text === "true" : text];
    }),
  );
}

/** Leaves out what is not a value yet, and says why. */
function readFilters(input: Fields, fields: Fields, values: FormValues, decimals: number) {
  const { request, problems } = readForm(fields, values, decimals);
  const isList = (name: string) => input[name]?.type === "array";
  const sent = Object.entries(request).map(([name, value]) => [name, isList(name) ? [value] : value]);
  return { request: Object.fromEntries(sent) as Row, problems };
}
