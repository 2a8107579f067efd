import type { Fields } from "../api/declarations.ts";
import { FieldInput } from "./field-input.tsx";
import type { FormValue, FormValues, Problems } from "./form-values.ts";

interface FieldInputsProps {
  readonly fields: Fields;
  readonly values: FormValues;
  readonly problems?: Problems;
  readonly onChange: (name: string, value: FormValue) => void;
  /** The filter with which people begin, if the fields are filters. */
  readonly search?: string | undefined;
  readonly areFilters?: boolean;
}

/** The inputs of some fields. */
export function FieldInputs(props: FieldInputsProps) {
  const { fields, values, problems = {}, onChange, search, areFilters = false } = props;
  return Object.entries(fields).map(([name, field], index) => (
    <FieldInput
      key={name}
      {...{ name, field }}
      value={values[name] ?? ""}
      onChange={(value) => onChange(name, value)}
      error={problems[name]}
      autoFocus={index === 0}
      {...(areFilters && { purpose: name === search ? "search" : "filter" })}
    />
  ));
}
