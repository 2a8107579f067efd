/** Parts of the pages of endpoints: whether one works, since when not, and why; and what it responded. */
import { Code, Text } from "@mantine/core";
import type { DataOf } from "../../api/declarations.ts";
import { momentText, texts } from "../../texts/index.ts";
import type { Row } from "../../values/value.tsx";

type Endpoint = Omit<DataOf<"/op/webhook-endpoints/list">, "types">;

/** Whether it gets no events although nobody wanted that. */
export const isStopped = ({ status, disabled_reason }: Endpoint) =>
  status === "failing" || (disabled_reason !== null && !disabledByPeople.includes(disabled_reason));

const disabledByPeople = ["requested", "integration_disabled", "copied"];

export function EndpointStatus({ endpoint }: { readonly endpoint: Endpoint }) {
  const { disabled_reason, failing_since, last_success_at, last_error } = endpoint;
  const { works, noSuccess, lastFailed, failing, disabled } = texts.webhooks;
  if (disabled_reason === null && failing_since === null) {
    if (last_success_at !== null && last_error === null) return works;
    return (
      <>
        {last_success_at === null ? noSuccess : lastFailed} <span className="wraps">{last_error}</span>
      </>
    );
  }
  return (
    <Text span inherit c={isStopped(endpoint) ? "var(--mantine-color-error)" : undefined}>
      {disabled_reason === null ? failing(momentText(failing_since ?? "")) : disabled[disabled_reason]}{" "}
      <span className="wraps">{last_error}</span>
    </Text>
  );
}

/** An address can have 2,000 characters. */
export const shortAddress = (url: string) => (url.length > 80 ? `${url.slice(0, 79)}…` : url);

export const CodeBlock = Code.withProps({ block: true, className: "wraps" });

/** What an endpoint responded to an attempt: the status or the error, and the rest when it is wanted. */
export function responseCell({ response_status, error, response_body }: Row) {
  return (
    <details>
      <summary className="wraps">{String(response_status ?? error ?? texts.none)}</summary>
      <CodeBlock>{[error, response_body].filter(Boolean).join("\n") || texts.none}</CodeBlock>
    </details>
  );
}
