/** One integration: its rights, its secrets, and the requests of it that were rejected. */
import { List } from "@mantine/core";
import { useLocation } from "wouter";
import { type DataOf, outputOf } from "../../api/index.ts";
import { writes } from "../../api/writes.ts";
import { Details, OperationButton, OperationMenu, PageTitle, Parts, Section } from "../../components.ts";
import { texts } from "../../texts/en/texts.ts";
import { RequestsPage } from "../requests/requests.tsx";

const path = "/op/integrations/get";
type Integration = DataOf<typeof path>;
const t = texts.integration;
const meanings = writes["/op/integrations/create"].input.scopes?.items?.meanings ?? {};

const actionOf = (name: keyof typeof t.help) =>
  ({ path: `/op/integrations/${name}`, explanation: t.help[name] }) as const;

export function IntegrationPage({ record: integration }: { readonly record: Integration }) {
  const { integration_id, name, enabled } = integration;
  const fixed = { integration_id };
  const [, navigate] = useLocation();
  const leave = () => navigate("/integrations");
  return (
    <>
      <PageTitle title={name} subtitle={enabled ? t.number(integration_id) : t.disabled(integration_id)}>
        <OperationButton path="/op/integrations/update" label={t.edit} {...{ fixed, initial: integration }} />
        <OperationButton path="/op/integrations/rotate-secret" label={t.rotate} fixed={fixed} />
        <OperationMenu
          {...{ label: t.more, fixed }}
          actions={[
            { ...actionOf("disable"), label: t.disable, when: enabled, isDangerous: true },
            { ...actionOf("enable"), label: t.enable, when: !enabled },
            { ...actionOf("revoke-tokens"), label: t.revoke, isDangerous: true },
            { ...actionOf("delete"), label: t.remove, isDangerous: true, onDone: leave },
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
              <strong className="wraps">{scope}</strong> {meanings[scope]}
            </List.Item>
          ))}
        </List>
      </Section>
      <Parts title={t.secrets} {...{ path }} name="secrets" rows={integration.secrets} />
      <RequestsPage integrationId={integration_id} title={texts.requests.title} />
    </>
  );
}
