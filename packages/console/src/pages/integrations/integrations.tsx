/** The programs of partners, and the secret of a new one. */
import { useState } from "react";
import { useLocation } from "wouter";
import type { DataOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { SecretDialog } from "./secret-dialog.tsx";

export function IntegrationsPage() {
  const { business_id } = useBusiness();
  const [, navigate] = useLocation();
  const [made, setMade] = useState<DataOf<"/op/integrations/create">>();
  const addressOf = ({ integration_id }: { readonly integration_id: number }) =>
    `/${business_id}/integrations/${integration_id}`;
  return (
    <>
      <ListPage
        words={texts.integrations}
        path="/op/integrations/list"
        create="/op/integrations/create"
        onCreated={({ data }) => setMade(data)}
        columns={["name", "enabled", "scopes", "created_at"]}
        linkTo={addressOf}
      />
      {made && (
        <SecretDialog
          title={texts.secret.title}
          values={{ client_id: made.client_id, client_secret: made.client_secret }}
          onClose={() => navigate(addressOf(made))}
        />
      )}
    </>
  );
}
