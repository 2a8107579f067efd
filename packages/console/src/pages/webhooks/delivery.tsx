/** One event for one endpoint: whether it was delivered, each attempt with its response, and what is sent. */
import { type DataOf, outputOf } from "../../api/declarations.ts";
import { Details, OperationButton, PageTitle, Parts, Read, Section } from "../../components.ts";
import { choiceText, texts } from "../../texts/index.ts";
import { MemberLink, PageLink } from "../../values/links.tsx";
import { CodeBlock, responseCell, shortAddress } from "./endpoint-status.tsx";

const path = "/op/webhook-deliveries/get";
const t = texts.webhooks;

export function DeliveryPage({ record: delivery }: { readonly record: DataOf<typeof path> }) {
  const { endpoint_id, event_no, event, attempts } = delivery;
  const { contact_id } = event.data;
  const retry = { fixed: { endpoint_id, event_no }, label: t.retry };
  return (
    <Read path="/op/webhook-endpoints/get" request={{ endpoint_id }}>
      {({ url, status }) => (
        <>
          <PageTitle
            title={t.delivery(choiceText(event.type), event_no)}
            subtitle={<PageLink href={`/webhooks/${endpoint_id}`}>{shortAddress(url)}</PageLink>}
          >
            {status !== "disabled" && <OperationButton path="/op/webhook-deliveries/retry" {...retry} />}
          </PageTitle>
          <Details
            record={{ ...delivery, timestamp: event.timestamp }}
            fields={{ ...outputOf(path).event?.properties, ...outputOf(path) }}
            show={["status", "next_attempt_at", "timestamp", "contact_id"]}
            cells={{ contact_id: contact_id ? <MemberLink contactId={contact_id} /> : texts.none }}
          />
          <Parts
            title={t.attempts}
            path={path}
            name="attempts"
            rows={attempts}
            columns={["started_at", "kind", "status", "response", "milliseconds"]}
            cells={{ response: responseCell }}
            empty={t.noAttempts}
          />
          <Section title={t.payload}>
            <CodeBlock>{JSON.stringify(event, null, 2)}</CodeBlock>
          </Section>
        </>
      )}
    </Read>
  );
}
