/** Shows a value by what its declaration says about it. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { mergedWith } from "../../../../src/domain/merge-references.ts";
import { type Field, useDecimals } from "../api/index.ts";
import { useMaybeBusiness } from "../business.tsx";
import { dayText, inZone, momentText } from "../texts/dates.ts";
import { absenceText, colon, decimalText, entryText, labelOf, optionText, texts } from "../texts/index.ts";
import { isNone, quantityText } from "../texts/quantities.ts";
import { MemberLink, Words, wordsOf, wrapping } from "./links.tsx";
import { unitOf } from "./periods.ts";
import { isReference, useNames } from "./references.ts";
import { State } from "./state.tsx";

export type Row = Readonly<Record<string, unknown>>;

type ValueProps = Readonly<{ name: string; field: Field; value: unknown; row?: Row }>;

/** @param props the unit of an entry depends on the record of the value, which is the row */
export function Value({ name, field, value, row }: ValueProps): ReactNode {
  if (isNone(name, value)) return <Absent name={name} />;
  if (typeof value === "boolean" && name !== "enabled") return value ? texts.yes : texts.no;
  if (typeof value === "boolean") return <State value={value ? "enabled" : "disabled"} />;
  if (typeof value === "number") return <NumberValue {...{ name, field, value, row }} />;
  if (Array.isArray(value)) return <ListValue {...{ name, field }} items={value} />;
  if (typeof value === "object") return <Parts {...{ name, field, value }} />;
  const text = String(value);
  if (name === "event_type") {
    const shown = { size: "sm", c: "dimmed", children: wordsOf(row?.reason as string) };
    const why = Boolean(row?.reason) && <Text key="why" {...shown} />;
    return [entryText(text, row?.amount, row && mergedWith(row) !== undefined), why];
  }
  if (field.enum)
    return name === "status" ? <State value={text} {...{ row }} /> : optionText(name, text, field.format);
  if (field.format === "date") return <span className="number">{dayText(text)}</span>;
  if (field.format === "date-time") return <Time field={field} text={text} />;
  return <Words>{text}</Words>;
}

/** The fields of a record inside of another one. */
function Parts({ name, field: { properties = {} }, value }: ValueProps) {
  const parts = Object.entries(Object(value));
  if (parts.length === 0) return <Absent name={name} />;
  const shown = parts.map(([part, inner]) => (
    <div key={part}>
      {labelOf(part) + colon}
      <Value name={part} field={properties[part] ?? { type: "string" }} value={inner} />
    </div>
  ));
  return <div className="is-long">{shown}</div>;
}

const isMember = (name: string) => ["contact_id", "merged_from", "merged_into"].includes(name);

function NumberValue({ name, field, value, row }: ValueProps & { readonly value: number }): ReactNode {
  const business = useMaybeBusiness();
  if (isMember(name) && business !== undefined) return <MemberLink contactId={value} />;
  if (isReference(name) || name === "birthday_month") return <ReferenceName field={name} id={value} />;
  const amount = isMoney(field, row) && (business?.money(value) ?? <PlainAmount value={value} />);
  return <span className="number">{amount || quantityText(name, field, value, row?.[unitOf(name)])}</span>;
}

/** A page without a business has no currency. */
const PlainAmount = ({ value }: { readonly value: number }) => decimalText(value, useDecimals());

export function Absent({ name }: { readonly name: string }) {
  const meaning = absenceText(name);
  if (meaning !== undefined) return meaning;
  return (
    <Text span c="dimmed" inherit aria-label={texts.none}>
      –
    </Text>
  );
}

/** A time. One in UTC becomes a time of the zone that the header names. */
function Time({ field: { zone }, text }: { readonly field: Field; readonly text: string }) {
  const business = useMaybeBusiness();
  const isUtc = zone === "UTC" || text.endsWith("Z");
  return <span className="number">{momentText(isUtc ? inZone(text, business?.time_zone) : text)}</span>;
}

/** Whether a number is an amount of money. An entry of the points account is not. */
export function isMoney({ unit }: Field, row?: Row): boolean {
  const kind = String(row?.account ?? row?.event_type ?? "");
  return unit === "minor_units" || (unit === "entry" && !/^points$|^reward_points/.test(kind));
}

/** Whether a column is aligned to the right. */
export const isQuantity = (name: string, { type, unit }: Field): boolean =>
  unit !== undefined || ((type === "integer" || type === "number") && !name.endsWith("_id"));

/** The name of a record that a field names by its number. */
export function ReferenceName({ field, id }: { readonly field: string; readonly id: number }) {
  const nameOf = useNames(field);
  return (
    <span className="read-later">
      <Words>{nameOf(id)}</Words>
    </span>
  );
}

type ListValueProps = Pick<ValueProps, "name" | "field"> & { readonly items: readonly unknown[] };

function ListValue({ name, field, items }: ListValueProps) {
  const nameOf = useNames(name);
  const itemText = (item: unknown) => {
    if (typeof item === "object") return JSON.stringify(item);
    if (field.items?.enum !== undefined) return optionText(name, String(item));
    return nameOf(item);
  };
  if (items.length === 0) return texts.none;
  const text = items.map(itemText).filter(Boolean).join(", ");
  return <span className={wrapping(text)}>{text}</span>;
}
