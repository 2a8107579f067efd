/** The audit log: who did what, and what changed. */
import type { DataOf, Declaration, Fields } from "../../api/declarations.ts";
import { declared } from "../../api/declared.ts";
import { useBusiness } from "../../business.tsx";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { choiceText, labelOf } from "../../texts/labels.ts";
import { Words } from "../../values/words.tsx";

type Entry = DataOf<"/op/audit/list">;

export function AuditPage() {
  return (
    <ListPage
      words={texts.audit}
      path="/op/audit/list"
      filters={["event", "actor_kind", "actor_name", "contact_id", "start_date", "end_date"]}
      columns={["recorded_at", "actor_name", "event", "contact_id", "changes", "address"]}
      cells={{
        actor_name: ({ actor_name, actor_kind }) => (
          <Words>{texts.audit.actor(actor_name, choiceText(actor_kind).toLowerCase())}</Words>
        ),
        changes: (entry) => <Changes entry={entry} />,
      }}
    />
  );
}

/** The units of numbers, by the name of their field, in all operations. */
const units = new Map<string, Set<string | undefined>>();

function noteUnits(fields: Fields): void {
  for (const [name, { type, unit, items, properties }] of Object.entries(fields)) {
    if (type === "integer") units.set(name, (units.get(name) ?? new Set()).add(unit));
    noteUnits({ ...properties, ...items?.properties });
  }
}

for (const { input, output } of Object.values(declared) as Declaration[]) noteUnits({ ...input, output });

/** The fields of a record. Those of a record inside have the name of that before their own. */
function fieldsOf(record: object, place: readonly string[] = []): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const path = [...place, name];
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord ? fieldsOf(value, path) : [[path.join("."), value] as [string, unknown]];
  });
}

/** The changed fields before and after; of a new or a deleted record, all fields. */
function Changes({ entry: { before, after } }: { readonly entry: Entry }) {
  const { money } = useBusiness();
  const [old, current] = [new Map(fieldsOf(before ?? {})), new Map(fieldsOf(after ?? {}))];
  const textOf = (path: string, value: unknown) => {
    const unit = units.get(path.split(".").at(-1) ?? "");
    if (value === undefined || value === null) return texts.none;
    if (typeof value === "number" && unit?.size === 1 && unit.has("minor_units")) return money(value);
    if (typeof value === "boolean") return value ? texts.yes : texts.no;
    if (!Array.isArray(value)) return String(value);
    return value.map((item) => (typeof item === "object" ? JSON.stringify(item) : item)).join(", ");
  };
  const lineOf = (path: string) => {
    const [from, to] = [textOf(path, old.get(path)), textOf(path, current.get(path))];
    if (before === null || after === null) return before === null ? to : from;
    return from === to ? to : texts.audit.change(from, to);
  };
  return (
    <dl className="changes">
      {[...new Set([...old.keys(), ...current.keys()])].map((path) => (
        <div key={path}>
          <dt>
            {path
              .split(".")
              .map((name) => labelOf(name))
              .join(", ")}
          </dt>
          <dd className="wraps">{lineOf(path)}</dd>
        </div>
      ))}
    </dl>
  );
}
