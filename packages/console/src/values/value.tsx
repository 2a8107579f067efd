/** Shows a value by what its declaration says about it. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Field } from "../api/declarations.ts";
import { useMaybeBusiness } from "../business.tsx";
import { texts } from "../texts/en.ts";
import { dayText, momentText } from "./dates.ts";
import { decimalText } from "./decimals.ts";
import { choiceText } from "./labels.ts";
import { MemberLink } from "./member-link.tsx";
import { isReference, useChoices } from "./references.ts";

export type Row = Readonly<Record<string, unknown>>;

interface ValueProps {
  readonly name: string;
  readonly field: Field;
  readonly value: unknown;
  /** The record of the value. The unit of an entry depends on it. */
  readonly row?: Row;
}

export function Value({ name, field, value, row }: ValueProps): ReactNode {
  if (value === null || value === undefined || value === "") return <Absent name={name} />;
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  if (typeof value === "number") return <NumberValue {...{ name, field, value, row }} />;
  if (Array.isArray(value)) return <ListValue name={name} items={value} />;
  if (typeof value === "object") return <code className="wraps">{JSON.stringify(value)}</code>;
  const text = String(value);
  if (field.enum !== undefined) return choiceText(text);
  if (field.format === "date") return <span className="number">{dayText(text)}</span>;
  if (isMoment(field)) {
    return (
      <span className="number">
        {momentText(text)}
        {field.zone !== undefined && ` ${field.zone}`}
      </span>
    );
  }
  return <Words>{text}</Words>;
}

function NumberValue({ name, field, value, row }: ValueProps & { readonly value: number }): ReactNode {
  const business = useMaybeBusiness();
  if (name === "contact_id" && business !== undefined) return <MemberLink contactId={value} />;
  if (isReference(name)) return <ReferenceName field={name} id={value} />;
  if (name.endsWith("_id") || name === "entry_no") return value;
  const isMoney = field.unit === "minor_units" || (field.unit === "entry" && !isPointsEntry(row));
  if (isMoney && business !== undefined) return <span className="number">{business.money(value)}</span>;
  return <span className="number">{Number.isInteger(value) ? decimalText(value, 0) : value}</span>;
}

/** Whether the absence of a value says something. */
export function hasMeaning(name: string): boolean {
  return name in texts.absent;
}

function Absent({ name }: { readonly name: string }) {
  const meaning = (texts.absent as Readonly<Record<string, string>>)[name];
  if (meaning !== undefined) return meaning;
  return (
    <Text span c="dimmed" inherit aria-label={texts.none}>
      –
    </Text>
  );
}

/** Text of a person: in its own direction, and without making the page wider. */
export function Words({ children }: { readonly children: string }) {
  return <bdi className="wraps">{children}</bdi>;
}

/** Times have 19 characters, and nothing else does. */
function isMoment({ minLength, maxLength }: Field): boolean {
  return minLength === 19 && maxLength === 19;
}

export function isPointsEntry(row: Row | undefined): boolean {
  const kind = String(row?.account ?? row?.event_type ?? "");
  return kind === "points" || kind.startsWith("reward_points");
}

/** Whether a column is aligned to the right. */
export function isQuantity(name: string, { type, unit }: Field): boolean {
  return unit !== undefined || ((type === "integer" || type === "number") && !name.endsWith("_id"));
}

function ReferenceName({ field, id }: { readonly field: string; readonly id: number }) {
  const choices = useChoices(field);
  return <Words>{choices?.find(({ value }) => value === String(id))?.label ?? String(id)}</Words>;
}

function ListValue({ name, items }: { readonly name: string; readonly items: readonly unknown[] }) {
  const choices = useChoices(name);
  const itemText = (item: unknown) => {
    if (typeof item === "object") return JSON.stringify(item);
    return choices?.find(({ value }) => value === String(item))?.label ?? String(item);
  };
  if (items.length === 0) return texts.none;
  return <span className="wraps">{items.map(itemText).join(", ")}</span>;
}
