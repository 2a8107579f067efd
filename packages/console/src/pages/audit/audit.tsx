/** The audit log: who did what, and what changed. */
import { Fragment } from "react";
import { type DataOf, ListPage, Value, Words } from "../../components.ts";
import { changesOf, choiceText, labelOf, phrase, serviceTexts, texts } from "../../texts/index.ts";
import { known } from "./known.ts";

export function AuditPage() {
  return (
    <ListPage
      {...{ words: serviceTexts.audit, path: "/op/audit/list", file: texts.tables.csv }}
      filters={["event", "actor_kind", "actor_name", "contact_id", "start_date", "end_date"]}
      columns={["recorded_at", "actor_name", "event", "contact_id", "changes", "address"]}
      cells={{
        actor_name: ({ actor_name, actor_kind }) => (
          <Words>{serviceTexts.audit.actor(actor_name, phrase(choiceText(actor_kind)))}</Words>
        ),
        event: ({ event }) => choiceText(event),
        changes: (entry) => <Changes entry={entry} />,
      }}
    />
  );
}

/** The changed fields before and after. */
function Changes({ entry }: { readonly entry: DataOf<"/op/audit/list"> }) {
  return (
    <dl className="is-long" style={{ margin: 0 }}>
      {changesOf(entry).map(({ path, sides }) => (
        <div key={path}>
          <dt style={term}>{path.split(".").map(wordOf).join(", ")}:</dt>{" "}
          <dd className="wraps" style={inLine}>
            {sides.map((value, side) => (
              <Fragment key={side === 0 ? "from" : "to"}>
                {side > 0 && serviceTexts.audit.becomes}
                <AuditValue name={path.split(".").at(-1) ?? ""} value={value} />
              </Fragment>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const inLine = { display: "inline", margin: 0 };
const term = { ...inLine, color: "var(--mantine-color-dimmed)" };
const wordOf = (name: string) => labelOf(name, "details_");

function AuditValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  if ([value ?? []].flat().length === 0) return texts.none;
  // The names of the changed fields.
  if (name === "changed" && Array.isArray(value))
    return value.map((field) => labelOf(String(field))).join(", ");
  const type = typeof value === "number" ? "integer" : Array.isArray(value) ? "array" : "string";
  return <Value name={name} field={known[name] ?? { type }} value={value} />;
}
