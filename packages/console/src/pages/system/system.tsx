/** The state of the service, and the check of all ledgers. */
import { type Fields, outputOf } from "../../api/declarations.ts";
import { Read } from "../../feedback/read.tsx";
import { PageTitle, Section } from "../../shell/index.ts";
import { Details, RecordTable } from "../../tables/index.ts";
import { labelOf, texts } from "../../texts/index.ts";
import type { Row } from "../../values/value.tsx";
import { Verification } from "./verification.tsx";

const path = "/op/status/get";
const fields = outputOf(path);
const single = (all: Fields) =>
  Object.keys(all).filter((name) => !["object", "array"].includes(all[name]?.type ?? ""));

export function SystemPage() {
  const parts = Object.entries(fields).filter(([, { type }]) => type === "object");
  return (
    <Read path={path} request={{}} refreshSeconds={30}>
      {(status) => (
        <>
          <PageTitle title={texts.system.title} />
          <Details record={status} fields={fields} show={single(fields)} notes={texts.system.notes} />
          {parts.map(([name, { properties = {} }]) => (
            <Section key={name} title={labelOf(name)}>
              <Details
                record={(status as unknown as Readonly<Record<string, Row>>)[name] ?? {}}
                fields={properties}
                show={single(properties)}
                notes={texts.system.notes}
              />
            </Section>
          ))}
          {status.webhooks.stopped.length > 0 && (
            <RecordTable
              caption={texts.system.stopped}
              rows={status.webhooks.stopped}
              fields={fields.webhooks?.properties?.stopped?.items?.properties ?? {}}
              columns={["host", "status", "disabled_reason", "failing_seconds", "business_id"]}
              rowKey={({ endpoint_id }) => endpoint_id}
              linkTo={({ business_id, endpoint_id }) => `/${business_id}/webhooks/${endpoint_id}`}
            />
          )}
          <Section title={texts.system.verify}>
            <Verification entries={status.entries} />
          </Section>
        </>
      )}
    </Read>
  );
}
