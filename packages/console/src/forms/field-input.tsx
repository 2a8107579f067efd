/** The input of one field, by its declaration. */
import {
  Button,
  Checkbox,
  ColorInput,
  Fieldset,
  Flex,
  Input,
  MultiSelect,
  NativeSelect,
  Radio,
  SimpleGrid,
  Textarea,
  TextInput,
} from "@mantine/core";
import type { ChangeEvent, KeyboardEvent, ReactNode } from "react";
import type { Field, Fields } from "../api/declarations.ts";
import { useMaybeBusiness } from "../business.tsx";
import { FailureAlert, Note } from "../feedback/index.ts";
import { hasTime, helpOf, isDay, searchHelpOf, texts, unitsText } from "../texts/index.ts";
import { absenceText, choiceOf, labelOf, noneText } from "../texts/labels.ts";
import { type Choice, numberOf, unitOf, useRecords } from "../values/index.ts";
import { DayInput } from "./day-input.tsx";
import { FileChoice } from "./file-choice.tsx";
import type { FormValue, FormValues, Problems } from "./form-values.ts";
import * as form from "./form-values.ts";
import { MemberInput } from "./member-input.tsx";

type Purpose = "filter" | "search" | "change" | undefined;
/**
 * `purpose`: of a list, filters, or the search with which people begin; of a record, what is changed. `part`: of a form; by default, those in none.
 * `isTyped`: more letters can follow.
 */
type FieldInputsProps = Readonly<{ fields: Fields; values: FormValues; problems?: Problems; part?: string }> &
  Readonly<{ purpose?: Purpose; onChange: (name: string, value: FormValue, isTyped?: boolean) => void }>;

/** The space above an input is that of its own label. */
const style = { "--input-margin-top": 0 } as object;
const besideNumber = { variant: "unstyled", w: 96, rightSectionWidth: 24, style };

/** The inputs of some fields. */
export function FieldInputs(props: FieldInputsProps) {
  const { fields, values, problems = {}, onChange, purpose, part = "" } = props;
  const names = Object.keys(fields).filter(
    (name, _, all) => numberOf(name, all) === undefined && (fields[name]?.part ?? "") === part,
  );
  return names.map((name, index) => {
    const unit = unitOf(name);
    return (
      <FieldInput
        key={name}
        {...{ name, purpose, field: fields[name] as Field }}
        unit={
          fields[unit] && (
            <NativeSelect
              {...{ ...besideNumber, name: unit, "aria-label": labelOf(unit) }}
              data={fields[unit].enum?.map((value) => ({ value, label: unitsText(value) }))}
              value={String(values[unit])}
              onChange={(event) => onChange(unit, event.currentTarget.value)}
            />
          )
        }
        value={values[name] ?? ""}
        onChange={(...given) => onChange(name, ...given)}
        error={problems[name] ?? problems[unit]}
        autoFocus={index === 0 && part === ""}
      />
    );
  });
}

/** `unit`: the choice of the unit of a period. */
type FieldInputProps = Pick<FieldInputsProps, "purpose"> &
  Readonly<{ name: string; field: Field; value: FormValue; unit: ReactNode; error: string | undefined }> &
  Readonly<{ autoFocus: boolean; onChange: (value: FormValue, isTyped?: boolean) => void }>;

/** A choice of so few values shows all of them. */
const mostRadios = 4;
/** A list of more choices is searched. */
const mostBoxes = 24;

function FieldInput(props: FieldInputProps) {
  const { name, field, value } = props;
  const { choices: records, isLoading, failure, read } = useRecords(name);
  const { enum: declared, meanings = {} } = field.enum === undefined ? (field.items ?? {}) : field;
  const choices: Choices | undefined =
    declared?.map((one) => choiceOf(one, name, field, meanings[one])) ?? records;
  if (typeof value === "boolean") {
    const { required: _, "data-autofocus": __, ...common } = commonProps(props);
    const onChange = (event: ChangeEvent<HTMLInputElement>) => props.onChange(event.currentTarget.checked);
    return <Checkbox {...common} my={isOfList(props.purpose) ? 8 : 0} checked={value} onChange={onChange} />;
  }
  if (failure)
    return <FailureAlert {...{ error: failure, onRetry: () => void read(), children: labelOf(name) }} />;
  const record = form.recordOf(field);
  if (record) return <RecordInputs {...props} record={record} />;
  if (typeof value !== "string")
    return <ListInput {...{ ...props, value: value as readonly string[], choices, isLoading }} />;
  if (name === "contact_id" || name === "from_contact_id") {
    const onChange = (chosen: string | null) => props.onChange(chosen ?? "");
    const own = { clearable: field.optional === true, value: value || null, onChange };
    return <MemberInput {...commonProps(props)} {...own} />;
  }
  if (field.file) return <FileChoice {...commonProps(props)} kinds={field.file} onRead={props.onChange} />;
  if (choices !== undefined) return <ChoiceInput {...{ ...props, value, choices, isLoading }} />;
  return <WrittenInput {...props} value={value} />;
}

type InputOf<Value extends FormValue> = Omit<FieldInputProps, "value"> & { readonly value: Value };
type Choices = readonly (Choice & { readonly description?: string | undefined })[];

/** What all inputs have: label, help and error. */
function commonProps({ name, field, error, autoFocus, purpose }: Omit<FieldInputProps, "value">) {
  return {
    ...{ name, error, label: labelOf(field.label ?? name), required: !isOptional(field, purpose) },
    description: searchHelpOf(name, purpose) ?? (isOfList(purpose) ? undefined : helpOf(name, field)),
    "data-autofocus": autoFocus || undefined,
  };
}

const isOfList = (purpose: Purpose) => purpose === "filter" || purpose === "search";
/** A change leaves out what stays, but what a record must have can't be emptied. */
const isOptional = ({ optional, nullable, type }: Field, purpose: Purpose) =>
  nullable === true || (optional === true && (purpose !== "change" || type === "array"));
const isExplained = ({ description }: Choices[number]) => description !== undefined;

type OptionsProps = Readonly<{ of: typeof Radio | typeof Checkbox; choices: Choices }>;

/** Choices with an explanation are below each other. */
const Options = ({ of: One, choices }: OptionsProps) => (
  <Flex {...{ gap: "md", mt: "xs", wrap: "wrap", direction: choices.some(isExplained) ? "column" : "row" }}>
    {choices.map((one) => (
      <One key={one.value} {...one} />
    ))}
  </Flex>
);

type ChoiceProps = Readonly<{ choices?: Choices | undefined; isLoading: boolean }>;

function ListInput({ choices = [], isLoading, ...props }: InputOf<readonly string[]> & ChoiceProps) {
  const { name: _, ...common } = commonProps(props);
  if (choices.length > mostBoxes) {
    return (
      <MultiSelect
        {...{ ...common, data: choices, value: [...props.value], onChange: props.onChange }}
        {...{ searchable: true, hidePickedOptions: true, nothingFoundMessage: texts.forms.noMatch }}
      />
    );
  }
  return (
    <Checkbox.Group {...common} value={[...props.value]} onChange={props.onChange}>
      {choices.length === 0 && <Note>{isLoading ? texts.loading : noneText(props.name)}</Note>}
      <Options {...{ of: Checkbox, choices }} />
    </Checkbox.Group>
  );
}

/** The records of a list, such as the rates of a program: the inputs of each, below each other. */
function RecordInputs({ record, ...props }: FieldInputProps & { readonly record: Fields }) {
  const { label, description, error } = commonProps(props);
  const records = props.value as readonly FormValues[];
  const button = { size: "xs", mt: "xs", variant: "default", display: "block" } as const;
  return (
    <Input.Wrapper {...{ label, description, error, component: "div", labelElement: "div" }}>
      {records.map((values, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a record has no name
        <Fieldset key={index} variant="default" mt="xs" legend={texts.forms.record(index + 1)}>
          <SimpleGrid minColWidth="min(12rem, 100%)" spacing="sm">
            <FieldInputs
              {...{ values, fields: form.askedFields(record, values) }}
              onChange={(name, value) => props.onChange(records.with(index, { ...values, [name]: value }))}
            />
          </SimpleGrid>
          <Button {...button} onClick={() => props.onChange(records.toSpliced(index, 1))}>
            {texts.forms.removeRecord(index + 1)}
          </Button>
        </Fieldset>
      ))}
      <Button {...button} onClick={() => props.onChange([...records, form.formValues(record, {}, 0)])}>
        {texts.forms.addRecord}
      </Button>
    </Input.Wrapper>
  );
}

function ChoiceInput({ choices = [], isLoading, ...props }: InputOf<string> & ChoiceProps) {
  const { field, value, onChange, name, purpose } = props;
  // It begins with a choice, so nobody can forget it.
  const { required: _, ...common } = commonProps(props);
  const mayBeEmpty = isOptional(field, purpose);
  const isChosen = field.enum !== undefined && !mayBeEmpty;
  if (isChosen && (choices.length <= mostRadios || choices.some(isExplained))) {
    return (
      <Radio.Group {...common} {...{ value, onChange }}>
        <Options {...{ of: Radio, choices }} />
      </Radio.Group>
    );
  }
  // A required choice of a record that exists starts empty, too: nobody should choose the first one by accident.
  // A record with no location is for all of them.
  const isForAll = purpose === "filter" || (name === "location_id" && field.nullable === true);
  const noChoice = isForAll ? texts.all : (absenceText(field.label ?? name) ?? texts.forms.noChoice);
  const none = { value: "", label: isLoading ? texts.loading : mayBeEmpty ? noChoice : texts.forms.choose };
  const missing = choices.length === 0 && !isLoading && { description: noneText(name) };
  return (
    <NativeSelect
      {...{ ...commonProps(props), ...missing, value, data: [...(isChosen ? [] : [none]), ...choices] }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const popoverProps = { withinPortal: false };

function WrittenInput(props: InputOf<string>) {
  const { field, value, onChange, purpose } = props;
  const business = useMaybeBusiness();
  const common = commonProps(props);
  const isRecords = field.type === "array";
  if (field.format === "plain-lines" || isRecords) {
    return (
      <Textarea
        {...{ ...common, value, maxLength: field.maxLength, autosize: true, minRows: 2, maxRows: 8 }}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={isRecords ? undefined : sendOnEnter}
      />
    );
  }
  if (props.name === "color")
    return <ColorInput {...common} {...{ value, onChange, withEyeDropper: false, popoverProps }} />;
  const day = { value, onChange, withTime: hasTime(field), isFilter: isOfList(purpose) };
  if (isDay(field)) return <DayInput {...common} {...day} />;
  const isNumber = field.type === "integer";
  const unit =
    field.unit === "minor_units" ? business?.currency : field.unit === "points" ? texts.points : undefined;
  const beside = props.unit ?? (unit && <Note>{unit}</Note>);
  return (
    <TextInput
      {...{ ...common, value, autoComplete: "off", inputMode: isNumber ? "decimal" : undefined }}
      type={inputTypes[field.format ?? ""] ?? "text"}
      maxLength={isNumber ? 24 : field.maxLength}
      {...(field.format === "time" && { placeholder: texts.forms.dayPattern.time, maxLength: 24 })}
      onChange={(event) => onChange(event.currentTarget.value, true)}
      rightSection={beside}
      rightSectionWidth={props.unit ? 104 : unit ? 64 : undefined}
      {...(purpose === "search" && { type: "search", flex: "1 1 16rem", maw: "32rem", autoFocus: true })}
    />
  );
}

/** By format. */
const inputTypes: Readonly<Record<string, string | undefined>> = { email: "email", e164: "tel" };

/** Enter sends the form, as in other inputs; Shift+Enter begins a line. */
function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
