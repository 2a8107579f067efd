/** The audit log: who did what, and what changed. */
import { Fragment } from "react";
import type { DataOf } from "../../api/declarations.ts";
import { ListPage, numberOf, unitOf, Value, Words } from "../../components.ts";
import { choiceText, labelOf, texts } from "../../texts/index.ts";
import { known } from "./known.ts";

type Entry = DataOf<"/op/audit/list">;

export function AuditPage() {
  return (
    <ListPage
      {...{ words: texts.audit, path: "/op/audit/list", file: texts.tables.csv }}
      filters={["event", "actor_kind", "actor_name", "contact_id", "start_date", "end_date"]}
      columns={["recorded_at", "actor_name", "event", "contact_id", "changes", "address"]}
      cells={{
        actor_name: ({ actor_name, actor_kind }) => (
          <Words>{texts.audit.actor(actor_name, choiceText(actor_kind).toLowerCase())}</Words>
        ),
        event: ({ event }) => choiceText(event),
        changes: (entry) => <Changes entry={entry} />,
      }}
    />
  );
}

/** The fields of a record. Those of a record inside have the name of that before their own. */
function fieldsOf(record: object, place: readonly string[] = []): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    if (numberOf(name, Object.keys(record)) !== undefined) return [];
    const unit: unknown = record[unitOf(name) as keyof typeof record];
    const path = [...place, name];
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isRecord) return fieldsOf(value, path);
    const isPeriod = typeof value === "number" && typeof unit === "string";
    return [[path.join("."), isPeriod ? texts.period(value, unit) : value] as [string, unknown]];
  });
}

/** The changed fields before and after; of a new or a deleted record, all fields. What stayed only says which record it is. */
function Changes({ entry }: { readonly entry: Entry }) {
  const { before, after } = entry;
  const [old, current] = [new Map(fieldsOf(before ?? {})), new Map(fieldsOf(after ?? {}))];
  const isShown = (path: string) => {
    // The page and the entry name these already.
    const isNamed = path === "contact_id" || path === "business_id";
    if (isNamed && (current.get(path) ?? old.get(path)) === entry[path]) return false;
    const isSame = JSON.stringify(old.get(path)) === JSON.stringify(current.get(path));
    const saysWhich = path.endsWith("_id") && entry.contact_id === null && old.get(path) !== null;
    return !isSame || saysWhich;
  };
  const sidesOf = (path: string) => {
    const [from, to] = [old.get(path), current.get(path)];
    if (before === null || after === null) return [before === null ? to : from];
    return JSON.stringify(from) === JSON.stringify(to) || !old.has(path) ? [to] : [from, to];
  };
  const paths = [...new Set([...old.keys(), ...current.keys()])].filter(isShown);
  return (
    <dl className="changes is-long">
      {paths.map((path) => (
        <div key={path}>
          <dt>{path.split(".").map(wordOf).join(", ")}</dt>{" "}
          <dd className="wraps">
            {sidesOf(path).map((value, side) => (
              <Fragment key={side === 0 ? "from" : "to"}>
                {side > 0 && texts.audit.becomes}
                <AuditValue name={path.split(".").at(-1) ?? ""} value={value} />
              </Fragment>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const wordOf = (name: string) => labelOf(name, "details_");

function AuditValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  if ([value ?? []].flat().length === 0) return texts.none;
  // The names of the changed fields.
  if (name === "changed" && Array.isArray(value))
    return value.map((field) => labelOf(String(field))).join(", ");
  const type = typeof value === "number" ? "integer" : Array.isArray(value) ? "array" : "string";
  return <Value name={name} field={known[name] ?? { type }} value={value} />;
}
