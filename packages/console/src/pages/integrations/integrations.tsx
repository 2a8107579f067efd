/** The programs of partners, and the secret of a new one. */
import { useState } from "react";
import { useLocation } from "wouter";
import type { DataOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { SecretDialog } from "./secret-dialog.tsx";

export function IntegrationsPage() {
  const { business_id } = useBusiness();
  const [, navigate] = useLocation();
  const [made, setMade] = useState<DataOf<"/op/integrations/create">>();
  const addressOf = (integration_id: number) => `/${business_id}/integrations/${integration_id}`;
  return (
    <>
      <PageTitle title={texts.integrations.title}>
        <OperationButton
          path="/op/integrations/create"
          fixed={{ business_id }}
          onDone={({ data }) => setMade(data)}
        />
      </PageTitle>
      <OperationTable
        path="/op/integrations/list"
        request={{ business_id }}
        columns={["name", "enabled", "scopes", "created_at"]}
        rowKey={({ integration_id }) => integration_id}
        linkTo={({ integration_id }) => addressOf(integration_id)}
        empty={texts.integrations.empty}
      />
      {made && (
        <SecretDialog
          title={texts.secret.title}
          values={{ client_id: made.client_id, client_secret: made.client_secret }}
          onClose={() => navigate(addressOf(made.integration_id))}
        />
      )}
    </>
  );
}
