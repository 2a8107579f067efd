/** One webhook endpoint: whether it works, what it gets, and what it responded. */
import { useLocation } from "wouter";
import { type DataOf, outputOf } from "../../api/index.ts";
import { OperationButton, OperationMenu, PageTitle, Preview } from "../../components.ts";
import { Details, OperationTable, Parts } from "../../tables/index.ts";
import { choiceText, shortAddress, texts } from "../../texts/index.ts";
import { EndpointStatus, responseCell } from "./endpoint-status.tsx";

const [path, replay] = ["/op/webhook-endpoints/get", "/op/webhook-deliveries/replay"] as const;
type Endpoint = DataOf<typeof path>;
const t = texts.webhooks;

const shown = [
  ...["url", "description", "integration_id", "types", "header_names", "max_in_flight", "ordered"],
  ...["undelivered", "waiting", "oldest_undelivered_at", "next_attempt_at", "failure_rate"],
  ...["last_success_at", "last_error", "created_at", "updated_at", "endpoint_id"],
];

export function WebhookPage({ record: endpoint }: { readonly record: Endpoint }) {
  const { endpoint_id, url, header_names, recent_failures, recent_attempts } = endpoint;
  return (
    <>
      <PageTitle title={shortAddress(url)} subtitle={<EndpointStatus endpoint={endpoint} />}>
        <OperationButton
          {...{ path: "/op/webhook-endpoints/update", label: texts.edit, fixed: { endpoint_id } }}
          initial={{ ...endpoint, headers: header_names.map((name) => `${name}:`) }}
        />
        <OperationButton path="/op/webhook-endpoints/test" label={t.test} fixed={{ endpoint_id }} />
        <EndpointMenu endpoint={endpoint} />
      </PageTitle>
      <Details
        {...{ record: endpoint, fields: outputOf(path), show: shown }}
        cells={{ failure_rate: t.failures(recent_failures, recent_attempts) }}
      />
      <Parts title={t.secrets} path={path} name="secrets" rows={endpoint.secrets} />
      <OperationTable
        {...{ path: "/op/webhook-deliveries/list", request: { endpoint_id }, empty: t.noDeliveries }}
        title={t.deliveries}
        filters={["status"]}
        columns={["started_at", "event_no", "type", "kind", "attempt", "status", "response", "milliseconds"]}
        buttons={({ event_no, status }) => {
          const retry = { path: "/op/webhook-deliveries/retry", label: t.retry } as const;
          const isMissed = event_no !== null && status === "failed" && endpoint.status !== "disabled";
          return [isMissed && { ...retry, fixed: { endpoint_id, event_no } }];
        }}
        rowKey={({ started_at, event_no, attempt }) => `${started_at} ${event_no} ${attempt}`}
        cells={{ response: responseCell, type: ({ type }) => (type ? choiceText(type) : texts.none) }}
      />
    </>
  );
}

function EndpointMenu({ endpoint: { endpoint_id, status } }: { readonly endpoint: Endpoint }) {
  const [, navigate] = useLocation();
  const isOn = status !== "disabled";
  const ofPath = "/op/webhook-endpoints";
  return (
    <OperationMenu
      label={texts.integration.more}
      fixed={{ endpoint_id }}
      actions={[
        {
          ...{ path: `${ofPath}/enable`, label: isOn ? t.sendAgain : t.enable, explanation: t.enableHelp },
          suggested: { from: "stopped" },
        },
        {
          ...{ path: replay, label: t.replay, when: isOn, explanation: t.replayHelp },
          preview: (request) =>
            "since" in request && (
              <Preview path={replay} request={{ ...request, dry_run: true } as never} title={t.replayPreview}>
                {(found) => t.replayed(found.events, found.first_event_no, found.last_event_no)}
              </Preview>
            ),
          canSubmit: (request) => "since" in request,
        },
        { path: `${ofPath}/rotate-secret`, label: t.rotate, explanation: t.rotateHelp },
        {
          ...{ path: `${ofPath}/disable`, label: t.disable, when: isOn, explanation: t.disableHelp },
          isDangerous: true,
        },
        {
          ...{ path: `${ofPath}/delete`, label: texts.remove, explanation: t.removeHelp, isDangerous: true },
          onDone: () => navigate("/webhooks"),
        },
      ]}
    />
  );
}
