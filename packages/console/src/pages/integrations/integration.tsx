/** One integration: its rights, its secrets, and the requests of it that were rejected. */
import { Stack, Title } from "@mantine/core";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { type DataOf, declarationOf, outputOf } from "../../api/declarations.ts";
import { useRead } from "../../api/queries.ts";
import { useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { OperationButton, OperationDialog } from "../../forms/operation-dialog.tsx";
import { type MenuAction, OperationMenu } from "../../forms/operation-menu.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Details } from "../../tables/details.tsx";
import { RecordTable } from "../../tables/record-table.tsx";
import { texts } from "../../texts/en.ts";
import { Requests } from "../requests/requests.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

type Integration = DataOf<"/op/integrations/get">;

export function IntegrationPage() {
  const { business_id } = useBusiness();
  const { integration_id } = useParams<{ integration_id: string }>();
  const read = useRead("/op/integrations/get", { business_id, integration_id: Number(integration_id) });
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  return <IntegrationView integration={read.data.data} />;
}

function IntegrationView({ integration }: { readonly integration: Integration }) {
  const { business_id } = useBusiness();
  const [secret, setSecret] = useState<Readonly<Record<string, string>>>();
  const { integration_id, name, enabled, secrets } = integration;
  const fixed = { business_id, integration_id };
  const [, navigate] = useLocation();
  const leave = () => navigate(`/${business_id}/integrations`);
  const fields = outputOf("/op/integrations/get");
  return (
    <Stack gap="lg">
      <PageTitle title={name} subtitle={enabled ? undefined : texts.integration.disabled}>
        <OperationButton
          path="/op/integrations/update"
          label={texts.integration.edit}
          {...{ fixed, initial: integration }}
        />
        <OperationButton
          path="/op/integrations/rotate-secret"
          label={texts.integration.rotate}
          fixed={fixed}
          onDone={({ data: { client_id, client_secret } }) => setSecret({ client_id, client_secret })}
        />
        <OperationMenu label={texts.integration.more} actions={actionsOf(integration, business_id, leave)} />
      </PageTitle>
      <Details
        record={integration}
        fields={fields}
        show={[
          "integration_id",
          "client_id",
          "enabled",
          "scopes",
          "all_locations",
          "location_ids",
          "created_at",
        ]}
      />
      <section>
        <Title order={2} size="h4" mb="xs">
          {texts.integration.secrets}
        </Title>
        <RecordTable
          caption={texts.integration.secrets}
          rows={secrets}
          fields={fields.secrets?.items?.properties ?? {}}
          rowKey={({ created_at }, index) => `${created_at} ${index}`}
        />
      </section>
      <section>
        <Title order={2} size="h4" mb="xs">
          {texts.requests.title}
        </Title>
        <Requests integrationId={integration_id} />
      </section>
      {secret && (
        <SecretDialog title={texts.secret.title} values={secret} onClose={() => setSecret(undefined)} />
      )}
    </Stack>
  );
}

type Change = `/op/integrations/${"enable" | "disable" | "revoke-tokens" | "delete"}`;

function actionsOf(
  { integration_id, enabled }: Integration,
  business_id: number,
  leave: () => void,
): MenuAction[] {
  const t = texts.integration;
  const action = (path: Change, label: string, isDangerous = false, onDone?: () => void): MenuAction => ({
    ...{ path, label, isDangerous },
    dialog: (onClose) => (
      <OperationDialog
        {...{ path, label, onClose }}
        fixed={{ business_id, integration_id }}
        explanation={declarationOf(path).description}
        {...(onDone && { onDone })}
      />
    ),
  });
  return [
    enabled
      ? action("/op/integrations/disable", t.disable, true)
      : action("/op/integrations/enable", t.enable),
    action("/op/integrations/revoke-tokens", t.revoke, true),
    action("/op/integrations/delete", t.remove, true, leave),
  ];
}
