/** One integration: its rights, its secrets, and the requests of it that were rejected. */
import { List } from "@mantine/core";
import { useLocation } from "wouter";
import { type DataOf, outputOf } from "../../api/index.ts";
import { writes } from "../../api/writes.ts";
import { Details, OperationButton, OperationMenu, PageTitle, Parts, Section } from "../../components.ts";
import { partnerTexts } from "../../texts/en/partners.ts";
import { RequestsPage } from "../requests/requests.tsx";

const path = "/op/integrations/get";
const t = partnerTexts.integration;
const meanings = writes["/op/integrations/create"].input.scopes?.items?.meanings ?? {};

export function IntegrationPage({ record: integration }: { readonly record: DataOf<typeof path> }) {
  const { integration_id, name, enabled } = integration;
  const [, navigate] = useLocation();
  return (
    <>
      <PageTitle title={name} subtitle={enabled ? t.number(integration_id) : t.disabled(integration_id)}>
        <OperationButton path="/op/integrations/update" />
        <OperationButton path="/op/integrations/rotate-secret" />
        <OperationMenu
          label={t.more}
          actions={[
            "/op/integrations/revoke-tokens",
            enabled ? "/op/integrations/disable" : "/op/integrations/enable",
            { path: "/op/integrations/delete", onDone: () => navigate("/integrations") },
          ]}
        />
      </PageTitle>
      <Details
        {...{ record: integration, fields: outputOf(path) }}
        show={["client_id", "enabled", "location_ids", "created_at"]}
        cells={integration.all_locations ? { location_ids: t.allLocations } : {}}
      />
      <Section title={t.scopes}>
        <List>
          {integration.scopes.map((scope) => (
            <List.Item key={scope}>
              {meanings[scope]} <code className="wraps">{scope}</code>
            </List.Item>
          ))}
        </List>
      </Section>
      <Parts title={t.secrets} {...{ path }} name="secrets" rows={integration.secrets} />
      <RequestsPage />
    </>
  );
}
