/**
 * The filters of a list, made from the fields of its request. They are in the address, so that a link, and the way back, lead to
 * the same list.
 */
import { Box, Button, Group } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { type KeyboardEvent, type ReactNode, useId } from "react";
import { useSearchParams } from "wouter";
import { type Field, type Fields, type ListPath, type ReadPath, reads } from "../api/index.ts";
import { texts } from "../texts/en.ts";
import { FieldInputs } from "./field-input.tsx";
import { type FormValue, type FormValues, fieldsOf, readForm } from "./form-values.ts";

type Search = Readonly<{ name: string | undefined; open: (request: object) => void }>;
/** `usual`: the values of filters that the address does not have. */
type Options = Readonly<{ search?: Search; usual?: FormValues }>;

/** How the parameters end that say which page of a list is shown. */
export const pageParameter = "-page";

const typingMilliseconds = 150;

/**
 * @param options search: the filter in which people look for one record. It has the focus, and Enter opens the record of a request.
 * @returns the part of the request, and the inputs
 */
export function useFilters(path: ListPath | ReadPath, filters: readonly string[], options: Options = {}) {
  const { search, usual } = options;
  const [parameters, setParameters] = useSearchParams();
  const [settled] = useDebouncedValue(parameters.toString(), typingMilliseconds);
  const { input } = reads[path];
  const known = Object.fromEntries(Object.entries(input).map(([name, field]) => [name, filterOf(field)]));
  const searched = fieldsOf(known, [search?.name ?? []].flat());
  const filtering = fieldsOf(known, filters);
  const fields = { ...searched, ...filtering };
  const values = valuesOf(fields, parameters, usual);
  const onChange = (name: string, value: FormValue) => {
    // Another list begins with its first page.
    const others = [...parameters].filter(([other]) => other !== name && !other.endsWith(pageParameter));
    const text = value === false ? "" : String(value);
    setParameters(text === "" ? others : [...others, [name, text]], { replace: true });
  };
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    if (key === "Enter" && (target as HTMLInputElement).name === search?.name)
      search?.open(requestOf(input, fields, values));
  };
  return {
    request: requestOf(input, fields, valuesOf(fields, new URLSearchParams(settled), usual)),
    inputs: Object.keys(fields).length > 0 && (
      <Group gap="sm" align="flex-end" flex="1 1 20rem" onKeyDown={onKeyDown}>
        <FieldInputs fields={searched} {...{ values, onChange }} purpose="search" />
        <Folded values={Object.keys(filtering).map((name) => values[name])}>
          <FieldInputs fields={filtering} {...{ values, onChange }} purpose="filter" />
        </Folded>
      </Group>
    ),
  };
}

/** So many filters are shown on a phone. More would fill its screen before the first item of the list. */
const mostUnfolded = 1;

type FoldedProps = Readonly<{ values: readonly (FormValue | undefined)[]; children: ReactNode }>;

/** Filters, which are behind a button on a narrow screen. It says how many of them are set. */
function Folded({ values, children }: FoldedProps) {
  const [isOpen, { toggle }] = useDisclosure();
  const id = useId();
  if (values.length <= mostUnfolded) return children;
  const set = values.filter(Boolean).length;
  return (
    <>
      <Button hiddenFrom="sm" variant="default" aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
        {texts.forms.filters(set)}
      </Button>
      <Box id={id} display={isOpen ? "contents" : { base: "none", sm: "contents" }}>
        {children}
      </Box>
    </>
  );
}

/** A filter is never required, and has one value, also where a request can have several. */
const filterOf = ({ items, default: _, ...field }: Field): Field => ({ ...field, ...items, optional: true });

function valuesOf(fields: Fields, parameters: URLSearchParams, usual: FormValues = {}): FormValues {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { type }]) => {
      const text = parameters.get(name) ?? usual[name] ?? "";
      return [name, type === "boolean" ? text === "true" : text];
    }),
  );
}

/** Leaves out what is not a value yet. */
function requestOf(input: Fields, fields: Fields, values: FormValues): object {
  const trimmed = (value: FormValue) => (typeof value === "string" ? value.trim() : value);
  const entries = Object.entries(values).map(([name, value]) => [name, trimmed(value)]);
  const { request } = readForm(fields, Object.fromEntries(entries), 0);
  const several = Object.keys(request).filter((name) => input[name]?.type === "array");
  return { ...request, ...Object.fromEntries(several.map((name) => [name, [request[name]]])) };
}
