/** One webhook endpoint: whether it works, what it gets, and what it responded. */
import { useLocation } from "wouter";
import { type DataOf, OperationButton, OperationMenu, outputOf, PageTitle } from "../../components.ts";
import { Details, OperationTable, Parts } from "../../tables/index.ts";
import { choiceText, partnerTexts, shortAddress, texts } from "../../texts/index.ts";
import { EndpointStatus, responseCell } from "./endpoint-status.tsx";

const path = "/op/webhook-endpoints/get";
const t = texts.webhooks;

const shown = [
  ...["url", "description", "integration_id", "types", "header_names", "max_in_flight", "ordered"],
  ...["undelivered", "waiting", "oldest_undelivered_at", "next_attempt_at", "failure_rate"],
  ...["last_success_at", "created_at", "updated_at", "endpoint_id"],
];

const enable = { path: "/op/webhook-endpoints/enable", suggested: { from: "stopped" } } as const;

export function WebhookPage({ record: endpoint }: { readonly record: DataOf<typeof path> }) {
  const [, navigate] = useLocation();
  const isOn = endpoint.status !== "disabled";
  const { url, header_names, recent_failures, recent_attempts } = endpoint;
  return (
    <>
      <PageTitle title={shortAddress(url)} subtitle={<EndpointStatus endpoint={endpoint} />}>
        <OperationButton
          path="/op/webhook-endpoints/update"
          initial={{ ...endpoint, headers: header_names.map((name) => `${name}:`) }}
        />
        <OperationButton path="/op/webhook-endpoints/test" />
        <OperationMenu
          label={partnerTexts.integration.more}
          actions={[
            isOn ? { ...enable, label: t.sendAgain } : enable,
            isOn && "/op/webhook-deliveries/replay",
            "/op/webhook-endpoints/rotate-secret",
            isOn && "/op/webhook-endpoints/disable",
            { path: "/op/webhook-endpoints/delete", onDone: () => navigate("/webhooks") },
          ]}
        />
      </PageTitle>
      <Details
        {...{ record: endpoint, fields: outputOf(path), show: shown }}
        cells={{ failure_rate: t.failures(recent_failures, recent_attempts) }}
      />
      <Parts title={t.secrets} path={path} name="secrets" rows={endpoint.secrets} />
      <OperationTable
        {...{ path: "/op/webhook-deliveries/list", title: t.deliveries, empty: t.noDeliveries }}
        filters={["status"]}
        columns={["started_at", "event_no", "type", "kind", "attempt", "status", "response"]}
        buttons={({ event_no, status }) => {
          const isMissed = event_no !== null && status === "failed" && isOn;
          return [isMissed && { path: "/op/webhook-deliveries/retry", fixed: { event_no } }];
        }}
        rowKey={({ started_at, event_no, attempt }) => `${started_at} ${event_no} ${attempt}`}
        cells={{ response: responseCell, type: ({ type }) => (type ? choiceText(type) : texts.none) }}
      />
    </>
  );
}
