/** Parts of the pages of endpoints: whether one works, since when not, and why; and what it responded. */

import { Code } from "@mantine/core";
import { type DataOf, type Row, State } from "../../components.ts";
import { endpointText, noResponseText, texts } from "../../texts/index.ts";

type Endpoint = Omit<DataOf<"/op/webhook-endpoints/list">, "types">;

/** Whether it gets no events although nobody wanted that. */
export const isStopped = ({ status, disabled_reason }: Endpoint) =>
  status === "failing" || (disabled_reason !== null && !disabledByPeople.includes(disabled_reason));

const disabledByPeople = ["requested", "integration_disabled", "copied"];

export function EndpointStatus({ endpoint }: { readonly endpoint: Endpoint }) {
  return (
    <>
      <State value={endpoint.status} /> {endpointText(endpoint)}
      <div className="wraps">{noResponseText(endpoint.last_error)}</div>
    </>
  );
}

export const CodeBlock = Code.withProps({
  block: true,
  className: "wraps",
  style: { whiteSpace: "pre-wrap" },
});

/** What an endpoint responded to an attempt: the status or the error, and the rest when it is wanted. */
export function responseCell({ response_status, error, response_body }: Row) {
  return (
    <details>
      <summary className="wraps">{String(response_status ?? (noResponseText(error) || texts.none))}</summary>
      <CodeBlock>{[error, response_body].filter(Boolean).join("\n") || texts.none}</CodeBlock>
    </details>
  );
}
