/** The webhook endpoints of the business: which work, and what they have not got yet. */
import { useLocation } from "wouter";
import type { DataOf } from "../../api/declarations.ts";
import { Read } from "../../feedback/read.tsx";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { Words } from "../../values/words.tsx";
import { EndpointStatus, shortAddress } from "./endpoint-status.tsx";

export function WebhooksPage() {
  const [, navigate] = useLocation();
  return (
    <ListPage
      words={texts.webhooks}
      path="/op/webhook-endpoints/list"
      create="/op/webhook-endpoints/create"
      onCreated={({ data }) => navigate(`/webhooks/${data.endpoint_id}`)}
      columns={["url", "description", "status", "undelivered", "last_success_at", "integration_id"]}
      linkTo={({ endpoint_id }) => `/webhooks/${endpoint_id}`}
      cells={{
        url: ({ url }) => <Words>{shortAddress(url)}</Words>,
        status: (endpoint) => <EndpointStatus endpoint={endpoint} />,
        undelivered: (endpoint) => <Undelivered {...endpoint} />,
      }}
    />
  );
}

/** The list counts all events of the business behind the cursor; one endpoint counts those of its types. */
function Undelivered({ endpoint_id, behind, waiting }: DataOf<"/op/webhook-endpoints/list">) {
  const { nothing, undelivered } = texts.webhooks;
  if (behind + waiting === 0) return nothing;
  return (
    <Read path="/op/webhook-endpoints/get" request={{ endpoint_id }}>
      {(endpoint) => undelivered(endpoint.undelivered, endpoint.oldest_undelivered_seconds)}
    </Read>
  );
}
