/** The audit log: who did what, and what changed. */
import type { DataOf } from "../../api/declarations.ts";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { labelOf } from "../../texts/labels.ts";

type Entry = DataOf<"/op/audit/list">;

export function AuditPage() {
  return (
    <ListPage
      words={texts.audit}
      path="/op/audit/list"
      filters={["event", "actor_kind", "actor_name", "contact_id", "start_date", "end_date"]}
      columns={["recorded_at", "actor", "event", "contact_id", "changes", "address"]}
      cells={{ changes: changesCell }}
    />
  );
}

const textOf = (value: unknown) =>
  value === undefined || value === null
    ? texts.none
    : String(typeof value === "object" ? JSON.stringify(value) : value);

/** The changed fields before and after; of a new or a deleted record, all fields. */
function changesCell({ before, after }: Entry) {
  const [old, current] = [before ?? {}, after ?? {}] as Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(current ?? {})])];
  const lineOf = (name: string) => {
    const [from, to] = [textOf(old?.[name]), textOf(current?.[name])];
    if (before === null || after === null) return before === null ? to : from;
    return from === to ? to : texts.audit.change(from, to);
  };
  return (
    <dl className="changes">
      {names.map((name) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd className="wraps">{lineOf(name)}</dd>
        </div>
      ))}
    </dl>
  );
}
