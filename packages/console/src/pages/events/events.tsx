/** What happened in the business, newest first, as partners get it. */
import { Alert } from "@mantine/core";
import { type DataOf, outputOf } from "../../api/index.ts";
import { OperationButton, OperationTable, PageTitle, useBusiness } from "../../components.ts";
import { entryText, partnerTexts } from "../../texts/index.ts";
import { MemberLink, saleLink, Value } from "../../values/index.ts";
import { CodeBlock } from "../webhooks/endpoint-status.tsx";

const path = "/op/events/list";
type Event = DataOf<typeof path>["events"][number];

const fields = outputOf(path).events?.items?.properties?.data?.properties ?? {};
const amount = fields.entries?.items?.properties?.amount;
const t = partnerTexts.events;

export function EventsPage() {
  const { events_enabled } = useBusiness();
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation} />
      {!events_enabled && (
        <Alert title={t.off}>
          <OperationButton
            {...{ path: "/op/businesses/update", fixed: { events_enabled: true }, show: [] }}
            {...{ label: t.switchOn, explanation: t.switchOnHelp }}
          />
        </Alert>
      )}
      <OperationTable
        {...{ path, cells, empty: t.empty, request: { before: Number.MAX_SAFE_INTEGER } }}
        filters={["types", "contact_id"]}
        columns={["sequence", "timestamp", "type", "contact_id", "entries", "data"]}
        rowKey={({ data: { sequence } }) => sequence}
      />
    </>
  );
}

const cells = {
  sequence: ({ data: { sequence } }: Event) => sequence,
  contact_id: ({ data: { contact_id } }: Event) => contact_id && <MemberLink contactId={contact_id} />,
  entries: ({ data: { entries } }: Event) =>
    entries.slice(0, 4).map((entry) => (
      <div key={entry.entry_no}>
        {entryText(entry.event_type, entry.amount)}{" "}
        {amount && <Value name="amount" field={amount} value={entry.amount} row={entry} />}
      </div>
    )),
  data: ({ data }: Event & { readonly data: { readonly sale_id?: number } }) => (
    <>
      {data.sale_id && saleLink({ sale_id: data.sale_id, reference_id: t.sale(data.sale_id) })}
      <details>
        <summary className="number">{t.data}</summary>
        <CodeBlock>{JSON.stringify(data, null, 2)}</CodeBlock>
      </details>
    </>
  ),
};
